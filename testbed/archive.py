"""Writes a container image as a docker-archive: one layer, one config, one manifest."""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
from collections.abc import Mapping, Sequence
from pathlib import Path


def write_image(
    target: Path, name: str, files: Mapping[str, bytes | str], entrypoint: Sequence[str]
) -> None:
    """Write an image of these files; bytes are executables, text is the target of a symlink.

    The same input gives the same bytes, so the image's digest says whether anything changed.
    """
    layer = _tar(files)
    config = json.dumps(
        {
            "architecture": "amd64",
            "os": "linux",
            "config": {"Entrypoint": list(entrypoint), "Env": ["PATH=/bin"]},
            "rootfs": {"type": "layers", "diff_ids": [f"sha256:{_digest(layer)}"]},
        },
        sort_keys=True,
    ).encode()
    config_file = f"{_digest(config)}.json"
    manifest = [{"Config": config_file, "RepoTags": [name], "Layers": ["layer.tar"]}]
    target.write_bytes(
        _tar(
            {
                "layer.tar": layer,
                config_file: config,
                "manifest.json": json.dumps(manifest).encode(),
            }
        )
    )


def _tar(files: Mapping[str, bytes | str]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for path in sorted(
            {str(parent) for file in files for parent in Path(file).parents} - {"."}
        ):
            folder = tarfile.TarInfo(path)
            folder.type, folder.mode = tarfile.DIRTYPE, 0o755
            archive.addfile(folder)
        for path, content in sorted(files.items()):
            entry = tarfile.TarInfo(path)
            if isinstance(content, str):
                entry.type, entry.linkname = tarfile.SYMTYPE, content
                archive.addfile(entry)
            else:
                entry.mode, entry.size = 0o755, len(content)
                archive.addfile(entry, io.BytesIO(content))
    return buffer.getvalue()


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
