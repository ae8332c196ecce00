"""Someone else wrote the component: the run stops and says who, without overwriting anything."""

from bridgehead.core.model.component import Component
from bridgehead.core.rollout.adopting import stray, unprotected
from bridgehead.core.rollout.commands import Flip, Position, TakeOver
from bridgehead.core.rollout.decision import Decision
from bridgehead.core.rollout.gone import gone
from bridgehead.core.rollout.kept import kept_text
from bridgehead.core.rollout.noticing import MANAGER
from bridgehead.core.rollout.run import Run
from bridgehead.core.rollout.state import Ending, Mode
from bridgehead.core.rollout.world import World

SHOWN = 20
"""Nodes that are named of each revision: a record is to stay short, and `status` lists all."""


def foreign(run: Run, world: World, now: float) -> Decision | None:
    """What is done where component or record are not as this run left them; None where they are.

    A generation that is not ours is a foreign change whatever the template holds: an undo while
    the former template is parked puts the *target* in.
    """
    if (departed := gone(run, world, now)) is not None:
        return departed
    component = world.component
    if component is None:
        return None
    if world.record and not run.state.let_go:
        return _unrecorded(run, world)
    if world.unread and not run.state.let_go and run.state.mode is not Mode.BACK:
        return _unasked(run, world)
    if run.state.let_go or component.generation < run.state.generation:
        return None  # let go, or seen as it was before our own last write
    lost = unprotected(run, component)
    ours = component.generation <= run.state.generation
    if ours and not lost:
        return None
    if lost and run.standing(world) is Position.TARGET and run.plan.parks:
        return Decision(commands=(Flip(to=Position.FORMER, protects=True),))
    if ours and run.state.retakes and run.standing(world) is not None:
        return Decision(commands=(TakeOver(instead_of=component.strategy),))
    return Decision(ending=_changed(run, world, component))


def _unrecorded(run: Run, world: World) -> Decision:
    """The run's own record is not what it was: another runner could not go on, or go on wrongly.

    The former template is parked as before any ending that leaves the run open, and nothing else is
    begun.
    """
    if run.exposed:
        return Decision(commands=(Flip(to=Position.FORMER),))
    ref = run.plan.spec.component
    return Decision(
        ending=Ending(
            exit=4,
            summary=(
                f"{world.record}: nobody can go on with this run. Its nodes were left as they "
                f"are.{kept_text(run, world)} Give back what it holds: bridgehead release {ref}"
            ),
            rollback_helps=False,
            given_up=True,
        )
    )


def _unasked(run: Run, world: World) -> Decision:
    """Nobody knows what was asked there, so nothing goes on; the way back needs none of it."""
    if run.exposed:
        return Decision(commands=(Flip(to=Position.FORMER),))
    summary = (
        f"{world.unread}. What was asked there is not known, so nothing goes on. Take that line "
        f"out (kubectl edit), then go on; a rollback needs none of it.{kept_text(run, world)}"
    )
    return Decision(ending=Ending(exit=4, summary=summary))


def _changed(run: Run, world: World, component: Component) -> Ending:
    last = component.last_manager(other_than=MANAGER)
    who = f" by {last}" if last else ""
    return Ending(
        exit=4,
        summary=(
            f"{component.ref} was changed{who} while this run held it{_told(run, component)}; its "
            f"template is {_standing(run, world)}, its strategy {component.strategy_type}."
            f"{_carried(run, world)}{kept_text(run, world)}"
        ),
        rollback_helps=None,
        stray=stray(run, component, world),
    )


def _told(run: Run, component: Component) -> str:
    """Which write betrayed it, and whether the former template had to be put back."""
    expected = run.state.generation
    if run.state.put_back:
        return ". The former template was put back, as pods were about to be replaced unwatched"
    if component.generation <= expected:
        return ". The new template was left standing, as to put the former one back moves pods"
    return f" (generation {component.generation}, expected {expected}). Nothing was overwritten"


def _standing(run: Run, world: World) -> str:
    match run.standing(world):
        case Position.FORMER:
            return "the former one"
        case Position.TARGET:
            return "the target"
        case None:
            return "neither the former one nor the target"


def _carried(run: Run, world: World) -> str:
    """Which revision's pods run on which nodes."""
    names: dict[str, list[str]] = {}
    for node, pods in sorted(world.pods.items()):
        for found in sorted(
            {pod.revision for pod in pods if not pod.terminal and not pod.deleting}
        ):
            names.setdefault(found, []).append(node)
    known = {run.target_hash(world): " (the new version)", run.former_hash(world): " (the former)"}
    groups = [
        f"{_some(nodes)} -> {found}{known.get(found, '')}"
        for found, nodes in names.items()
        if found
    ]
    return f" Its pods: {'; '.join(groups)}." if groups else ""


def _some(nodes: list[str]) -> str:
    more = f" and {len(nodes) - SHOWN} more" if len(nodes) > SHOWN else ""
    return f"{', '.join(nodes[:SHOWN])}{more}"
