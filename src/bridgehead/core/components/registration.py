"""Which workloads are device plugins: those that mount a directory where plugins register.

Labels and namespaces are no convention (the manifest of every vendor has its own), but without the
kubelet's ``device-plugins`` directory no plugin can register; ``plugins_registry`` is the newer
way, shared with CSI and DRA drivers. Source:
https://kubernetes.io/docs/concepts/extend-kubernetes/compute-storage-net/device-plugins/
"""

from collections.abc import Iterable

from bridgehead.core.components.family import family_of
from bridgehead.core.components.generic import FAMILY as GENERIC
from bridgehead.core.model.component import Component
from bridgehead.core.model.json import JsonObject, children, text

DEVICE_PLUGINS = "device-plugins"
"""Constant of the kubelet that does not follow --root-dir (kubernetes#120626, 1.37)."""
REGISTRY = "plugins_registry"

# Agents mount the node's root, /var or the kubelet's directory for reasons of their own (logs,
# metrics, CSI). A parent therefore counts only where a known family's image stands beside it.
_PARENTS = ("/", "/var", "/var/lib", "/var/lib/kubelet")


def is_device_plugin(component: Component) -> bool:
    """Whether the component's pods can register devices with the kubelet."""
    return registers(mounted(component.template), known=_known(component.template))


def registers(host_paths: Iterable[str], *, known: bool) -> bool:
    """Whether pods with these host paths register devices.

    The plugins_registry directory and parents count for known families only: CSI and DRA drivers
    and plain agents mount them too.
    """
    paths = [path.rstrip("/") or "/" for path in host_paths]
    if any(DEVICE_PLUGINS in path.split("/") for path in paths):
        return True
    return known and any(
        REGISTRY in path.split("/") or path in _PARENTS or path.endswith("/kubelet")
        for path in paths
    )


def mounted(template: JsonObject) -> tuple[str, ...]:
    """Host paths of volumes that a container of the template mounts, sorted."""
    volumes = {
        text(volume, "name"): text(volume, "hostPath", "path")
        for volume in children(template, "spec", "volumes")
    }
    containers = (
        *children(template, "spec", "initContainers"),
        *children(template, "spec", "containers"),
    )
    names = {text(mount, "name") for item in containers for mount in children(item, "volumeMounts")}
    return tuple(sorted({volumes[name] for name in names if volumes.get(name)}))


def _known(template: JsonObject) -> bool:
    return family_of(template).name != GENERIC.name
