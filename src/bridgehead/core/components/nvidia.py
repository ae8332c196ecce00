"""NVIDIA's device plugin: plain, time-slicing, MPS and MIG; alone or deployed by the GPU Operator.

Images, labels and messages: https://github.com/NVIDIA/k8s-device-plugin (README, v0.14.5, v0.17.4;
``internal/plugin``, ``internal/rm``, ``deployments/helm``). GKE's and AKS's add-ons carry the
plugin under names of their own. One image holds several programs (``cmd/``): one is the plugin.

The list of devices is built once at start, and ``ListAndWatch`` knows no way back from Unhealthy
(``internal/plugin/server.go``, v0.17.4, with a note of its authors that says so).
"""

from bridgehead.core.components.generic import REGISTERED
from bridgehead.core.components.signature import Family, Hint, InitSwitch, LogPattern, pci

HINTS = (
    pci("10de", "(03|12)[0-9a-f]{2}"),
    Hint(r"nvidia\.com/(gpu|mig)\.[\w.-]+"),
    Hint(r"feature\.node\.kubernetes\.io/cpu-model\.vendor_id", "NVIDIA"),
    Hint(r"cloud\.google\.com/gke-accelerator", r"nvidia-.*"),
    Hint(r"(kubernetes\.azure\.com/)?accelerator", r"nvidia.*"),
    Hint(r"k8s\.amazonaws\.com/accelerator", r"nvidia-.*"),
    Hint(r"karpenter\.k8s\.aws/instance-gpu-manufacturer", "nvidia"),
)
"""Labels of NFD and of NVIDIA's own discovery (the chart's affinity), and those of node pools:
https://cloud.google.com/kubernetes-engine/docs/how-to/gpus,
https://learn.microsoft.com/azure/aks/gpu-cluster,
https://github.com/kubernetes/autoscaler/blob/master/cluster-autoscaler/cloudprovider/aws/README.md,
https://karpenter.sh/docs/concepts/scheduling/"""

FAULTS = (
    LogPattern(
        r"driver/library version mismatch|LIB_RM_VERSION_MISMATCH",
        "driver library and loaded kernel module differ: the node needs its module reloaded",
        key="driver-library-mismatch",
    ),
    LogPattern(
        r"Insufficient Permissions",
        "the plugin may not look at MIG devices",
        REGISTERED,
        key="mig-not-permitted",
    ),
    LogPattern(
        r"GPU is lost", "the driver reports a hardware error", counts=True, key="device-lost"
    ),
    LogPattern(
        r"Xid\w*Error.*Xid=\d+",
        "the driver reports a hardware error",
        counts=True,
        key="device-error",
    ),
    LogPattern(
        r"non-NVML platform|could not load NVML library|Incompatible (platform|strategy)"
        r"|nvml init failed|failed to initialize NVML",
        "the container does not see the NVIDIA driver: runtime class, toolkit or driver",
        REGISTERED,
        key="driver-not-visible",
    ),
    LogPattern(
        r"waiting for MPS daemon|checking MPS daemon|requires --mps-root"
        r"|not supported (with MPS|for MIG devices)",
        "sharing by MPS is configured and its control daemon is missing",
        REGISTERED,
        key="mps-parts-missing",
    ),
    LogPattern(
        r"(panic|error|fatal|invalid|unable)\b.*\bMIG (devices|configuration)"
        r"|invalid MIG configuration|migEnabled=true was not configured correctly"
        r"|same migEnabled value|more than one MIG device type",
        "the MIG configuration of the node does not fit the plugin's strategy",
        REGISTERED,
        key="mig-geometry",
    ),
    LogPattern(
        r"unable to (load|finalize|parse) config|unable to validate flags|unknown MIG strategy",
        "the plugin refuses its configuration",
        REGISTERED,
        key="configuration-refused",
    ),
    LogPattern(
        r"mark(ing|ed) (it|device|all devices)\b.*\bunhealthy",
        "the plugin takes a device for unhealthy",
        counts=True,
        key="device-unhealthy",
    ),
    LogPattern(
        r"has repeatedly crashed recently",
        "the plugin's own server crashed again and again",
        key="server-crashed",
    ),
    LogPattern(
        r"Failed to start (plugin: |one or more plugins)|could not start device plugin",
        "the plugin could not start and tries again",
        REGISTERED,
        key="start-failed",
    ),
)

INIT = InitSwitch(
    env="FAIL_ON_INIT_ERROR",
    flag="fail-on-init-error",
    key=("flags", "failOnInitError"),
    default=True,
)

FAMILY = Family(
    name="nvidia",
    images=(
        r"(^|/)nvidia/k8s-device-plugin$",
        r"(^|/)nvidia/cloud-native/k8s-device-plugin$",
        r"(^|/)(nvidia-k8s-device-plugin|nvidia-gpu-device-plugin)$",
    ),
    resources=("nvidia.com/",),
    faults=FAULTS,
    vendor_hints=HINTS,
    other_programs=("gpu-feature-discovery", "mps-control-daemon", "config-manager"),
    discovers_once=True,
    latches_unhealthy=True,
    init=INIT,
    uses={
        "SYS_ADMIN": "MIG, and the device list strategy volume-mounts",
        "privileged": "handing on device nodes under the CPU manager (passDeviceSpecs)",
    },
)
