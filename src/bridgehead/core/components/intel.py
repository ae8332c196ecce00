"""Intel's device plugins: GPU, QAT, SGX, DSA, IAA, DLB, FPGA, Gaudi.

Image and resource names: https://github.com/intel/intel-device-plugins-for-kubernetes (README) and
https://docs.habana.ai/en/latest/Orchestration/Gaudi_Kubernetes/Device_Plugin_for_Kubernetes.html
"""

from bridgehead.core.components.generic import REGISTERED
from bridgehead.core.components.signature import Family, LogPattern

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
    faults=(
        LogPattern(
            r"\b0 ('\w+' )?resources found",
            "no device of the kernel driver is there: firmware, driver or passthrough",
            REGISTERED,
        ),
    ),
)
