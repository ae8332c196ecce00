"""Which nodes have to be taken back, and in which order."""

from bridgehead.core.rollout.run import Run
from bridgehead.core.rollout.state import NodeState, NodeStatus
from bridgehead.core.rollout.world import World


def to_take_back(run: Run, world: World) -> tuple[NodeState, ...]:
    """Nodes that failed or whose pod carries the target: failed first, then the newest first.

    The cluster is asked, not the journal: a node that came up on the target unplanned is among
    them, one whose successor came up on the former version by itself is not. Nodes that are gone
    or did not come back before are left to a person.
    """
    target = run.target_hash(world)
    carrying = {
        name
        for name, pods in world.pods.items()
        if target and any(pod.revision == target and not pod.terminal for pod in pods)
    }
    failed = {item.name for item in run.state.nodes.values() if item.status is NodeStatus.FAILED}
    found = (run.state.node(name) for name in carrying | failed if name in world.nodes)
    open_ones = [
        item for item in found if item.work is None and item.status is not NodeStatus.STUCK
    ]
    return tuple(sorted(open_ones, key=_urgency))


def _urgency(node: NodeState) -> tuple[bool, int, str]:
    return (node.status is not NodeStatus.FAILED, -node.touched, node.name)
