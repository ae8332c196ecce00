"""Nodes that stay cordoned when a runner leaves, named by whatever ending it leaves with."""

import msgspec

from bridgehead.core.rollout.decision import Decision
from bridgehead.core.rollout.run import Run
from bridgehead.core.rollout.world import World


def kept_text(run: Run, world: World) -> str:
    """A sentence, after a space, that names the nodes that this run keeps cordoned; empty for none.

    The cluster is asked: a node that is gone, or that somebody made schedulable, is not among them.
    """
    names = [
        item.name
        for item in run.state.nodes.values()
        if item.held
        and (seen := world.nodes.get(item.name)) is not None
        and seen.held_by == run.name
        and seen.unschedulable
    ]
    if not names:
        return ""
    return f" Still cordoned, as their devices are not proven: {', '.join(sorted(names))}."


def maybe_cordoned(run: Run) -> tuple[str, ...]:
    """The same by the journal alone, with those of which it does not know whether they are yet."""
    nodes = run.state.nodes.values()
    return tuple(sorted(it.name for it in nodes if (it.held and not it.disowned) or it.work))


def telling(run: Run, world: World, step: Decision) -> Decision:
    """The step whose ending names them; one that does so in a place of its own is left as it is."""
    ending, kept = step.ending, kept_text(run, world)
    if ending is None or kept in ending.summary:
        return step
    told = msgspec.structs.replace(ending, summary=f"{ending.summary.removesuffix('.')}.{kept}")
    return msgspec.structs.replace(step, ending=told)
