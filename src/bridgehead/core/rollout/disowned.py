"""A cordon of ours that somebody takes away while we need it: noticed, told, and not fought over.

The node goes on through its pass. Pods may come to it meanwhile and be refused in the gap, which is
what the person who uncordoned it chose. From then on whether it takes pods is theirs to say: a
cordon that they set after that stays.
"""

from bridgehead.core.rollout.decision import Decision, note
from bridgehead.core.rollout.run import Run
from bridgehead.core.rollout.world import World


def disowned(run: Run, world: World) -> Decision:
    """A note for each node that is marked as ours and takes pods all the same.

    Mark and cordon are set and taken off in one write each, so only somebody else makes this state.
    """
    found = [
        note("node", "disowned", node=node.name)
        for node in run.state.nodes.values()
        if node.held
        and not node.disowned
        and (seen := world.nodes.get(node.name)) is not None
        and seen.held_by == run.name
        and not seen.unschedulable
    ]
    return Decision(notes=tuple(found))
