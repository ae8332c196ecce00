"""Why a kubelet refuses a pod that was bound to its node.

Source: k8s.io/kubernetes/pkg/kubelet/lifecycle/predicate.go (1.37). Extended resources are not
judged here: whoever admits a pod to devices does that, and one that the node does not have at all
is taken to be somebody else's.
"""

from collections.abc import Iterable, Mapping

from bridgehead.twin.objects import Object, fields
from bridgehead.twin.scheduling.demand import amounts, demand_of

_MEASURED = ("cpu", "memory", "ephemeral-storage")


def misfit(
    node: Object, allocatable: Mapping[str, str], others: Iterable[Object], pod: Object
) -> tuple[str, str] | None:
    """Reason and message of the refusal; None where the pod fits beside the others."""
    labels = fields(node, "metadata", "labels")
    wanted = fields(pod, "spec", "nodeSelector")
    if any(labels.get(key) != value for key, value in wanted.items()):
        why = "node(s) didn't match Pod's node affinity/selector"
        return "NodeAffinity", f"Predicate NodeAffinity failed: {why}"
    bound = list(others)
    room = amounts({key: value for key, value in allocatable.items() if key in _MEASURED})
    most = int(allocatable.get("pods", "110"))
    if len(bound) + 1 > most:
        return "OutOfpods", _short("pods", 1, len(bound), most)
    asked = demand_of(pod).requests
    for name in _MEASURED:
        if not asked.get(name) or name not in room:
            continue
        used = sum(demand_of(other).requests.get(name, 0) for other in bound)
        if asked[name] + used > room[name]:
            return f"OutOf{name}", _short(name, asked[name], used, room[name])
    return None


def _short(name: str, requested: int, used: int, capacity: int) -> str:
    return (
        f"Node didn't have enough resource: {name}, requested: {requested}, used: {used}, "
        f"capacity: {capacity}"
    )
