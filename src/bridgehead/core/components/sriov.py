"""The SR-IOV network device plugin.

Image: https://github.com/k8snetworkplumbingwg/sriov-network-device-plugin (README; nfvpe/ until
v3.2). The names of its resources are whatever its configuration says, so none of them is telling.
Messages: ``cmd/sriovdp``, ``pkg/resources``; labels: NFD's ``network`` source
(https://nfd.sigs.k8s.io/usage/features) and the SR-IOV network operator's.

A virtual function that was moved into a pod's network namespace may not be found again: after a
restart a busy node then offers only the free ones
(https://github.com/k8snetworkplumbingwg/sriov-network-device-plugin/issues/565,
https://github.com/k8snetworkplumbingwg/sriov-network-operator/issues/1028). It looks for devices
and reads its configuration only as it starts (issues 276 and 178 there).
"""

from bridgehead.core.components.generic import REGISTERED
from bridgehead.core.components.signature import Family, Hint, LogPattern

FAULTS = (
    LogPattern(
        r"error unmarshalling raw bytes|one or more invalid configuration"
        r"|resource name \"[^\"]*\" (contains invalid characters|already exists)",
        "the plugin refuses its configuration",
        REGISTERED,
        key="configuration-refused",
    ),
)

FAMILY = Family(
    name="sriov",
    images=(r"(^|/)(ose-)?sriov-network-device-plugin$", r"(^|/)nfvpe/sriov-device-plugin$"),
    faults=FAULTS,
    shrinks_when_busy=True,
    vendor_hints=(
        Hint(r"feature\.node\.kubernetes\.io/network-sriov\.(capable|configured)"),
        Hint(r"feature\.node\.kubernetes\.io/sriov-capable"),
        Hint(r"network\.nvidia\.com/operator\.\S+"),
    ),
    discovers_once=True,
    uses={
        "hostNetwork": "scanning the node's network devices",
        "privileged": "reading the node's devices",
    },
    registry=True,
)
