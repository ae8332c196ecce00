"""Images without a registry or a builder: an OCI archive written from a static binary.

`ctr images import` takes the archive in under a second. Manifests are the same bytes in the archive
and in a registry (`testbed/registry.py`), so an image has one digest everywhere. Nothing that
changes from run to run goes in: equal input gives equal bytes. Layers are not compressed, because
they never leave the machine.
"""

from __future__ import annotations

import hashlib
import io
import json
import platform
import tarfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from testbed.errors import TestbedError

_ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
_CONFIG = "application/vnd.oci.image.config.v1+json"
_LAYER = "application/vnd.oci.image.layer.v1.tar"
MANIFEST = "application/vnd.oci.image.manifest.v1+json"
"""Media type of an image's manifest."""
_INDEX = "application/vnd.oci.image.index.v1+json"


@dataclass(frozen=True)
class File:
    """An executable of an image, copied from this machine or given as bytes."""

    path: str
    content: Path | bytes


@dataclass(frozen=True)
class Link:
    """A symbolic link of an image."""

    path: str
    target: str


@dataclass(frozen=True)
class Image:
    """What an image holds and starts. Equal `files` share one layer."""

    files: tuple[File | Link, ...]
    entrypoint: tuple[str, ...]
    command: tuple[str, ...] = ()
    env: Mapping[str, str] | None = None


@dataclass(frozen=True)
class Packed:
    """An image as it is stored: the manifest, and the blobs that it names by digest."""

    manifest: bytes
    blobs: Mapping[str, bytes]

    @property
    def digest(self) -> str:
        """By which a pod's status and a registry name the image."""
        return digest(self.manifest)


def digest(content: bytes) -> str:
    """The content's address."""
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


def pack(image: Image) -> Packed:
    """The image's manifest, configuration and layer."""
    layer = _layer(image.files)
    config = _json(
        {
            "architecture": _architecture(),
            "os": "linux",
            "config": {
                "Entrypoint": list(image.entrypoint),
                "Cmd": list(image.command),
                "Env": [f"{name}={value}" for name, value in sorted((image.env or {}).items())],
            },
            "rootfs": {"type": "layers", "diff_ids": [digest(layer)]},
        }
    )
    manifest = _json(
        {
            "schemaVersion": 2,
            "mediaType": MANIFEST,
            "config": _descriptor(_CONFIG, config),
            "layers": [_descriptor(_LAYER, layer)],
        }
    )
    return Packed(manifest, {digest(config): config, digest(layer): layer})


def build_archive(out: Path, images: Mapping[str, Image]) -> None:
    """Write all images into one archive for `ctr -n k8s.io images import`.

    The names must be whole (`registry.test/fake:v1`): containerd completes no name on import.
    """
    blobs: dict[str, bytes] = {}
    entries = []
    for name, image in sorted(images.items()):
        _, _, tag = split_name(name)
        packed = pack(image)
        blobs |= packed.blobs
        blobs[packed.digest] = packed.manifest
        annotations = {
            "io.containerd.image.name": name,
            "org.opencontainers.image.ref.name": tag,
        }
        entries.append(_descriptor(MANIFEST, packed.manifest) | {"annotations": annotations})
    index = {"schemaVersion": 2, "mediaType": _INDEX, "manifests": entries}
    members = {
        "index.json": _json(index),
        "oci-layout": _json({"imageLayoutVersion": "1.0.0"}),
        **{f"blobs/{name.replace(':', '/')}": content for name, content in blobs.items()},
    }
    with tarfile.open(out, "w", format=tarfile.USTAR_FORMAT) as archive:
        for path, content in sorted(members.items()):
            _add(archive, tarfile.TarInfo(path), content)


def split_name(name: str) -> tuple[str, str, str]:
    """Registry, repository and tag of a whole image name.

    Raises TestbedError for a name that leaves one of them to a default.
    """
    registry, _, rest = name.partition("/")
    repository, _, tag = rest.partition(":")
    if not (repository and tag and ("." in registry or ":" in registry)):
        raise TestbedError(f"image name {name!r} must be whole, such as registry.test/fake:v1")
    return registry, repository, tag


def _layer(files: tuple[File | Link, ...]) -> bytes:
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for folder in sorted(_folders(files)):
            entry = tarfile.TarInfo(folder)
            entry.type, entry.mode = tarfile.DIRTYPE, 0o755
            archive.addfile(entry)
        for file in sorted(files, key=lambda file: file.path):
            entry = tarfile.TarInfo(file.path.lstrip("/"))
            entry.mode = 0o755
            if isinstance(file, Link):
                entry.type, entry.linkname = tarfile.SYMTYPE, file.target
                archive.addfile(entry)
            else:
                content = file.content
                _add(
                    archive, entry, content if isinstance(content, bytes) else content.read_bytes()
                )
    return target.getvalue()


def _folders(files: tuple[File | Link, ...]) -> Iterator[str]:
    seen = {parent for file in files for parent in PurePosixPath(file.path.lstrip("/")).parents}
    return (str(folder) for folder in seen if str(folder) != ".")


def _add(archive: tarfile.TarFile, entry: tarfile.TarInfo, content: bytes) -> None:
    entry.size = len(content)
    archive.addfile(entry, io.BytesIO(content))


def _descriptor(media_type: str, content: bytes) -> dict[str, object]:
    return {"mediaType": media_type, "digest": digest(content), "size": len(content)}


def _json(value: object) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def _architecture() -> str:
    machine = platform.machine()
    if machine not in _ARCHITECTURES:
        raise TestbedError(
            f"no images for the processor {machine}; known: {', '.join(_ARCHITECTURES)}"
        )
    return _ARCHITECTURES[machine]
