"""How a manifest's containers reach the kubelet's directories in which plugins register."""

import posixpath
from collections.abc import Iterable, Iterator, Mapping
from enum import Enum

import msgspec

from bridgehead.core.findings.manifest import Manifest, Path, containers
from bridgehead.core.model.json import JsonObject, child, text

ROOT = "/var/lib/kubelet"
"""The kubelet's directory unless ``--root-dir`` says otherwise."""
DEVICE_PLUGINS_NAME = "device-plugins"
REGISTRY_NAME = "plugins_registry"
DEVICE_PLUGINS = f"{ROOT}/{DEVICE_PLUGINS_NAME}"
"""A constant of the kubelet that does not follow ``--root-dir`` (kubernetes#120626, 1.37)."""
REGISTRY = f"{ROOT}/{REGISTRY_NAME}"
"""Follows ``--root-dir`` (sriov#586)."""


class Reach(Enum):
    """Which of the kubelet's directories a mount leads to."""

    DEVICE_PLUGINS = DEVICE_PLUGINS_NAME
    REGISTRY = REGISTRY_NAME
    PARENT = "a parent of both"
    SOCKET = "a socket in one of them"
    BELOW = "a subPath below the device-plugins directory"


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
        """What of the host is mounted, subPath included; empty: the volume is not of the host."""
        return _on_host(self.volume, self.mount)

    @property
    def volume_path(self) -> str:
        """The directory of the volume itself, whatever subPath of it is mounted."""
        return _clean(text(self.volume, "hostPath", "path"))

    @property
    def is_host_path(self) -> bool:
        """Whether the volume is a directory of the host."""
        return child(self.volume, "hostPath") is not None

    @property
    def sub_path(self) -> str:
        """``subPath`` or ``subPathExpr`` of the mount, or an empty text."""
        return _sub_path(self.mount)

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
    host = _on_host(volume, mount)
    if "$(" in host:  # a subPathExpr that only the container's environment resolves
        host = _clean(text(volume, "hostPath", "path"))
        return Reach.BELOW if _named(host) is Reach.DEVICE_PLUGINS else _parent(host)
    return (
        _named(host)
        or _below(host, mount)
        or _named(_clean(text(mount, "mountPath")))
        or _parent(host)
    )


def _named(path: str) -> Reach | None:
    """One of the directories, or a socket in it.

    The kubelet looks into the folders of plugins_registry too, but not into those of
    device-plugins: a folder there is a plugin's own.
    """
    *above, last = path.split("/")
    if last == DEVICE_PLUGINS_NAME:
        return Reach.DEVICE_PLUGINS
    within_registry = REGISTRY_NAME in above
    if last.endswith(".sock") and (DEVICE_PLUGINS_NAME in above or within_registry):
        return Reach.SOCKET
    return Reach.REGISTRY if last == REGISTRY_NAME or within_registry else None


def _parent(path: str) -> Reach | None:
    known = path in (ROOT, "/var/lib", "/var", "/") or path.endswith("/kubelet")
    return Reach.PARENT if known else None


def _below(host: str, mount: JsonObject) -> Reach | None:
    """A plain hostPath below it is a folder of the plugin's own, whatever it is for."""
    within = DEVICE_PLUGINS_NAME in host.split("/")[:-1]
    return Reach.BELOW if within and _sub_path(mount) else None


def _on_host(volume: JsonObject, mount: JsonObject) -> str:
    path = text(volume, "hostPath", "path")
    below = _sub_path(mount)
    return _clean(posixpath.join(path, below) if path and below else path)


def _sub_path(mount: JsonObject) -> str:
    return text(mount, "subPath") or text(mount, "subPathExpr")


def _clean(path: str) -> str:
    return posixpath.normpath(path) if path else ""
