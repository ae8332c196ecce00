"""The way forward: stage after stage, each node through its gates, each stage through its soak."""

import msgspec

from bridgehead.core.plan.plan import Stage, StageKind
from bridgehead.core.plan.settings import Reaction, Workloads
from bridgehead.core.rollback.hold import see_through
from bridgehead.core.rollout.budget import startable
from bridgehead.core.rollout.clearing import to_clear
from bridgehead.core.rollout.commands import Flip, Position, Purpose, TakeOver
from bridgehead.core.rollout.decision import Decision, gate_note, note, wait
from bridgehead.core.rollout.finish import finish
from bridgehead.core.rollout.halting import (
    called_off,
    consents,
    halted,
    stay_or_leave,
    too_late,
    unapproved,
)
from bridgehead.core.rollout.merge import merged
from bridgehead.core.rollout.moving import moving
from bridgehead.core.rollout.node_pass import advance, begin
from bridgehead.core.rollout.observed import unmade, unobserved
from bridgehead.core.rollout.resuming import answered
from bridgehead.core.rollout.retesting import outdated
from bridgehead.core.rollout.run import Run, Tracks
from bridgehead.core.rollout.soaking import soak
from bridgehead.core.rollout.state import Ending, NodeState, NodeStatus
from bridgehead.core.rollout.turns import Turns, turns
from bridgehead.core.rollout.watch import (
    arrived,
    newcomers,
    on_target,
    unseen,
    watched,
)
from bridgehead.core.rollout.world import World


def forward(run: Run, world: World, tracks: Tracks, now: float) -> Decision:
    """The next step of a run that has not failed."""
    bad = run.with_status(NodeStatus.FAILED)
    if bad:
        return _react(run, bad[0])
    if (told := answered(run)) is not None:
        return told
    drifted = run.with_status(NodeStatus.STUCK)
    if drifted:
        return _stop(run, drifted[0], world, tracks, now)
    if run.state.restored:
        return finish(run, world, now)
    seen = merged(newcomers(run, world), watched(run, world, tracks, now))
    if seen.notes:
        return seen
    if (step := _stopped(run, world, tracks, now)) is not None:
        return step
    stage = run.stage
    if stage is None:
        if not run.with_status(NodeStatus.PENDING) and not run.state.working:
            step = unseen(run, world, tracks, now)
            return finish(run, world, now) if step is None else step
        stage = run.plan.stages[-1]
    return _on(run, stage, world, tracks, now)


def _stopped(run: Run, world: World, tracks: Tracks, now: float) -> Decision | None:
    """Something holds the run up as a whole: nothing begins, and what is in flight is finished."""
    halt = halted(run, now)
    if halt is None and (given := consents(run, now)):
        return Decision(notes=given)
    halt = halt or unapproved(run, now)
    if halt is None:
        return None
    if not halt.lasting and (stale := outdated(run)):
        return Decision(notes=stale)
    step = see_through(run, world, tracks, now)
    return step if step is not None else stay_or_leave(run, halt)


def _on(run: Run, stage: Stage, world: World, tracks: Tracks, now: float) -> Decision:
    """One more step of a stage; no node begins that could not be done in time."""
    if given_up := called_off(run, now):
        return Decision(notes=tuple(note("node", "cancelled", node=n.name) for n in given_up))
    waiting = turns(run, world, now)
    if waiting.notes:
        return Decision(notes=waiting.notes)
    halt = too_late(run, now) if waiting.ready else None
    if halt is not None:
        waiting = msgspec.structs.replace(waiting, ready=())
    if (tests := _restart_tests(run, stage, waiting, world, tracks, now=now)) is not None:
        return tests
    step = moving(run, world, tracks, now, due=bool(waiting.ready))
    if step is None:
        step = _deploy(run, stage, waiting, world, tracks, now=now)
    if step is not None:
        return step
    if halt is not None:
        return stay_or_leave(run, halt)
    return wait(waiting.later) if waiting.later else soak(run, stage, world, now)


def _react(run: Run, node: NodeState) -> Decision:
    """A failed canary takes everything back, a wave's node holds, unless told otherwise."""
    failed = node.failure
    if failed is None:
        return Decision(ending=Ending(exit=4, summary=f"{node.name} failed, and no gate says why"))
    stage = run.stage
    settings = run.plan.spec.on_failure
    canary = stage is not None and stage.kind is StageKind.CANARY and not run.again
    reaction = settings.canary if canary else settings.wave
    where = stage.name if stage else "the last stage"
    why = f"{node.name} failed {failed.gate.value} in {where}"
    turn = "back" if reaction is Reaction.ROLLBACK else "hold"
    return Decision(notes=(gate_note("turn", turn, failed, reason=why),))


