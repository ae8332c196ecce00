"""How many nodes may be without their plugin, or on an unproven version, at a time."""

from collections.abc import Iterable

from bridgehead.core.plan.plan import Stage
from bridgehead.core.rollout.commands import Purpose
from bridgehead.core.rollout.run import Run, Tracks
from bridgehead.core.rollout.state import NodeState, RunState

COHORT_SHARE = 4
"""At most a quarter of a cohort, and at least one node of it, is in the gap at a time."""


def in_gap(node: NodeState, tracks: Tracks) -> bool:
    """Whether the node's devices are away: from the start of its pass to its first good look."""
    if node.work is None:
        return False
    track = tracks.get(node.name)
    return track is None or track.deleted != node.work.deleted or not track.good


def came_up(state: RunState, node: NodeState) -> bool:
    """Whether a new node came up on the target by itself: this run took no device away there.

    It takes no place in the gap, but is as unproven as any other.
    """
    return node.name in state.joined and node.work is not None and not node.work.deleted


def startable(
    run: Run, stage: Stage, candidates: Iterable[NodeState], tracks: Tracks
) -> tuple[NodeState, ...]:
    """Those of the candidates, in order, that may begin now under all limits."""
    gap = [
        item for item in run.state.working if in_gap(item, tracks) and not came_up(run.state, item)
    ]
    free = stage.parallel - len(gap)
    unproven = [
        item
        for item in run.state.working
        if item.work is not None and item.work.purpose is Purpose.CHANGE
    ]
    spare = stage.unproven - len(unproven)
    busy: dict[str, int] = {}
    for item in gap:
        name = _cohort(run, item.name)
        busy[name] = busy.get(name, 0) + 1
    chosen: list[NodeState] = []
    for node in candidates:
        if len(chosen) >= min(free, spare):
            break
        name = _cohort(run, node.name)
        if busy.get(name, 0) < _cohort_limit(run, node.name):
            busy[name] = busy.get(name, 0) + 1
            chosen.append(node)
    return tuple(chosen)


def _cohort(run: Run, node: str) -> str:
    cohort = run.plan.cohort_of(node)
    return cohort.name if cohort else ""


def _cohort_limit(run: Run, node: str) -> int:
    cohort = run.plan.cohort_of(node)
    return max(1, len(cohort.nodes) // COHORT_SHARE) if cohort else 1
