"""AMD's device plugin for Instinct and Radeon GPUs.

Image and resource names: https://github.com/ROCm/k8s-device-plugin (README).
"""

from bridgehead.core.components.signature import Family

FAMILY = Family(
    name="amd",
    images=(r"(^|/)rocm/k8s-device-plugin$", r"(^|/)amdgpu-device-plugin$"),
    resources=("amd.com/",),
)
