"""Holding after a failure in a wave: nothing new begins, the failing nodes alone go back."""

from bridgehead.core.rollback.back import park
from bridgehead.core.rollback.elsewhere import holder_of, wait_for
from bridgehead.core.rollback.order import gone_since, to_take_back
from bridgehead.core.rollout.commands import Purpose
from bridgehead.core.rollout.decision import Decision, note
from bridgehead.core.rollout.merge import merged
from bridgehead.core.rollout.node_pass import advance, begin
from bridgehead.core.rollout.observed import unobserved
from bridgehead.core.rollout.resuming import answered, unfinished
from bridgehead.core.rollout.run import Run, Tracks
from bridgehead.core.rollout.state import Ending, NodeState, NodeStatus
from bridgehead.core.rollout.world import World


def hold(run: Run, world: World, tracks: Tracks, now: float) -> Decision:
    """Finish the nodes in flight, take back the failing ones, and stop for a person."""
    step = see_through(run, world, tracks, now)
    if step is not None:
        return step
    failed = [item for item in to_take_back(run, world) if item.status is NodeStatus.FAILED]
    if not run.plan.parks:
        failed = _out_in_the_open(run, world)
        if failed:
            return merged(*(begin(run, item, world, Purpose.ISOLATE) for item in failed))
    elif free := [item for item in failed if not holder_of(run, item, world)]:
        return merged(*(begin(run, item, world, Purpose.TAKE_BACK) for item in free))
    elif (elsewhere := wait_for(run, failed, world, now)) is not None:
        return elsewhere
    step = answered(run)
    return step if step is not None else Decision(ending=_held(run, world))


def see_through(run: Run, world: World, tracks: Tracks, now: float) -> Decision | None:
    """Begin nothing: the former template is parked, what is in flight finished; None when done."""
    step = park(run, world, now) if run.plan.parks else _standing(run, world, now)
    if step is not None:
        return step
    working = run.state.working
    if not working:
        return None
    return merged(*(_finish(run, item, world, tracks, now) for item in working))


def _standing(run: Run, world: World, now: float) -> Decision | None:
    """A target that moves pods is not parked: what was written last must be observed, no more."""
    return unobserved(run, world, now) if run.state.taken_over else None


def _out_in_the_open(run: Run, world: World) -> list[NodeState]:
    """Failed nodes that take pods: they cannot be taken back alone, so they are cordoned."""
    return [
        item
        for item in run.state.nodes.values()
        if item.status is NodeStatus.FAILED and not item.held and item.name in world.nodes
    ]


def _finish(run: Run, node: NodeState, world: World, tracks: Tracks, now: float) -> Decision:
    """A node that still has its old pod is left alone; one in the gap is seen through."""
    work = node.work
    forward = work is not None and work.purpose is not Purpose.TAKE_BACK
    if forward and work is not None and work.deleted_at is None:
        return Decision(notes=(note("node", "cancelled", node=node.name),))
    return advance(run, node, world, tracks.get(node.name), now)


def _for_newcomers(run: Run) -> str:
    if run.stays:
        return (
            "The NEW template stands, as to put the former one back would move pods: newcomers get "
            "the new version."
        )
    return "The former template is parked for newcomers."


def _held(run: Run, world: World) -> Ending:
    """What became of each node; those that left the cluster meanwhile are told as gone, no more."""
    states = [item for item in run.state.nodes.values() if item.name in world.nodes]
    passed = sum(item.status is NodeStatus.PASSED for item in states)
    taken_back = [item.name for item in states if item.status is NodeStatus.TAKEN_BACK]
    stuck = [item.name for item in states if item.status is NodeStatus.STUCK]
    parts = [f"{run.state.turned_for}", f"{passed} nodes keep the new version"]
    if taken_back:
        parts.append(f"taken back and verified: {', '.join(taken_back)}")
    if stuck:
        parts.append(f"does not come back on the former version either: {', '.join(stuck)}")
    failed = [item.name for item in states if item.status is NodeStatus.FAILED]
    if failed:
        parts.append(f"not taken back alone: {', '.join(failed)}")
    if away := gone_since(run, world):
        parts.append(f"gone since it failed: {', '.join(away)}")
    if open_question := unfinished(run):
        parts.append(open_question)
    return Ending(
        exit=4,
        summary=f"{'; '.join(parts)}. {_for_newcomers(run)}",
        failure=run.state.failure,
        rollback_helps=True,
    )
