"""How a manifest's containers reach the kubelet's directories in which plugins register."""

import posixpath
from collections.abc import Iterable, Iterator, Mapping
from enum import Enum

import msgspec

from bridgehead.core.findings.manifest import Manifest, Path, containers
from bridgehead.core.model.json import JsonObject, child, text

ROOT = "/var/lib/kubelet"
"""The kubelet's directory unless ``--root-dir`` says otherwise."""
DEVICE_PLUGINS = f"{ROOT}/device-plugins"
"""A constant of the kubelet that does not follow ``--root-dir`` (kubernetes#120626, 1.37)."""
REGISTRY = f"{ROOT}/plugins_registry"
"""Follows ``--root-dir`` (sriov#586)."""


class Reach(Enum):
    """Which of the kubelet's directories a mount leads to."""

    DEVICE_PLUGINS = "device-plugins"
    REGISTRY = "plugins_registry"
    PARENT = "a parent of both"
    SOCKET = "a socket in one of them"


class KubeletMount(msgspec.Struct, frozen=True, kw_only=True):
    """One volumeMount that leads there, with its volume; paths lead to both in the manifest."""

    container: str
    mount: JsonObject
    mount_at: Path
    volume: JsonObject
    volume_at: Path
    reach: Reach

    @property
    def inside(self) -> str:
        """The directory as the container sees it."""
        return _clean(text(self.mount, "mountPath"))

    @property
    def host(self) -> str:
        """The directory on the host; empty where the volume is not of the host."""
        return _clean(text(self.volume, "hostPath", "path"))

    @property
    def is_host_path(self) -> bool:
        """Whether the volume is a directory of the host."""
        return child(self.volume, "hostPath") is not None

    @property
    def sub_path(self) -> str:
        """``subPath`` or ``subPathExpr`` of the mount, or an empty text."""
        return text(self.mount, "subPath") or text(self.mount, "subPathExpr")

    @property
    def kind(self) -> str:
        """The sort of its volume, such as ``hostPath`` or ``emptyDir``."""
        return next((key for key in self.volume if key != "name"), "emptyDir")


def kubelet_mounts(manifest: Manifest) -> tuple[KubeletMount, ...]:
    """All mounts that lead to the kubelet's directories, by the host's path or the container's."""
    base = manifest.template_path
    if base is None:
        return ()
    volumes = dict(_volumes(manifest, (*base, "spec", "volumes")))
    found = []
    for at, container in containers(manifest):
        for number, mount in _entries(container, "volumeMounts"):
            volume = volumes.get(text(mount, "name"))
            reach = _reach(volume[1], mount) if volume else None
            if volume and reach:
                found.append(
                    KubeletMount(
                        container=text(container, "name"),
                        mount=mount,
                        mount_at=(*at, "volumeMounts", number),
                        volume=volume[1],
                        volume_at=volume[0],
                        reach=reach,
                    )
                )
    return tuple(found)


def _volumes(manifest: Manifest, at: Path) -> Iterator[tuple[str, tuple[Path, JsonObject]]]:
    listed = manifest.at(at)
    for number, item in enumerate(listed if isinstance(listed, list | tuple) else ()):
        if isinstance(item, Mapping):
            yield text(item, "name"), ((*at, number), item)


def _entries(container: JsonObject, field: str) -> Iterable[tuple[int, JsonObject]]:
    listed = container.get(field)
    for number, item in enumerate(listed if isinstance(listed, list | tuple) else ()):
        if isinstance(item, Mapping):
            yield number, item


def _reach(volume: JsonObject, mount: JsonObject) -> Reach | None:
    """By the host's path where there is one; else by where the container sees the volume.

    Of the parents those count that a plugin can have been given for this purpose.
    """
    host = _clean(text(volume, "hostPath", "path"))
    inside = _clean(text(mount, "mountPath"))
    for path in filter(None, (host, inside)):
        steps = path.split("/")
        for name in ("device-plugins", "plugins_registry"):
            if name in steps:
                last = steps[-1]
                socket = last != name and last.endswith(".sock")
                return Reach.SOCKET if socket else Reach(name)
    if host in (ROOT, "/var/lib", "/var", "/") or host.endswith("/kubelet"):
        return Reach.PARENT
    return None


def _clean(path: str) -> str:
    return posixpath.normpath(path) if path else ""
