"""Going on after a foreign change that stopped the run, from what stands of its plan again.

Whoever goes on with a run was told of the change by its ending, and consents to what stands:
another generation, the other template of the plan, and that OnDelete is set again where somebody
has set another strategy under the run. A template that is not of the plan is never overwritten.
"""

from bridgehead.core.model.component import Component
from bridgehead.core.model.json import JsonObject
from bridgehead.core.rollout.commands import Position
from bridgehead.core.rollout.run import Run
from bridgehead.core.rollout.state import Stray
from bridgehead.core.rollout.world import World


def adopted(run: Run, component: Component | None) -> JsonObject:
    """What the next holder takes over as it stands: its generation, and which template it holds.

    ``retakes`` where it has to set OnDelete again before anything else. Empty where nothing was
    written since this run's last write, where nobody was told of it yet, and where the component is
    not safe to go on from. The run then stops on it, as ever.
    """
    state = run.state
    told = state.ending is not None and state.ending.stray is not None
    if component is None or not told:
        return {}
    world = World(component=component)
    standing = run.standing(world)
    lost = unprotected(run, component)
    written = component.generation > state.generation or lost
    if not written or standing is None or stray(run, component, world).in_the_way:
        return {}
    found: JsonObject = {"generation": component.generation, "stands": standing.value}
    return {**found, "retakes": "true"} if lost else found


def holds(run: Run) -> bool:
    """Whether the run has the component under OnDelete, as far as its journal knows."""
    return run.state.taken_over and not run.state.restored


def unprotected(run: Run, component: Component) -> bool:
    """Whether somebody has put another strategy in the place of this run's OnDelete."""
    return holds(run) and component.strategy_type != "OnDelete"


def stray(run: Run, component: Component, world: World) -> Stray:
    """What has to be put back before the run can go on from the component as it stands.

    While the run holds it: one of its two templates. Before and after that it is as the run found
    it or is to leave it, template and strategy: what the controller makes of it is not the run's.
    """
    standing = run.standing(world)
    if holds(run):
        return Stray(template=standing is None, undo_to=_number(run, Position.FORMER, world))
    due = run.state.template if run.state.taken_over else Position.FORMER
    former = run.plan.former_strategy
    return Stray(
        template=standing is not due,
        undo_to=_number(run, due, world),
        strategy=former if component.strategy != former else {},
    )


def _number(run: Run, position: Position, world: World) -> int:
    """Number of the revision that holds one of the two templates; 0 where none does."""
    former = position is Position.FORMER
    digest = run.plan.former.template_digest if former else run.target_digest
    return max(
        (item.number for item in world.revisions if item.template_digest == digest), default=0
    )
