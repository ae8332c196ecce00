"""The SR-IOV network device plugin.

Image: https://github.com/k8snetworkplumbingwg/sriov-network-device-plugin (README). The names of
its resources are whatever its configuration says, so none of them is telling.

A virtual function that was moved into a pod's network namespace may not be found again: after a
restart a busy node then offers only the free ones
(https://github.com/k8snetworkplumbingwg/sriov-network-device-plugin/issues/565,
https://github.com/k8snetworkplumbingwg/sriov-network-operator/issues/1028).
"""

from bridgehead.core.components.signature import Family

FAMILY = Family(
    name="sriov",
    images=(r"(^|/)(ose-)?sriov-network-device-plugin$",),
    shrinks_when_busy=True,
)
