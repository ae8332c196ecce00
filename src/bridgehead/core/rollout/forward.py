"""The way forward: stage after stage, each node through its gates, each stage through its soak."""

from bridgehead.core.plan.plan import Stage, StageKind
from bridgehead.core.plan.settings import Reaction
from bridgehead.core.rollout.budget import startable
from bridgehead.core.rollout.commands import Flip, Position, Purpose, TakeOver
from bridgehead.core.rollout.decision import Decision, gate_note, note, wait
from bridgehead.core.rollout.finish import finish
from bridgehead.core.rollout.merge import merged
from bridgehead.core.rollout.node_pass import advance, begin
from bridgehead.core.rollout.run import Run, Tracks
from bridgehead.core.rollout.state import Ending, NodeState, NodeStatus
from bridgehead.core.rollout.watch import newcomers, watched
from bridgehead.core.rollout.world import World
from bridgehead.core.verify.result import GateResult


def forward(run: Run, world: World, tracks: Tracks, now: float) -> Decision:
    """The next step of a run that has not failed."""
    stage = run.stage
    bad = run.with_status(NodeStatus.FAILED, NodeStatus.STUCK)
    if bad:
        return _react(run, bad, world, tracks, now)
    if run.state.restored:
        return finish(run, world)
    seen = merged(newcomers(run, world), watched(run, world, tracks, now))
    if seen.notes:
        return seen
    if stage is None:
        if not run.with_status(NodeStatus.PENDING) and not run.state.working:
            return finish(run, world)
        stage = run.plan.stages[-1]
    if (tests := _restart_tests(run, stage, world, tracks, now)) is not None:
        return tests
    return _deploy(run, stage, world, tracks, now)


def _react(
    run: Run, bad: tuple[NodeState, ...], world: World, tracks: Tracks, now: float
) -> Decision:
    """A failed canary takes everything back, a wave's node holds, unless told otherwise."""
    node = bad[0]
    failed = node.failure
    if failed is None:
        return Decision(ending=Ending(exit=4, summary=f"{node.name} failed, and no gate says why"))
    if node.status is NodeStatus.STUCK:
        others = run.state.working
        if others:
            return merged(*(advance(run, n, world, tracks.get(n.name), now) for n in others))
        return Decision(ending=_drifted(node, failed))
    stage = run.stage
    settings = run.plan.spec.on_failure
    canary = stage is not None and stage.kind is StageKind.CANARY
    reaction = settings.canary if canary else settings.wave
    where = stage.name if stage else "the last stage"
    why = f"{node.name} failed {failed.gate.value} in {where}"
    turn = "back" if reaction is Reaction.ROLLBACK else "hold"
    return Decision(notes=(gate_note("turn", turn, failed, reason=why),))


def _drifted(node: NodeState, failed: GateResult) -> Ending:
    return Ending(
        exit=4,
        summary=(
            f"{node.name} had drifted before the change: its current revision did not come back "
            f"after a restart ({failed.gate.value}: {failed.reason}). The component is unchanged. "
            "A rollback would not help: the version that should come back is the one that fails."
        ),
        failure=failed,
        rollback_helps=False,
    )


def _restart_tests(
    run: Run, stage: Stage, world: World, tracks: Tracks, now: float
) -> Decision | None:
    """Canaries restart their current revision first: a node that had drifted fails here."""
    testing = [
        item
        for item in run.state.working
        if item.work is not None and item.work.purpose is Purpose.RESTART
    ]
    if testing:
        return merged(*(advance(run, item, world, tracks.get(item.name), now) for item in testing))
    untested = [
        item
        for item in run.with_status(NodeStatus.PENDING)
        if item.name in run.plan.restart_tests
        and item.name in stage.nodes
        and not item.restart_tested
        and item.work is None
    ]
    if not untested:
        return None
    ready = startable(run, stage, untested, tracks)
    return merged(*(begin(run, item, world, Purpose.RESTART) for item in ready))


def _deploy(run: Run, stage: Stage, world: World, tracks: Tracks, now: float) -> Decision:
    """The target stands only while pods of this stage are being replaced."""
    waiting = [item for item in run.with_status(NodeStatus.PENDING) if item.work is None]
    changing = [item for item in run.state.working if not _has_successor(run, item, world)]
    if not run.state.taken_over:
        return Decision(commands=(TakeOver(),))
    if not run.observed(world):
        return wait("the DaemonSet controller has not seen the last change yet")
    wanted = Position.TARGET if waiting or changing else Position.FORMER
    if run.state.template is not wanted:
        return Decision(commands=(Flip(to=wanted),))
    if wanted is Position.TARGET and not run.target_hash(world):
        return wait("the DaemonSet controller has not made the target revision yet")
    moves = [advance(run, item, world, tracks.get(item.name), now) for item in run.state.working]
    free = [item for item in waiting if not _holder(run, item, world)]
    starts = [_start(run, item, world) for item in startable(run, stage, free, tracks)]
    if moves or starts:
        return merged(*moves, *starts)
    if waiting:
        return _held_elsewhere(run, waiting, world)
    return _soak(run, stage, now)


def _holder(run: Run, node: NodeState, world: World) -> str:
    """Another run that holds the node; empty where none does."""
    seen = world.nodes.get(node.name)
    holder = seen.held_by if seen else ""
    return "" if holder == run.name else holder


def _held_elsewhere(run: Run, waiting: list[NodeState], world: World) -> Decision:
    """Only nodes that another run holds are left: they are set aside, naming that run."""
    notes = [
        note("node", "set-aside", node=item.name, detail={"reason": f"held by run {holder}"})
        for item in waiting
        if (holder := _holder(run, item, world))
    ]
    return Decision(notes=tuple(notes), waiting_for="nodes of this stage wait for their turn")


def _has_successor(run: Run, node: NodeState, world: World) -> bool:
    """Whether the node's new pod exists, on the target revision; it needs no template any more."""
    if node.work is None or node.work.deleted_at is None:
        return False
    view = world.view(node.name)
    pod = view.successor(node.work.deleted)
    return pod is not None and pod.revision == run.target_hash(world)


def _start(run: Run, node: NodeState, world: World) -> Decision:
    """Begin a change, unless the node came up on the target by itself or is not there to change."""
    seen = world.nodes.get(node.name)
    if seen is None:
        return Decision(notes=(note("node", "left", node=node.name),))
    if seen.ready is not True:
        detail = {"reason": "it became NotReady before its turn"}
        return Decision(notes=(note("node", "set-aside", node=node.name, detail=detail),))
    pod = world.view(node.name).successor(frozenset())
    if pod is not None and pod.revision == run.target_hash(world):
        return Decision(notes=(note("node", "arrived", node=node.name),))
    return begin(run, node, world, Purpose.CHANGE)


def _soak(run: Run, stage: Stage, now: float) -> Decision:
    """All nodes passed and the former template is parked: watch them before going on."""
    since = run.state.soak_since
    if since is None:
        detail = {"seconds": stage.soak}
        return Decision(notes=(note("stage", "soaking", detail={"stage": stage.name, **detail}),))
    left = since + stage.soak - now
    if left > 0:
        return wait(f"{stage.name} soaks for {left:.0f} s more")
    return Decision(notes=(note("stage", "passed", detail={"stage": stage.name}),))
