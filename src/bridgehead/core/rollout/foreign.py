"""Someone else wrote the component: the run stops and says who, without overwriting anything."""

from bridgehead.core.model.component import Component
from bridgehead.core.rollout.commands import Flip, Position
from bridgehead.core.rollout.decision import Decision
from bridgehead.core.rollout.run import Run
from bridgehead.core.rollout.state import Ending
from bridgehead.core.rollout.world import World

MANAGER = "bridgehead"
"""Our field manager; every other name in the component's managedFields is somebody else."""


def foreign(run: Run, world: World) -> Decision | None:
    """An ending where the component is not as this run left it; None where it is.

    A generation that is not ours is a foreign change whatever the template holds: an undo while
    the former template is parked puts the *target* in.
    """
    component = world.component
    if component is None or component.deleting or component.uid != run.plan.component_uid:
        return Decision(ending=_gone(run, component))
    if run.state.let_go or component.generation < run.state.generation:
        return None  # let go, or seen as it was before our own last write
    held = run.state.taken_over and not run.state.restored
    unprotected = held and component.strategy_type != "OnDelete"
    if component.generation <= run.state.generation and not unprotected:
        return None
    if unprotected and run.standing(world) is Position.TARGET:
        return Decision(commands=(Flip(to=Position.FORMER),))
    return Decision(ending=_changed(run, world, component))


def _gone(run: Run, component: Component | None) -> Ending:
    what = "is being deleted" if component is not None and component.deleting else "is gone"
    if component is not None and not component.deleting:
        what = "was replaced by another object of the same name"
    ref = f"daemonset/{run.plan.spec.component.namespace}/{run.plan.spec.component.name}"
    return Ending(exit=4, summary=f"{ref} {what}; this run cannot go on", rollback_helps=False)


def _changed(run: Run, world: World, component: Component) -> Ending:
    others = [name for name, _ in component.managers if name != MANAGER]
    who = f" by {others[-1]}" if others else ""
    return Ending(
        exit=4,
        summary=(
            f"{component.ref} was changed{who} while this run held it{_told(run, component)}; its "
            f"template is {_standing(run, world)}, its strategy {component.strategy_type}."
        ),
        rollback_helps=None,
    )


def _told(run: Run, component: Component) -> str:
    """Which write betrayed it, and whether the former template had to be put back."""
    expected = run.state.generation
    if component.generation <= expected:
        return ". The former template was put back, as pods were about to be replaced unwatched"
    return f" (generation {component.generation}, expected {expected}). Nothing was overwritten"


def _standing(run: Run, world: World) -> str:
    match run.standing(world):
        case Position.FORMER:
            return "the former one"
        case Position.TARGET:
            return "the target"
        case None:
            return "neither the former one nor the target"
