"""Huawei's plugin for Ascend NPUs, and HAMi's plugin for the same cards.

Images, labels, names: https://github.com/Ascend/ascend-device-plugin (``build/``,
``pkg/common/constants.go``, ``pkg/server``) and
https://github.com/Project-HAMi/ascend-device-plugin. Its full log is a file on the node
(``/var/log/mindx-dl/devicePlugin``); what the container prints can be less.
"""

from bridgehead.core.components.generic import REGISTERED
from bridgehead.core.components.signature import Family, Hint, LogPattern, pci

FAULTS = (
    LogPattern(
        r"init devmanager failed|init device manager failed",
        "the NPU driver is not visible: its folder is not mounted or not installed",
        REGISTERED,
        key="driver-not-visible",
    ),
    LogPattern(
        r"check kubelet socket file path failed|socket path verify failed",
        "the kubelet's socket is not where the plugin looks for it: wrong host path",
        REGISTERED,
        key="kubelet-socket-missing",
    ),
    LogPattern(
        r"register to kubelet fail(ed)?\b|connect to kubelet fail(ed)?\b",
        "the plugin could not register with the kubelet",
        REGISTERED,
        key="registration-failed",
    ),
)

FAMILY = Family(
    name="ascend",
    images=(r"(^|/)(ascend-k8sdeviceplugin|ascend-device-plugin|ascend-k8s-device-plugin)$",),
    resources=("huawei.com/",),
    faults=FAULTS,
    vendor_hints=(
        Hint("accelerator", r"huawei-.*"),
        Hint("ascend", "on"),
        pci("19e5", "12[0-9a-f]{2}"),
    ),
    uses={"privileged": "reading the NPU driver's devices"},
    rights=(
        ("get", "nodes"),
        ("patch", "nodes"),
        ("patch", "nodes/status"),
        ("get", "pods"),
        ("list", "pods"),
        ("update", "pods"),
    ),
)
