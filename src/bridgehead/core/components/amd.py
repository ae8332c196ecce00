"""AMD's device plugin for Instinct and Radeon GPUs.

Images, names, labels: https://github.com/ROCm/k8s-device-plugin (README, ``helm/amd-gpu``,
``k8s-ds-amdgpu-*.yaml``); its node labeller is a tag of the same repository. Nodes with several
partition types offer one name for each (``cmd/k8s-device-plugin``), all below ``amd.com/``.

The lines of registration come from https://github.com/kubevirt/device-plugin-manager, which tries
three times and reports no success: the plugin's own ``Found N AMDGPUs``, printed when the kubelet
calls back, is the first. It looks for the kernel driver (``/sys/class/kfd``) once, at its start.
"""

from bridgehead.core.components.generic import REGISTERED
from bridgehead.core.components.signature import Family, Hint, LogPattern, pci

FAULTS = (
    LogPattern(
        r"error opening /dev/kfd|no GPU nodes found via properties",
        "the amdgpu kernel driver or its device node is not there",
        REGISTERED,
        key="driver-missing",
    ),
    LogPattern(r"found 0 AMDGPUs", "the plugin found no GPU", counts=True, key="no-device-found"),
    LogPattern(
        r"Registration failed: |Could not dial gRPC: |Failed to setup a DPI gRPC server"
        r"|Failed to start plugin's \S+ server",
        "the plugin could not register with the kubelet",
        REGISTERED,
        key="registration-failed",
    ),
)

FAMILY = Family(
    name="amd",
    images=(r"(^|/)rocm/k8s-device-plugin$", r"(^|/)amdgpu-device-plugin$"),
    resources=("amd.com/",),
    faults=FAULTS,
    vendor_hints=(
        pci("1002", "(03|12)[0-9a-f]{2}"),
        Hint(r"feature\.node\.kubernetes\.io/amd-(v?gpu)"),
        Hint(r"(beta\.)?amd\.com/gpu\.[\w.-]+"),
        Hint(r"karpenter\.k8s\.aws/instance-gpu-manufacturer", "amd"),
    ),
    other_programs=("k8s-node-labeller",),
    other_tags=r"labell?er-.*",
    discovers_once=True,
    latches_unhealthy=False,
    uses={"privileged": "the health check"},
)
