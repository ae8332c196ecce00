"""Pods that hold devices of a node: who would be waited for or evicted, and who would not.

Holders are known by what they request, as the scheduler counts it. Whether a pod uses what it was
given cannot be seen from outside.
"""

from collections.abc import Collection, Iterable
from enum import Enum

from bridgehead.core.model.pod import Pod
from bridgehead.core.plan.plan import Occupied

_RESIDENT = frozenset({"DaemonSet", "Node"})
"""Controllers whose pods stay on their node. The kubelet makes the mirror of a static pod, with the
Node as its owner. Source: https://kubernetes.io/docs/tasks/configure-pod-container/static-pod/
"""


class Tie(Enum):
    """How a pod is tied to its node."""

    MOVABLE = "movable"
    """Its controller makes another one elsewhere."""
    BARE = "bare"
    """Nobody would make it again: it is never evicted."""
    RESIDENT = "resident"
    """It belongs to the node and comes back there: it is neither waited for nor evicted, as
    ``kubectl drain --ignore-daemonsets`` has it."""


def tie_of(pod: Pod) -> Tie:
    """How a pod is tied to its node, by its controller."""
    if pod.owner_kind in _RESIDENT:
        return Tie.RESIDENT
    return Tie.MOVABLE if pod.owner_kind else Tie.BARE


def holders(pods: Iterable[Pod], resources: Collection[str], component: str) -> tuple[Pod, ...]:
    """Those that hold devices of ``resources`` where they run, by name.

    Not counted are pods that have ended, those of the component whose uid is given, and ours. A pod
    that is on its way out holds its devices until it is gone.
    """
    found = (
        pod
        for pod in pods
        if pod.bound
        and not pod.terminal
        and not pod.ours
        and pod.owner_uid != component
        and any(pod.requests.get(name, 0) for name in resources)
    )
    return tuple(sorted(found, key=lambda pod: pod.ref))


def occupied(
    pods: Iterable[Pod], nodes: Iterable[str], resources: Collection[str], component: str
) -> tuple[Occupied, ...]:
    """Which of the nodes are occupied now, in their order, and by whom."""
    by_node: dict[str, list[Pod]] = {}
    for pod in holders(pods, resources, component):
        by_node.setdefault(pod.node, []).append(pod)
    return tuple(_occupied(node, by_node[node]) for node in nodes if node in by_node)


def _occupied(node: str, pods: Iterable[Pod]) -> Occupied:
    tied: dict[Tie, list[str]] = {tie: [] for tie in Tie}
    for pod in pods:
        tied[tie_of(pod)].append(pod.ref)
    return Occupied(
        node,
        movable=tuple(tied[Tie.MOVABLE]),
        bare=tuple(tied[Tie.BARE]),
        resident=tuple(tied[Tie.RESIDENT]),
    )
