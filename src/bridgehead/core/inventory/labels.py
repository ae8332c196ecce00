"""Node labels that matter for devices: the rest is noise in an inventory and false drift."""

from collections.abc import Iterable, Mapping

_PREFIXES = (
    "nvidia.com/",
    "amd.com/",
    "gpu.intel.com/",
    "intel.feature.node.kubernetes.io/",
    "feature.node.kubernetes.io/pci-",
    "feature.node.kubernetes.io/kernel-version.full",
    "feature.node.kubernetes.io/system-os_release.",
    "bridgehead.dev/",
)
_NAMES = frozenset({"node.kubernetes.io/instance-type"})
# Written anew at each start of GPU feature discovery: a time, no property of the node.
# Source: https://github.com/NVIDIA/k8s-device-plugin/blob/main/docs/gpu-feature-discovery
_CHANGING = frozenset({"nvidia.com/gfd.timestamp"})


def telling(labels: Mapping[str, str], asked_for: Iterable[str]) -> dict[str, str]:
    """Labels of devices, drivers and instance type, and those that decide placement; sorted."""
    wanted = {*_NAMES, *asked_for}
    return {
        key: labels[key]
        for key in sorted(labels)
        if key not in _CHANGING and (key in wanted or key.startswith(_PREFIXES))
    }
