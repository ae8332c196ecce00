"""Lines of workloads' own logs and start errors that say that a device cannot be used.

Sources: NVIDIA/nvidia-container-toolkit#48, #251, #1227 (NVML), k3s-io/k3s#4391, #4070 (the tool is
not found), containers/container-selinux#269 (dri devices), and the operating system's own words.
"""

from bridgehead.core.components.signature import LogPattern

ACCESS_LOST = LogPattern(
    r"Failed to initialize NVML: Unknown Error|NVML: Unknown Error"
    r"|CUDA_ERROR_NO_DEVICE.*Operation not permitted"
    r"|CUDA error: (unknown error|OS call failed or operation not supported)",
    "a running container may not use its device any more",
    key="device-access-lost",
)
NO_DEVICE_FILES = LogPattern(
    r"nvidia-smi\"?: (executable file not found|(command )?not found|no such file)"
    r"|libcuda\.so(\.\d+)?: cannot open shared object file"
    r"|libnvidia-ml\.so(\.\d+)?: cannot open shared object file"
    r"|no CUDA-capable device is detected|Found no NVIDIA driver on your system"
    r"|CUDA driver version is insufficient for CUDA runtime version"
    r"|/dev/nvidia\w*:? (no such file|does not exist)",
    "the container has neither the vendor's files nor the device",
    key="device-files-missing",
)
DENIED = LogPattern(
    r"/dev/(?!null|shm|zero|random|urandom|tty|stdout|stderr|termination-log)[\w./-]+"
    r"\W.{0,40}\b(permission denied|EACCES)"
    r"|permission denied\b.{0,60}/dev/(dri|kfd|vfio|accel|infiniband|sgx|qat|dsa|nvidia)[\w./-]*"
    r"|avc:\s+denied\b.*\b(dri_device_t|xserver_misc_device_t|device_t|hfi1_device_t)\b",
    "the container may not open a device that it has",
    key="device-denied",
)
WORKLOAD_PATTERNS = (ACCESS_LOST, NO_DEVICE_FILES, DENIED)
"""What the rules about started workloads look for; keys are their own."""
