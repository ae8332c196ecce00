"""Any device plugin: the log lines that the plugin libraries have in common.

Lines of the operating system, of gRPC and of the kubelet's registration server are the same in all
plugins, as they come from the same libraries. A plugin whose own messages are unknown is judged by
these alone, so a quiet log proves nothing.
"""

from bridgehead.core.components.signature import Family, LogPattern

REGISTERED = r"registered device plugin for '[^']+' with kubelet"
"""Success: NVIDIA's wording, which other plugins have taken over."""
HEALTHY_AGAIN = r"marked healthy"

FAULTS = (
    LogPattern(
        r"dial unix \S+: connect: no such file",
        "the kubelet's socket is not where the plugin looks for it: wrong host path",
        REGISTERED,
    ),
    LogPattern(
        r"(dial unix \S+: connect|bind): permission denied",
        "the plugin may not use the kubelet's directory: not root, or refused by SELinux",
        REGISTERED,
    ),
    LogPattern(
        r"dial unix \S+kubelet\.sock: connect: connection refused",
        "the kubelet's registration server does not answer",
        REGISTERED,
    ),
    LogPattern(
        r"bind: address already in use",
        "the plugin's socket is taken: a second instance, or one left over that it may not remove",
        REGISTERED,
    ),
    LogPattern(
        r"unknown service \S*Registration|requested API version .* not supported",
        "plugin and kubelet speak different versions of the plugin API",
        REGISTERED,
    ),
    LogPattern(
        r"the ResourceName .* is invalid",
        "the kubelet refuses the resource name",
        REGISTERED,
    ),
    LogPattern(
        r"could not register device plugin for",
        "the plugin could not register with the kubelet",
        REGISTERED,
    ),
    LogPattern(
        r"failed to initiali[sz]e\b",
        "the plugin cannot start: the driver or its library is not visible to it",
        REGISTERED,
    ),
    LogPattern(r"\bstopped unexpectedly", "a part of the plugin stopped by itself"),
    LogPattern(
        r"failed to answer options",
        "the plugin fails to tell its options, so the kubelet does not take it on",
        REGISTERED,
    ),
    LogPattern(
        r"failed to discover devices|driver unavailable",
        "the driver or its device nodes are missing on the node",
        REGISTERED,
    ),
    LogPattern(
        r"no devices in device pool|missing RDMA device spec|no Rdma Devices|RDMA modules loaded\?",
        "the plugin found no device that its selectors accept",
        counts=True,
    ),
    LogPattern(
        r"no devices found, waiting indefinitely",
        "the plugin found no device and waits for ever",
        REGISTERED,
        counts=True,
    ),
    LogPattern(
        r"marked unhealthy", "the plugin takes a device for unhealthy", HEALTHY_AGAIN, counts=True
    ),
    LogPattern(
        r"failed to (allocate|choose|prepare) devices",
        "the plugin fails to hand out devices",
    ),
    LogPattern(
        r"dial tcp \S+:443: (i/o timeout|connect: connection refused)",
        "the plugin cannot reach the API server",
        REGISTERED,
    ),
    LogPattern(
        r"\bis forbidden: User\b|\bforbidden: User \"system:serviceaccount",
        "the plugin's service account lacks a permission",
        REGISTERED,
    ),
    LogPattern(
        r"too many open files",
        "the node's limit of inotify instances or open files is used up",
        REGISTERED,
    ),
    LogPattern(r"exec format error", "the image is built for another architecture than the node's"),
    LogPattern(
        r"flag provided but not defined|unknown flag:",
        "the arguments do not fit this version of the image",
    ),
    LogPattern(
        r"/sys/\S+: permission denied",
        "the plugin may not read /sys: AppArmor, or mounted read-only",
        REGISTERED,
    ),
    LogPattern(r"^panic: |\bpanic: runtime error", "the plugin crashed: a defect of this version"),
)

FAMILY = Family(name="generic", faults=FAULTS)
