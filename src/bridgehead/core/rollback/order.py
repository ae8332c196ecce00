"""Which nodes have to be taken back, and in which order."""

from bridgehead.core.journal.entry import Draft
from bridgehead.core.rollout.decision import note
from bridgehead.core.rollout.run import TOUCHED, Run
from bridgehead.core.rollout.state import NodeState, NodeStatus
from bridgehead.core.rollout.world import World


def to_take_back(run: Run, world: World) -> tuple[NodeState, ...]:
    """Nodes that failed or whose pod carries the target: failed first, then the newest first.

    The cluster is asked, not the journal: a node that came up on the target unplanned is among
    them, one whose successor came up on the former version by itself is not. Nodes that are gone
    or did not come back before are left to a person. What the change took off a node comes back to
    it by itself and is judged; a node that it gained has nothing to go back to.
    """
    target = run.target_hash(world)
    carrying = {
        name
        for name, pods in world.pods.items()
        if target and any(pod.revision == target and not pod.terminal for pod in pods)
    }
    away = {NodeStatus.FAILED, NodeStatus.LOST}
    wanted = {item.name for item in run.state.nodes.values() if item.status in away}
    wanted = (carrying | wanted) - set(gained(run))
    found = (run.state.node(name) for name in wanted if name in world.nodes)
    open_ones = [
        item for item in found if item.work is None and item.status is not NodeStatus.STUCK
    ]
    return tuple(sorted(open_ones, key=_urgency))


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
