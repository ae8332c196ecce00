"""What a look at a node that has passed rests on: while it is the same, so is the answer.

Nodes that passed stay under watch to the end of a run, and most of them are as they were a second
ago. So a look costs in proportion to what has changed, not to how far the run has come.
"""

from collections.abc import Mapping

from bridgehead.core.rollout.state import NodeState
from bridgehead.core.rollout.world import World
from bridgehead.core.verify.track import Track
from bridgehead.core.verify.view import successor


def basis(node: NodeState, world: World) -> tuple[object, ...]:
    """Everything of the node that its track and its gates in soak look at.

    Comparing two of them costs little: what did not change is the same object.
    """
    pods = world.pods.get(node.name, ())
    pod = successor(pods)
    return (
        node,
        world.nodes.get(node.name),
        pods,
        world.refused.get(node.name, ()),
        world.logs.get(pod.uid) if pod else None,
    )


def unchanged(node: NodeState, world: World, tracks: Mapping[str, Track]) -> bool:
    """Whether the last look found nothing to tell, and nothing that it saw has changed since."""
    track = tracks.get(node.name)
    return track is not None and bool(track.rests_on) and track.rests_on == basis(node, world)
