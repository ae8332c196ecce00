"""Before a plugin pod is deleted: the pods that hold the node's devices, waited for or evicted.

The node is cordoned for it, and its plugin works on, so this costs no device; it holds a place
among the nodes that may be in flight. No template stands in for it either: the target goes in when
the first node is clear.

On the way back nobody is waited for on a node that failed, as its devices are gone or not to be
trusted. A healthy node that the target reached is cleared as on the way forward, but not set aside
when its time is over: a version that is to go is worse for its holders than a restart.
"""

from bridgehead.core.journal.entry import Draft
from bridgehead.core.model.durations import duration_text
from bridgehead.core.model.json import JsonObject
from bridgehead.core.model.pod import Pod
from bridgehead.core.plan.holders import Tie, holders, tie_of
from bridgehead.core.plan.settings import Workloads
from bridgehead.core.rollout.commands import Evict, Purpose
from bridgehead.core.rollout.decision import Decision, note, wait
from bridgehead.core.rollout.run import Run
from bridgehead.core.rollout.state import NodeState, NodeStatus, Work
from bridgehead.core.rollout.world import World

AGAIN = (5.0, 60.0)
"""Shortest and longest time between two attempts at one eviction, in seconds: as long as the node
has been cordoned by the last one, so that a budget that stays shut costs few requests and records.
"""
_SHOWN = 4
_REPLACING = frozenset({Purpose.RESTART, Purpose.CHANGE, Purpose.TAKE_BACK})


def to_clear(run: Run, node: NodeState) -> bool:
    """Whether the node's pass still has to wait for holders of its devices."""
    work = node.work
    if work is None or work.deleted_at is not None or work.cleared_at is not None:
        return False
    hopeless = work.purpose is Purpose.TAKE_BACK and node.status is NodeStatus.FAILED
    careful = run.plan.care.workloads is not Workloads.KEEP and work.purpose in _REPLACING
    return careful and not hopeless


def keeps_cordon(run: Run, node: NodeState) -> bool:
    """Whether an idle node stays cordoned, as holders that were waited for would come back.

    That is so between its restart test and its change.
    """
    between = node.restart_tested and node.status is NodeStatus.PENDING and not node.disowned
    return between and run.plan.care.workloads is not Workloads.KEEP


def clear(run: Run, node: NodeState, work: Work, world: World, now: float) -> Decision:
    """The next step towards a node whose devices nobody holds.

    Called after the quiet time, so that its pods were read since the cordon: one that was bound
    just before that holds devices, too.
    """
    found = world.requesters.get(node.name)
    component = run.plan.component_uid
    left = [
        pod
        for pod in holders(found or (), run.plan.resources, component)
        if tie_of(pod) is not Tie.RESIDENT
    ]
    if not left:
        return Decision(notes=(_cleared(node, ""),))
    stuck = _given_up(run, work, left, now)
    if stuck:
        return Decision(notes=(_over(node, work, stuck),))
    if not work.occupied:
        detail: JsonObject = {"reason": _names(left), "care": run.plan.care.workloads.value}
        return Decision(notes=(note("node", "occupied", node=node.name, detail=detail),))
    evictions = _evictions(run, node, work, left, now)
    if evictions:
        return Decision(commands=evictions)
    return wait(f"{node.name}: waits for {_names(left)}")


def _given_up(run: Run, work: Work, left: list[Pod], now: float) -> str:
    """Why these are waited for no longer; empty while they are."""
    care = run.plan.care
    bare = [pod for pod in left if tie_of(pod) is Tie.BARE and not pod.deleting]
    if care.workloads is Workloads.EVICT and bare:
        whose = "has" if len(bare) == 1 else "have"
        return f"{_names(bare)} {whose} no controller that would make it again: not evicted"
    if work.cordoned_at is not None and now >= work.cordoned_at + care.timeout:
        return f"{_names(left)} after {duration_text(care.timeout)}"
    return ""


def _over(node: NodeState, work: Work, stuck: str) -> Draft:
    """Forward the node is set aside; on the way back it is taken back all the same."""
    if work.purpose is Purpose.TAKE_BACK:
        return _cleared(node, f"its devices are still held: {stuck}")
    detail: JsonObject = {"reason": f"its devices are still held: {stuck}"}
    return note("node", "set-aside", node=node.name, detail=detail)


def _cleared(node: NodeState, reason: str) -> Draft:
    detail: JsonObject = {"reason": reason} if reason else {}
    return note("node", "cleared", node=node.name, detail=detail)


def _evictions(
    run: Run, node: NodeState, work: Work, left: list[Pod], now: float
) -> tuple[Evict, ...]:
    if run.plan.care.workloads is not Workloads.EVICT:
        return ()
    return tuple(
        Evict(node=node.name, namespace=pod.namespace, name=pod.name, uid=pod.uid)
        for pod in left
        if tie_of(pod) is Tie.MOVABLE and not pod.deleting and now >= _due(work, pod.uid)
    )


def _due(work: Work, uid: str) -> float:
    last = work.asked.get(uid)
    if last is None or work.cordoned_at is None:
        return 0.0
    shortest, longest = AGAIN
    return last + min(longest, max(shortest, last - work.cordoned_at))


def _names(pods: list[Pod]) -> str:
    shown = ", ".join(pod.ref for pod in pods[:_SHOWN])
    more = len(pods) - _SHOWN
    what = "pod" if len(pods) == 1 else "pods"
    return f"{what} {shown}" + (f" and {more} more" if more > 0 else "")
