"""Going on after a foreign change that stopped the run, once what stands is of its plan again."""

from bridgehead.core.model.component import Component
from bridgehead.core.model.json import JsonObject
from bridgehead.core.rollout.run import Run
from bridgehead.core.rollout.world import World

STOPPED = 4
"""Exit of a run that has told a person what it found."""


def adopted(run: Run, component: Component | None) -> JsonObject:
    """What the next holder takes over as it stands: its generation, and which template it holds.

    Empty where nothing was written since this run's last write, where that was not told to anybody
    yet, and where the component is not safe to go on from: another template, or a strategy under
    which the controller would replace pods by itself. The run then stops on it, as ever.
    """
    state = run.state
    told = state.ending is not None and state.ending.exit == STOPPED
    if component is None or not told or component.generation <= state.generation:
        return {}
    held = state.taken_over and not state.restored and component.strategy_type == "OnDelete"
    standing = run.standing(World(component=component))
    if not held or standing is None:
        return {}
    return {"generation": component.generation, "stands": standing.value}
