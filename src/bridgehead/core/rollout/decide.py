"""THE decision: from a run and the cluster as it is seen to what is done next. Pure.

Called over and over by one loop; forward, resume and rollback are the same calls. It never assumes
that an earlier decision was carried out: it looks.
"""

from bridgehead.core.journal.entry import Draft, Phase
from bridgehead.core.model.json import JsonObject
from bridgehead.core.rollback.back import back
from bridgehead.core.rollback.hold import hold
from bridgehead.core.rollout.commands import (
    CreateOwnPod,
    DeleteOwnPod,
    Flip,
    Position,
    Uncordon,
    key,
)
from bridgehead.core.rollout.decision import Decision, wait
from bridgehead.core.rollout.foreign import foreign
from bridgehead.core.rollout.forward import forward
from bridgehead.core.rollout.lookup import happened
from bridgehead.core.rollout.node_probe import sorted_roles
from bridgehead.core.rollout.preflight import preflight
from bridgehead.core.rollout.run import Run, Tracks
from bridgehead.core.rollout.state import Mode, NodeState, NodeStatus
from bridgehead.core.rollout.transition import DONE, LAPSED
from bridgehead.core.rollout.world import World

KEPT_CORDONED = frozenset({NodeStatus.STUCK, NodeStatus.FAILED})
"""Nodes that stay out of scheduling: their devices are not proven."""


def decide(run: Run, world: World, tracks: Tracks, now: float) -> Decision:
    """The next step of a run."""
    if world.stale:
        return wait(f"{world.stale} is not up to date")
    if run.state.pending:
        return _look_up(run, world)
    if run.state.mode is Mode.ENDED:
        return Decision(ending=run.state.ending)
    stop = foreign(run, world)
    if stop is not None:
        return stop
    tidy = _tidy(run, world)
    if tidy.commands:
        return tidy
    match run.state.mode:
        case Mode.PREFLIGHT:
            return preflight(run, world, now)
        case Mode.FORWARD:
            return forward(run, world, tracks, now)
        case Mode.BACK:
            return back(run, world, tracks, now)
        case Mode.HOLD:
            return hold(run, world, tracks, now)


def interrupted(run: Run) -> Decision:
    """What must be done before a runner leaves: the former template is parked, no more."""
    if run.state.taken_over and run.state.template is Position.TARGET and run.stage is not None:
        return Decision(commands=(Flip(to=Position.FORMER),))
    return Decision()


def _look_up(run: Run, world: World) -> Decision:
    """A runner died between intent and outcome: the cluster knows whether the effect is there."""
    return Decision(
        notes=tuple(
            outcome(key(command), DONE if done else LAPSED, _generation(world))
            for command in run.state.pending.values()
            for done in (happened(command, run, world),)
        )
    )


def _generation(world: World) -> JsonObject:
    return {"generation": world.component.generation} if world.component else {}


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


def _tidy(run: Run, world: World) -> Decision:
    """Give back what nobody works on any more: our cordons and our pods."""
    idle = [node for node in run.state.nodes.values() if node.work is None]
    return Decision(
        commands=tuple(command for node in idle for command in _give_back(run, node, world))
    )


def _give_back(
    run: Run, node: NodeState, world: World
) -> tuple[Uncordon | CreateOwnPod | DeleteOwnPod, ...]:
    pulling = run.state.mode is Mode.PREFLIGHT
    pods = (
        ()
        if pulling
        else tuple(DeleteOwnPod(node=node.name, role=role) for role in sorted_roles(node))
    )
    held = node.held and node.status not in KEPT_CORDONED and node.name in world.nodes
    return (*pods, Uncordon(node=node.name)) if held else pods
