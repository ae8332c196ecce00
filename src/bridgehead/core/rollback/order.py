"""Which nodes have to be taken back, and in which order."""

from bridgehead.core.journal.entry import Draft
from bridgehead.core.rollout.decision import note
from bridgehead.core.rollout.run import TOUCHED, Run
from bridgehead.core.rollout.state import NodeState, NodeStatus
from bridgehead.core.rollout.world import World
from bridgehead.core.verify.view import successor


def to_take_back(run: Run, world: World) -> tuple[NodeState, ...]:
    """Nodes that failed or whose pod carries the target: failed first, then the newest first.

    The cluster is asked, not the journal: a node that came up on the target unplanned is among
    them. One that the target had reached and whose pod is of the former version by somebody else's
    doing is among them, too: that pod stays, but nobody has looked at it. Nodes that are gone or
    did not come back before are left to a person. What the change took off a node comes back to it
    by itself and is judged; a node that it gained has nothing to go back to.
    """
    target = run.target_hash(world)
    carrying = {
        name
        for name, pods in world.pods.items()
        if target and any(pod.revision == target and not pod.terminal for pod in pods)
    }
    wanted = {item.name for item in run.state.nodes.values() if _unseen(item, world)}
    wanted = (carrying | wanted) - set(gained(run))
    found = (run.state.node(name) for name in wanted if name in world.nodes)
    open_ones = [
        item for item in found if item.work is None and item.status is not NodeStatus.STUCK
    ]
    return tuple(sorted(open_ones, key=_urgency))


def _unseen(node: NodeState, world: World) -> bool:
    """Whether nobody has verified the former version on a node that it was, or is, away from."""
    match node.status:
        case NodeStatus.FAILED | NodeStatus.LOST | NodeStatus.PASSED:
            return True
        case NodeStatus.PENDING | NodeStatus.SET_ASIDE:
            return node.touched > 0
        case NodeStatus.TAKEN_BACK:
            pod = successor(world.pods.get(node.name, ()))
            return pod is None or node.verified is None or pod.uid != node.verified.pod
        case _:
            return False


def gone_since(run: Run, world: World) -> tuple[str, ...]:
    """Nodes that failed, or of which nothing is proven, and that left the cluster since."""
    return tuple(
        item.name
        for item in run.state.nodes.values()
        if (item.status in {NodeStatus.FAILED, NodeStatus.STUCK} or item.unsound)
        and item.name not in world.nodes
    )


def gained(run: Run) -> tuple[str, ...]:
    """Nodes that only the target template brings the component to."""
    return run.plan.placement.gains if run.plan.placement is not None else ()


def moved_back(run: Run, world: World) -> tuple[Draft, ...]:
    """Notes of gained nodes that the former template has taken the component off again."""
    known = (run.state.node(name) for name in gained(run))
    return tuple(
        note("node", "moved-back", node=item.name)
        for item in known
        if (item.status in TOUCHED or item.name in run.state.joined)
        and item.status is not NodeStatus.TAKEN_BACK
        and not world.pods.get(item.name)
    )


def _urgency(node: NodeState) -> tuple[bool, int, str]:
    return (node.status is not NodeStatus.FAILED, -node.touched, node.name)
