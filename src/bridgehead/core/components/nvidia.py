"""NVIDIA's device plugin, plain or deployed by the GPU Operator.

Image and resource names: https://github.com/NVIDIA/k8s-device-plugin (README, v0.17); GKE's and
AKS's add-ons carry the plugin under names of their own.
"""

from bridgehead.core.components.generic import REGISTERED
from bridgehead.core.components.signature import Family, LogPattern

FAMILY = Family(
    name="nvidia",
    images=(
        r"(^|/)nvidia/k8s-device-plugin$",
        r"(^|/)nvidia/cloud-native/k8s-device-plugin$",
        r"(^|/)(nvidia-k8s-device-plugin|nvidia-gpu-device-plugin)$",
    ),
    resources=("nvidia.com/",),
    faults=(
        LogPattern(
            r"non-NVML platform|could not load NVML library|Incompatible (platform|strategy)",
            "the container does not see the NVIDIA driver: runtime class, toolkit or driver",
            REGISTERED,
        ),
        LogPattern(
            r"driver/library version mismatch",
            "driver library and loaded kernel module differ: the node needs its module reloaded",
        ),
        LogPattern(
            r"GPU is lost|Xid\w*Error.*Xid=\d+", "the driver reports a hardware error", counts=True
        ),
        LogPattern(
            r"MPS daemon|requires --mps-root",
            "sharing by MPS is configured and its control daemon is missing",
            REGISTERED,
        ),
        LogPattern(
            r"(panic|error|fatal)\b.*\bMIG (devices|configuration)|Insufficient Permissions",
            "the MIG configuration of the node does not fit the plugin's strategy",
            REGISTERED,
        ),
    ),
)
