"""THE decision: from a run and the cluster as it is seen to what is done next. Pure.

Called over and over by one loop; forward, resume and rollback are the same calls. It never assumes
that an earlier decision was carried out: it looks.
"""

from collections.abc import Iterable

from bridgehead.core.journal.entry import Draft, Phase
from bridgehead.core.model.json import JsonObject
from bridgehead.core.rollback.back import back
from bridgehead.core.rollback.hold import hold
from bridgehead.core.rollback.order import to_take_back
from bridgehead.core.rollout.asked import unheard
from bridgehead.core.rollout.clearing import keeps_cordon
from bridgehead.core.rollout.commands import (
    DeleteOwnPod,
    Flip,
    Position,
    Uncordon,
    key,
)
from bridgehead.core.rollout.decision import Decision, note, wait
from bridgehead.core.rollout.disowned import disowned
from bridgehead.core.rollout.foreign import foreign
from bridgehead.core.rollout.forward import forward
from bridgehead.core.rollout.kept import telling
from bridgehead.core.rollout.lookup import happened
from bridgehead.core.rollout.node_probe import sorted_roles
from bridgehead.core.rollout.noticing import noticed
from bridgehead.core.rollout.preflight import preflight
from bridgehead.core.rollout.renewed import renewed
from bridgehead.core.rollout.run import Run, Tracks
from bridgehead.core.rollout.state import Mode, NodeState, NodeStatus
from bridgehead.core.rollout.transition import DONE, LAPSED
from bridgehead.core.rollout.world import World

KEPT_CORDONED = frozenset({NodeStatus.STUCK, NodeStatus.FAILED})
"""Nodes that stay out of scheduling: their devices are not proven."""


def decide(run: Run, world: World, tracks: Tracks, now: float) -> Decision:
    """The next step of a run."""
    if run.state.mode is Mode.ENDED:
        return Decision(ending=run.state.ending)
    if heard := unheard(run, world):
        return Decision(notes=heard)
    if world.stale:
        return wait(f"{world.stale} is not up to date")
    if run.state.pending:
        return _look_up(run, world)
    step = (
        foreign(run, world, now)
        or renewed(run, world)
        or disowned(run, world)
        or noticed(run, world)
        or _tidy(run, world)
        or _step(run, world, tracks, now)
    )
    if step.ending is not None and (first := _leave(run) or _tidy(run, world, leaving=True)):
        return first
    return telling(run, world, step)


def _step(run: Run, world: World, tracks: Tracks, now: float) -> Decision:
    match run.state.mode:
        case Mode.PREFLIGHT:
            return preflight(run, world, tracks, now)
        case Mode.FORWARD:
            return forward(run, world, tracks, now)
        case Mode.BACK:
            return back(run, world, tracks, now)
        case Mode.HOLD:
            return hold(run, world, tracks, now)
        case Mode.ENDED:
            return Decision(ending=run.state.ending)


def interrupted(run: Run) -> Decision:
    """What must be done before a runner leaves: the former template is parked, no more."""
    return Decision(commands=(Flip(to=Position.FORMER),)) if run.exposed else Decision()


def _look_up(run: Run, world: World) -> Decision:
    """A runner died between intent and outcome: the cluster knows whether the effect is there."""
    return Decision(
        notes=tuple(
            outcome(key(command), DONE if done else LAPSED, _generation(run, world))
            for command in run.state.pending.values()
            for done in (happened(command, run, world),)
        )
    )


def _generation(run: Run, world: World) -> JsonObject:
    """What our write can have returned: it raises the generation by one, or not at all.

    Anything above that is somebody else's write, which must not pass for ours.
    """
    if world.component is None:
        return {}
    return {"generation": min(world.component.generation, run.state.generation + 1)}


def outcome(name: str, result: str, detail: JsonObject) -> Draft:
    """The record that follows a command: ``name`` is the command's key."""
    step, node, _ = name.split("/")
    return Draft(
        step=step,
        phase=Phase.OUTCOME,
        node=node,
        result=result,
        detail={**detail, "key": name},
    )


def _tidy(run: Run, world: World, *, leaving: bool = False) -> Decision:
    """Give back what nobody works on any more: our cordons and our pods.

    A node that is to be taken back stays cordoned until then, and so does one whose holders were
    waited for until it is changed; a runner that leaves keeps the cordon only where the target has
    not passed.
    """
    going_back = to_take_back(run, world) if run.state.mode is Mode.BACK else ()
    kept = {node.name for node in going_back if not (leaving and node.status is NodeStatus.PASSED)}
    if run.state.mode is Mode.FORWARD and not leaving:
        kept |= {node.name for node in run.state.nodes.values() if keeps_cordon(run, node)}
    idle = [node for node in run.state.nodes.values() if node.work is None]
    pulling = run.state.mode is Mode.PREFLIGHT
    return Decision(
        commands=(
            *(() if pulling else _pods_of(idle)),
            *(
                Uncordon(node=node.name, leave=node.disowned)
                for node in idle
                if node.held
                and node.status not in KEPT_CORDONED
                and not node.unsound
                and node.name in world.nodes
                and node.name not in kept
            ),
        )
    )


def _leave(run: Run) -> Decision:
    """Before any ending: no pod of ours stays, and a pass that has deleted nothing is called off.

    Nodes whose pod was deleted and not proven stay cordoned; the ending or `status` names them.
    """
    nodes = run.state.nodes.values()
    begun = [node for node in nodes if node.work is not None and node.work.deleted_at is None]
    return Decision(
        notes=tuple(note("node", "cancelled", node=node.name) for node in begun),
        commands=_pods_of(nodes),
    )


def _pods_of(nodes: Iterable[NodeState]) -> tuple[DeleteOwnPod, ...]:
    return tuple(
        DeleteOwnPod(node=node.name, role=role) for node in nodes for role in sorted_roles(node)
    )
