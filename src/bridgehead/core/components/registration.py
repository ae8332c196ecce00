"""Which workloads are device plugins: those that mount a directory where plugins register.

Labels and namespaces are no convention (the manifest of every vendor has its own), but without the
kubelet's ``device-plugins`` directory no plugin can register; ``plugins_registry`` is the newer
way, shared with CSI and DRA drivers. Source:
https://kubernetes.io/docs/concepts/extend-kubernetes/compute-storage-net/device-plugins/
"""

import posixpath
from collections.abc import Iterable, Iterator

from bridgehead.core.components.family import family_of
from bridgehead.core.components.generic import FAMILY as GENERIC
from bridgehead.core.model.component import Component
from bridgehead.core.model.json import JsonObject, child, children, text

DEVICE_PLUGINS = "device-plugins"
"""Constant of the kubelet that does not follow --root-dir (kubernetes#120626, 1.37)."""
REGISTRY = "plugins_registry"

# Agents mount the node's root, /var or the kubelet's directory for reasons of their own (logs,
# metrics, CSI). A parent therefore counts only where a known family's image stands beside it.
_PARENTS = ("/", "/var", "/var/lib", "/var/lib/kubelet")


def is_device_plugin(component: Component) -> bool:
    """Whether the component's pods can register devices with the kubelet.

    An unknown image that may only read the directory, at a place of its own such as
    ``/host/device-plugins``, watches plugins and is none.
    """
    template = component.template
    if _known(template):
        return registers(mounted(template), known=True)
    usable = {
        host
        for host, mount in _mounts(template)
        if not (_read_only(mount) and _elsewhere(host, mount))
    }
    return registers(usable, known=False)


def registers(host_paths: Iterable[str], *, known: bool) -> bool:
    """Whether pods with these host paths register devices.

    The plugins_registry directory and parents count for known families only: CSI and DRA drivers
    and plain agents mount them too.
    """
    paths = [path.rstrip("/") or "/" for path in host_paths]
    if any(_leads_to_device_plugins(path) for path in paths):
        return True
    return known and any(
        REGISTRY in path.split("/") or path in _PARENTS or path.endswith("/kubelet")
        for path in paths
    )


def mounted(template: JsonObject) -> tuple[str, ...]:
    """Host paths of volumes that a container of the template mounts, sorted."""
    return tuple(sorted({host for host, _ in _mounts(template)}))


def _mounts(template: JsonObject) -> Iterator[tuple[str, JsonObject]]:
    """Each mount of a directory of the host, with the volume's path there."""
    volumes = {
        text(volume, "name"): text(volume, "hostPath", "path")
        for volume in children(template, "spec", "volumes")
    }
    containers = (
        *children(template, "spec", "initContainers"),
        *children(template, "spec", "containers"),
    )
    for container in containers:
        for mount in children(container, "volumeMounts"):
            if host := volumes.get(text(mount, "name")):
                yield host, mount


def _read_only(mount: JsonObject) -> bool:
    return child(mount, "readOnly") is True


def _elsewhere(host: str, mount: JsonObject) -> bool:
    return posixpath.normpath(text(mount, "mountPath")) != posixpath.normpath(host)


def _leads_to_device_plugins(path: str) -> bool:
    """The directory, or a socket in it; a folder below it is somebody's own."""
    *above, last = path.split("/")
    return last == DEVICE_PLUGINS or (DEVICE_PLUGINS in above and last.endswith(".sock"))


def _known(template: JsonObject) -> bool:
    return family_of(template).name != GENERIC.name
