"""Intel's device plugins: GPU, QAT, SGX, DSA, IAA, DLB, FPGA, Gaudi.

Image and resource names: https://github.com/intel/intel-device-plugins-for-kubernetes (README) and
https://docs.habana.ai/en/latest/Orchestration/Gaudi_Kubernetes/Device_Plugin_for_Kubernetes.html
Labels: its ``deployments/nfd/overlays/node-feature-rules``. Messages: ``pkg/deviceplugin``.

The plugins scan again and again, so devices that come later are found.
"""

from bridgehead.core.components.generic import REGISTERED
from bridgehead.core.components.signature import Family, Hint, LogPattern, pci

FAULTS = (
    LogPattern(
        r"\b0 ('\w+' )?resources found",
        "no device of the kernel driver is there: firmware, driver or passthrough",
        rf"{REGISTERED}|->[1-9]\d* '\w+' resources found",
        key="driver-missing",
    ),
    LogPattern(
        r"AFU without corresponding FME",
        "FPGA ports and functions do not fit together on this node",
        REGISTERED,
        key="fpga-mode-mismatch",
    ),
    LogPattern(
        r"Socket \S+ is already in use",
        "another instance of the plugin serves this resource",
        REGISTERED,
        key="socket-address-taken",
    ),
    LogPattern(
        r"Device scan failed: .*(no such (file|device)|driver is not loaded)",
        "the scan does not find the driver's files, and the plugin ends",
        REGISTERED,
        key="init-failed",
    ),
    LogPattern(
        r"Device scan failed: (?!.*(no such (file|device)|driver is not loaded))",
        "the scan failed over something that it did find, and the plugin ends",
        REGISTERED,
        key="scan-failed",
    ),
)

FAMILY = Family(
    name="intel",
    images=(
        r"(^|/)intel-(gpu|qat|sgx|dsa|iaa|dlb|fpga|npu|vpu)-plugin$",
        r"(^|/)(docker-k8s-device-plugin|habana-k8s-device-plugin)$",
    ),
    resources=(
        "gpu.intel.com/",
        "qat.intel.com/",
        "sgx.intel.com/",
        "dsa.intel.com/",
        "iaa.intel.com/",
        "dlb.intel.com/",
        "fpga.intel.com/",
        "npu.intel.com/",
        "habana.ai/",
    ),
    faults=FAULTS,
    vendor_hints=(
        Hint(
            r"intel\.feature\.node\.kubernetes\.io/(gpu|qat|sgx|dsa|iaa|dlb|npu|fpga[\w-]*|gaudi)"
        ),
        Hint(r"gpu\.intel\.com/[\w.-]+"),
        pci("8086", "03[0-9a-f]{2}|12[0-9a-f]{2}|0b40|0880"),
        pci("1da3", "12[0-9a-f]{2}"),
    ),
    discovers_once=False,
    uses={
        "Unconfined": "binding QAT devices to a driver, which AppArmor's default profile refuses"
    },
)
