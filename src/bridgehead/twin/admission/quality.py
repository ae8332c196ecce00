"""The quality of service class of a pod, from what its containers ask for.

Source: k8s.io/kubernetes/pkg/apis/core/v1/helper/qos/qos.go, ComputePodQOS.
"""

from typing import Literal

from bridgehead.twin.objects import Object
from bridgehead.twin.schema.quantities import QuantityError, value_of

_COUNTED = ("cpu", "memory")

Quality = Literal["Guaranteed", "Burstable", "BestEffort"]


def quality_of_service(spec: Object) -> Quality:
    """Guaranteed: every container is limited to what it requests. BestEffort: none asks."""
    asks, guaranteed = False, True
    for container in [*(spec.get("containers") or ()), *(spec.get("initContainers") or ())]:
        resources = container.get("resources") or {}
        requests, limits = _counted(resources.get("requests")), _counted(resources.get("limits"))
        asks = asks or bool(requests or limits)
        guaranteed = guaranteed and len(limits) == len(_COUNTED) and requests == limits
    if not asks:
        return "BestEffort"
    return "Guaranteed" if guaranteed else "Burstable"


def _counted(amounts: Object | None) -> dict[str, object]:
    found: dict[str, object] = {}
    for name in _COUNTED:
        try:
            value = value_of((amounts or {}).get(name) or "0")
        except QuantityError:
            continue
        if value:
            found[name] = value
    return found
