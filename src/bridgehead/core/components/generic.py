"""Any device plugin: the log lines that the plugin libraries have in common.

Lines of the operating system, of gRPC and of the kubelet's registration server are the same in all
plugins, as they come from the same libraries. A plugin whose own messages are unknown is judged by
these alone, so a quiet log proves nothing.
"""

from bridgehead.core.components.signature import Family, LogPattern

REGISTERED = (
    r"registered device plugin for '[^']+' with kubelet"
    r"|device plugin for \S+ registered"
    r"|gets registered successfully at kubelet"
    r"|register \S+ to kubelet success"
    r"|ListAndWatch(\(\S+\) invoked| called by kubelet)"
    r"|found \d+ AMDGPUs"
)
"""Success: NVIDIA's wording, which others have taken over; Intel's; that of the network plugins;
Ascend's; and the first call of the kubelet where no line tells of the registration itself."""
HEALTHY_AGAIN = r"marked healthy"

FAULTS = (
    LogPattern(
        r"dial unix \S+: connect: no such file",
        "the kubelet's socket is not where the plugin looks for it: wrong host path",
        REGISTERED,
        key="kubelet-socket-missing",
    ),
    LogPattern(
        r"(dial unix \S+: connect|\bbind): permission denied",
        "the plugin may not use the kubelet's directory: not root, or refused by SELinux",
        REGISTERED,
        key="kubelet-socket-denied",
    ),
    LogPattern(
        r"dial unix \S+kubelet\.sock: connect: connection refused",
        "the kubelet's registration server does not answer",
        REGISTERED,
        key="kubelet-socket-refused",
    ),
    LogPattern(
        r"bind: address already in use",
        "the plugin's socket is taken: a second instance, or one left over that it may not remove",
        REGISTERED,
        key="socket-address-taken",
    ),
    LogPattern(
        r"unknown service \S*Registration|requested API version .* not supported",
        "plugin and kubelet speak different versions of the plugin API",
        REGISTERED,
        key="plugin-api-versions-differ",
    ),
    LogPattern(
        r"the ResourceName .* is invalid",
        "the kubelet refuses the resource name",
        REGISTERED,
        key="resource-name-refused",
    ),
    LogPattern(
        r"received message larger than max|trying to send message larger than max",
        "a message is larger than gRPC allows: too many devices, or too long ids",
        key="message-too-large",
    ),
    LogPattern(
        r"dial tcp \S+:443: (i/o timeout|connect: (connection refused|no route to host))"
        r"|\bGet \"?https://\S+/api\S*: .*(i/o timeout|handshake timeout|deadline exceeded)",
        "the plugin cannot reach the API server",
        REGISTERED,
        key="api-server-unreachable",
    ),
    LogPattern(
        r"\bis forbidden: User\b|\bforbidden: User \"system:serviceaccount",
        "the plugin's service account lacks a permission",
        REGISTERED,
        key="permission-missing",
    ),
    LogPattern(
        r"too many open files",
        "the node's limit of inotify instances or open files is used up",
        REGISTERED,
        key="inotify-limit",
    ),
    LogPattern(
        r"exec format error",
        "the image is built for another architecture than the node's",
        key="wrong-architecture",
    ),
    LogPattern(
        r"flag provided but not defined|unknown (shorthand )?flag\b",
        "the arguments do not fit this version of the image",
        key="arguments-unknown",
    ),
    LogPattern(
        r"/sys/\S+: permission denied",
        "the plugin may not read /sys: AppArmor, or mounted read-only",
        REGISTERED,
        key="sysfs-denied",
    ),
    LogPattern(
        r"failed to answer options|failed to get device plugin options",
        "the plugin fails to tell its options, so the kubelet does not take it on",
        REGISTERED,
        key="options-refused",
    ),
    LogPattern(
        r"failed to discover devices|driver unavailable",
        "the driver or its device nodes are missing on the node",
        REGISTERED,
        key="driver-missing",
    ),
    LogPattern(
        r"/dev/(?!std|shm|tty|null|log\b|kmsg|termination)\S+: no such (file or directory|device)\b"
        r"|device (node|file) \S+ (does not exist|not found)",
        "a device node is not on this node: the driver is not loaded, or there is no device",
        REGISTERED,
        counts=True,
        key="driver-missing",
    ),
    LogPattern(
        r"no devices in device pool|missing RDMA device spec|no Rdma Devices|RDMA modules loaded\?",
        "the plugin found no device that its selectors accept",
        counts=True,
        key="no-device-selected",
    ),
    LogPattern(
        r"no devices found, waiting indefinitely|no devices found\. waiting indefinitely",
        "the plugin found no device and waits for ever",
        REGISTERED,
        counts=True,
        key="no-device-found",
    ),
    LogPattern(
        r"marked unhealthy",
        "the plugin takes a device for unhealthy",
        HEALTHY_AGAIN,
        counts=True,
        key="device-unhealthy",
    ),
    LogPattern(
        r"failed to (allocate|choose|prepare) devices",
        "the plugin fails to hand out devices",
        key="allocation-failed",
    ),
    LogPattern(
        r"\bstopped unexpectedly", "a part of the plugin stopped by itself", key="part-stopped"
    ),
    LogPattern(
        r"^panic: |\bpanic: runtime error",
        "the plugin crashed: a defect of this version",
        key="crashed",
    ),
    LogPattern(
        r"could not register device plugin\b|cannot register to kubelet service"
        r"|failed to be registered at kubelet",
        "the plugin could not register with the kubelet",
        REGISTERED,
        key="registration-failed",
    ),
    LogPattern(
        r"failed to initiali[sz]e\b",
        "the plugin cannot start: the driver or its library is not visible to it",
        REGISTERED,
        key="init-failed",
    ),
)
"""Most telling first: of the patterns that one line matches, the first counts."""

FAMILY = Family(name="generic", faults=FAULTS)
