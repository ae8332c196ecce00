"""Someone else wrote the component: the run stops and says who, without overwriting anything."""

from bridgehead.core.model.component import Component
from bridgehead.core.rollout.commands import Flip, Position
from bridgehead.core.rollout.decision import Decision
from bridgehead.core.rollout.gone import gap_text, gone
from bridgehead.core.rollout.noticing import MANAGER
from bridgehead.core.rollout.run import Run
from bridgehead.core.rollout.state import Ending
from bridgehead.core.rollout.world import World


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
    if run.state.let_go or component.generation < run.state.generation:
        return None  # let go, or seen as it was before our own last write
    held = run.state.taken_over and not run.state.restored
    unprotected = held and component.strategy_type != "OnDelete"
    if component.generation <= run.state.generation and not unprotected:
        return None
    if unprotected and run.standing(world) is Position.TARGET and run.plan.parks:
        return Decision(commands=(Flip(to=Position.FORMER, protects=True),))
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
                f"are.{gap_text(run)} Give back what it holds: bridgehead release {ref}"
            ),
            rollback_helps=False,
        )
    )


def _changed(run: Run, world: World, component: Component) -> Ending:
    last = component.last_manager(other_than=MANAGER)
    who = f" by {last}" if last else ""
    return Ending(
        exit=4,
        summary=(
            f"{component.ref} was changed{who} while this run held it{_told(run, component)}; its "
            f"template is {_standing(run, world)}, its strategy {component.strategy_type}."
            f"{gap_text(run)}"
        ),
        rollback_helps=None,
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
