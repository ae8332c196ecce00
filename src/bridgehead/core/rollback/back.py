"""The way back: the former template first, then every node that the target reached."""

from bridgehead.core.rollback.elsewhere import holder_of, wait_for
from bridgehead.core.rollback.order import gained, gone_since, moved_back, to_take_back
from bridgehead.core.rollout.budget import startable
from bridgehead.core.rollout.commands import Flip, LetGo, Position, Purpose, TakeOver
from bridgehead.core.rollout.decision import Decision, note, wait
from bridgehead.core.rollout.finish import close
from bridgehead.core.rollout.merge import merged
from bridgehead.core.rollout.node_pass import advance, begin
from bridgehead.core.rollout.observed import unobserved
from bridgehead.core.rollout.run import Run, Tracks
from bridgehead.core.rollout.state import Ending, NodeState, NodeStatus
from bridgehead.core.rollout.world import World

_QUEUED = "nodes wait for their turn to be taken back"


def back(run: Run, world: World, tracks: Tracks, now: float) -> Decision:
    """The next step of a run that takes back what it touched."""
    step = park(run, world, now)
    if step is not None:
        return step
    working, waiting = run.state.working, to_take_back(run, world)
    if (working or waiting) and not run.state.restored:
        settled = [_settle(run, item, world, tracks, now) for item in working]
        free = tuple(item for item in waiting if not holder_of(run, item, world))
        starts = _take_back(run, free, world, tracks)
        if settled or starts:
            return merged(*settled, *starts)
        elsewhere = None if free else wait_for(run, waiting, world, now)
        return wait(_QUEUED) if elsewhere is None else elsewhere
    if (notes := moved_back(run, world)) and not run.state.restored:
        return Decision(notes=notes)
    every = [item for item in run.state.nodes.values() if item.name in world.nodes]
    stuck = [item for item in every if item.status is NodeStatus.STUCK or item.unsound]
    if stuck:
        return Decision(ending=_stuck(run, stuck))
    step = close(run, world, now, keep=run.former_hash(world))
    return step if step is not None else Decision(ending=_restored(run, world))


def park(run: Run, world: World, now: float) -> Decision | None:
    """Make sure that the former template stands and is observed, before anything else."""
    state = run.state
    if state.template is Position.FORMER:
        return unobserved(run, world, now) if state.taken_over else None
    if state.let_go:
        return _too_late(run, world)
    if state.restored:
        # With the former strategy back, the controller would replace every pod by itself at once.
        return Decision(commands=(TakeOver(),))
    return Decision(commands=(Flip(to=Position.FORMER),))


def _too_late(run: Run, world: World) -> Decision:
    """The target stands and the component is anybody's: only a new run may change it again."""
    component = world.component
    if component is not None and f"/{run.name}/" in component.anchor:
        return Decision(commands=(LetGo(),))
    passed = len(run.with_status(NodeStatus.PASSED))
    return Decision(
        ending=Ending(
            exit=0,
            summary=(
                f"{passed} nodes run the new version; the run had let the component go before it "
                "was to be taken back, so nothing was: `bridgehead rollback` begins a run for that"
            ),
            rollback_helps=True,
        )
    )


def _settle(run: Run, node: NodeState, world: World, tracks: Tracks, now: float) -> Decision:
    """End what is in flight: cancel what has not begun, let come up what has no pod yet."""
    work = node.work
    if work is None:
        return Decision()
    if work.deleted_at is None:
        if work.purpose is Purpose.TAKE_BACK:
            return advance(run, node, world, tracks.get(node.name), now)
        return Decision(notes=(note("node", "cancelled", node=node.name),))
    if node.name in gained(run):
        return Decision(notes=(note("node", "abandoned", node=node.name),))
    pod = world.view(node.name).successor(work.deleted)
    on_target = pod is not None and pod.revision == run.target_hash(world)
    if work.purpose is Purpose.CHANGE and on_target:
        return Decision(notes=(note("node", "abandoned", node=node.name),))
    return advance(run, node, world, tracks.get(node.name), now)


def _take_back(
    run: Run, waiting: tuple[NodeState, ...], world: World, tracks: Tracks
) -> list[Decision]:
    """Failed nodes at once, healthy ones newest first and no more at a time than forward."""
    furthest = max(run.state.stage, run.state.reached)
    stage = run.plan.stages[min(furthest, len(run.plan.stages) - 1)]
    urgent = [item for item in waiting if item.status is NodeStatus.FAILED]
    calm = [item for item in waiting if item.status is not NodeStatus.FAILED]
    chosen = urgent or startable(run, stage, calm, tracks)
    return [begin(run, item, world, Purpose.TAKE_BACK) for item in chosen]


def _stuck(run: Run, stuck: list[NodeState]) -> Ending:
    names = ", ".join(item.name for item in stuck)
    failed = stuck[0].failure
    why = f" ({failed.gate.value}: {failed.reason})" if failed else ""
    return Ending(
        exit=4,
        summary=(
            f"the former version does not come back on {names}{why}. The former template stands; "
            "every other node is back. What keeps it from coming back is on the node now; the new "
            "version may have left it so."
        ),
        failure=run.state.failure or failed,
        rollback_helps=False,
    )


def _restored(run: Run, world: World) -> Ending:
    if run.state.refused:
        return Ending(
            exit=1,
            summary=f"preflight refused the change: {run.state.turned_for}. Nothing was changed.",
            failure=run.state.failure,
        )
    back_again = [
        item.name for item in run.state.nodes.values() if item.status is NodeStatus.TAKEN_BACK
    ]
    nodes = ", ".join(back_again) if back_again else "no node had taken it on"
    away = gone_since(run, world)
    rest = f"; gone since it failed: {', '.join(away)}" if away else ""
    return Ending(
        exit=3,
        summary=f"{run.state.turned_for}; the former version is back and verified ({nodes}){rest}",
        failure=run.state.failure,
        rollback_helps=True,
    )
