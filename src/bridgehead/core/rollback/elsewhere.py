"""Nodes that are to be taken back and that another run holds: never taken from it, waited for.

Two runs of different components share nodes. Each uncordons what it cordoned and nothing else, so a
node is one run's at a time; the other's pass there ends within its own time.
"""

from collections.abc import Iterable

from bridgehead.core.rollout.decision import Decision, wait
from bridgehead.core.rollout.run import Run
from bridgehead.core.rollout.state import Ending, NodeState
from bridgehead.core.rollout.world import World


def holder_of(run: Run, node: NodeState, world: World) -> str:
    """The other run that holds the node; empty where none does."""
    seen = world.nodes.get(node.name)
    holder = seen.held_by if seen is not None else ""
    return holder if holder != run.name else ""


def wait_for(run: Run, nodes: Iterable[NodeState], world: World, now: float) -> Decision | None:
    """Wait for those of the nodes that other runs hold; None where there are none.

    Called when nothing else is left to do. After the component's timeout without anything new a
    person must look: that run may be held itself, with its node.
    """
    held = [(node.name, other) for node in nodes if (other := holder_of(run, node, world))]
    if not held:
        return None
    shown = ", ".join(f"{name} (held by the bridgehead run {other})" for name, other in held)
    if now < run.state.last_at + run.plan.timing.timeout:
        return wait(f"to be taken back: {shown}")
    summary = (
        f"not taken back, as another run holds them: {shown}. The former template stands; "
        "the same command goes on once they are free"
    )
    return Decision(ending=Ending(exit=4, summary=summary, failure=run.state.failure))