def _stop(run: Run, node: NodeState, world: World, tracks: Tracks, now: float) -> Decision:
    """A restart test failed: what is in the gap is seen through, nothing new begins."""
    others = [item for item in run.state.working if item.work and item.work.deleted_at]
    if others:
        return merged(*(advance(run, n, world, tracks.get(n.name), now) for n in others))
    return Decision(ending=_drifted(run, node))


def _drifted(run: Run, node: NodeState) -> Ending:
    failed = node.failure
    why = f" ({failed.gate.value}: {failed.reason})" if failed else ""
    passed = len(run.with_status(NodeStatus.PASSED))
    untouched = f"{passed} nodes keep the new version" if passed else "The component is unchanged"
    return Ending(
        exit=4,
        summary=(
            f"{node.name} had drifted before the change: its current revision did not come back "
            f"after a restart{why}. {untouched}. A rollback would not help: the version that "
            "should come back is the one that fails."
        ),
        failure=failed,
        rollback_helps=False,
    )


def _restart_tests(
    run: Run, stage: Stage, waiting: Turns, world: World, tracks: Tracks, *, now: float
) -> Decision | None:
    """Canaries restart their current revision first: a node that had drifted fails here."""
    working = run.state.working
    testing = [item for item in working if item.work and item.work.purpose is Purpose.RESTART]
    untested = [
        item
        for item in waiting.ready
        if item.name in run.plan.restart_tests
        and item.name in stage.nodes
        and not item.restart_tested
        and not run.stays
    ]
    if not testing and not untested:
        return None
    if run.state.template is Position.TARGET:
        return Decision(commands=(Flip(to=Position.FORMER),))
    if run.state.taken_over and (step := unobserved(run, world, now)) is not None:
        return step
    ready = startable(run, stage, untested, tracks)
    return merged(
        *(advance(run, item, world, tracks.get(item.name), now) for item in working),
        *(begin(run, item, world, Purpose.RESTART) for item in ready),
    )


def _deploy(
    run: Run, stage: Stage, waiting: Turns, world: World, tracks: Tracks, *, now: float
) -> Decision | None:
    """The target stands only while pods of this stage are being replaced; None when none is.

    Where it moves pods it stands already, and to the end.
    """
    replacing = _replacing(run, waiting, world) or run.stays
    if replacing or run.state.taken_over:
        step = _template(run, world, now, Position.TARGET if replacing else Position.FORMER)
        if step is not None:
            return step
    moves = [advance(run, item, world, tracks.get(item.name), now) for item in run.state.working]
    starts = [_start(run, item, world) for item in startable(run, stage, waiting.ready, tracks)]
    return merged(*moves, *starts) if moves or starts else None


def _replacing(run: Run, waiting: Turns, world: World) -> bool:
    """Whether pods are being replaced, or are about to be.

    Nodes that wait for the holders of their devices, maybe for an hour, need no template yet; nor
    do those that will, so that each of them begins with nothing but its cordon.
    """
    begin_at_once = run.plan.care.workloads is Workloads.KEEP and bool(waiting.ready)
    return begin_at_once or any(
        not to_clear(run, item) and not _has_successor(run, item, world)
        for item in run.state.working
    )


def _template(run: Run, world: World, now: float, wanted: Position) -> Decision | None:
    """Make sure that the wanted template stands and is observed."""
    if not run.state.taken_over:
        return Decision(commands=(TakeOver(),))
    if (step := unobserved(run, world, now)) is not None:
        return step
    if run.state.template is not wanted:
        return Decision(commands=(Flip(to=wanted),))
    return unmade(run, world, now) if wanted is Position.TARGET else None


def _has_successor(run: Run, node: NodeState, world: World) -> bool:
    """Whether the node's new pod exists, on the target revision; it needs no template any more."""
    if node.work is None or node.work.deleted_at is None:
        return False
    pod = world.view(node.name).successor(node.work.deleted)
    return pod is not None and pod.revision == run.target_hash(world)


def _start(run: Run, node: NodeState, world: World) -> Decision:
    """Begin a change, unless the node came up on the target by itself."""
    if on_target(run, node.name, world):
        return Decision(notes=(arrived(run, node, world),))
    return begin(run, node, world, Purpose.CHANGE)
