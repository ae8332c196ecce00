"""A change of placement: the one flip in, and what moves with it, before any other node's turn.

The controller judges placement by the template that stands, so this template is never parked. Nodes
that lose the component are kept clear of pods before it is written; those that gain it come up on
the target by themselves and are the first to be judged.
"""

from bridgehead.core.inventory.placement import misfit
from bridgehead.core.plan.plan import Placement
from bridgehead.core.rollout.commands import Flip, Position, Purpose, TakeOver
from bridgehead.core.rollout.decision import Decision, gate_note, note, wait
from bridgehead.core.rollout.losing import kept_from
from bridgehead.core.rollout.merge import merged
from bridgehead.core.rollout.node_pass import advance, begin
from bridgehead.core.rollout.observed import unmade, unobserved
from bridgehead.core.rollout.run import Run, Tracks
from bridgehead.core.rollout.state import NodeState, NodeStatus
from bridgehead.core.rollout.watch import arrived, on_target
from bridgehead.core.rollout.world import World
from bridgehead.core.verify.result import GateId, Question, Verdict


def moving(run: Run, world: World, tracks: Tracks, now: float, *, due: bool) -> Decision | None:
    """The next step of the move; None where the change moves nothing, or all of it has settled.

    ``due`` says whether a node is ready to be changed: without one the move does not begin.
    """
    if run.plan.parks:
        return None
    if run.state.template is Position.FORMER:
        begun = any(item.work for item in _losing(run, world))
        return _enter(run, world, now) if due or begun else None
    if (step := unobserved(run, world, now)) is not None:
        return step
    if (step := unmade(run, world, now)) is not None:
        return step
    return _settle(run, world, tracks, now)


def _enter(run: Run, world: World, now: float) -> Decision:
    """Write the target once nobody holds a device that is about to go."""
    if not run.state.taken_over:
        return Decision(commands=(TakeOver(),))
    if (step := unobserved(run, world, now)) is not None:
        return step
    losing = _losing(run, world)
    known = {item.name: kept_from(run, item, world, now) for item in losing}
    against = [why for why in known.values() if why] or _unplanned(run, world)
    if against:
        reason = f"the component cannot be moved now: {'; '.join(against)}"
        return Decision(notes=(note("turn", "back", detail={"reason": reason}),))
    fresh = [item for item in losing if item.work is None]
    if fresh:
        return merged(*(begin(run, item, world, Purpose.LOSE) for item in fresh))
    open_ones = [name for name, why in known.items() if why is None]
    if open_ones:
        return wait(f"{', '.join(open_ones)}: waits until no pod is on its way to it")
    return Decision(commands=(Flip(to=Position.TARGET),))


def _unplanned(run: Run, world: World) -> list[str]:
    """Nodes that the target would move as well, by labels or taints that are newer than the plan.

    Consent was given to the lists of the plan, and nobody looked whether their devices are held.
    """
    placement = run.plan.placement or Placement()
    former, target = run.plan.former_template, run.plan.target_template
    found = []
    for name, node in sorted(world.nodes.items()):
        had, has = not misfit(former, node), not misfit(target, node)
        if had and not has and name not in placement.loses:
            found.append(f"{name} would lose it, which is not in the plan: plan again")
        if has and not had and name not in placement.gains:
            found.append(f"{name} would gain it, which is not in the plan: plan again")
    return found


def _losing(run: Run, world: World) -> list[NodeState]:
    """Nodes that are to lose the component and have it still."""
    found = (run.state.node(name) for name in run.plan.loses if name in world.nodes)
    return [item for item in found if item.status is NodeStatus.PENDING]


def _settle(run: Run, world: World, tracks: Tracks, now: float) -> Decision | None:
    """See through what the target has moved; the nodes that it stays on wait until then."""
    losing = [item for item in _losing(run, world) if item.work is not None]
    gaining = [
        item
        for item in map(run.state.node, run.plan.gains)
        if item.status is NodeStatus.PENDING and item.name in world.nodes
    ]
    if not losing and not gaining:
        return None
    return merged(
        *(advance(run, item, world, None, now) for item in losing),
        *(_gain(run, item, world, tracks, now) for item in gaining),
    )


def _gain(run: Run, node: NodeState, world: World, tracks: Tracks, now: float) -> Decision:
    """An unplanned canary, but for that its pod is awaited: without one nothing would be judged."""
    if node.work is not None:
        return advance(run, node, world, tracks.get(node.name), now)
    ready = world.nodes[node.name].ready is True
    if ready and on_target(run, node.name, world):
        return Decision(notes=(arrived(run, node, world),))
    patience = run.plan.timing.timeout
    if now < max(run.state.written_at, node.retried_at, world.seen_since) + patience:
        return wait(f"{node.name}: waits for a pod of the component")
    if not ready:
        detail = {"reason": "NotReady since the component was to come to it"}
        return Decision(notes=(note("node", "set-aside", node=node.name, detail=detail),))
    ask = Question(GateId.ADMITTED, node.name, "a pod of the component", now)
    answer = ask.answer(Verdict.FAIL, "no pod", f"none came within {patience:g} s")
    return Decision(notes=(gate_note("node", "failed", answer, purpose="change"),))
