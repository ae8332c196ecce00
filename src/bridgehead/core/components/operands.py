"""What a plugin stands on: driver installers and runtime toolkits that run as pods of their own.

Images: https://docs.nvidia.com/datacenter/cloud-native/gpu-operator/latest/platform-support.html,
https://github.com/GoogleCloudPlatform/container-engine-accelerators,
https://github.com/ROCm/gpu-operator (READMEs).
"""

from enum import Enum

from bridgehead.core.components.repositories import repository_matches
from bridgehead.core.model.json import JsonObject, child, children, text


class Operand(Enum):
    """What it puts on the node; the value is the word that init containers wait with."""

    DRIVER = "driver"
    TOOLKIT = "toolkit"


_IMAGES = (
    (r"(^|/)(driver|vgpu-manager|k8s-driver-manager|amdgpu-driver|doca-driver)$", Operand.DRIVER),
    (r"(^|/)\S*(gpu|nvidia|mofed|neuron)-?driver(-installer)?$", Operand.DRIVER),
    (r"(^|/)container-toolkit$", Operand.TOOLKIT),
)
# CSI and DRA drivers bear the word too: a name counts beside that of a vendor or of a device.
_NAMES = ("driver", "toolkit")
_VENDORS = {"nvidia", "gpu", "amdgpu", "rocm", "neuron", "habana", "gaudi", "npu", "mofed", "ofed"}
_OTHERS = {"csi", "dra", "kubelet", "plugin"}


def operand_of(name: str, template: JsonObject) -> Operand | None:
    """Which operand a DaemonSet is: by its images, else by its name and a privileged container."""
    spec = child(template, "spec")
    containers = (*children(spec, "containers"), *children(spec, "initContainers"))
    for item in containers:
        for pattern, operand in _IMAGES:
            if repository_matches(text(item, "image"), pattern):
                return operand
    if any(child(item, "securityContext", "privileged") is True for item in containers):
        parts = set(name.replace("_", "-").split("-"))
        if parts & _VENDORS and not parts & _OTHERS:
            return next((Operand(word) for word in _NAMES if word in parts), None)
    return None
