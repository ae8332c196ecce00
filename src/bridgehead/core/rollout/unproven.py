"""Nodes of which nothing is proven, once everything goes back: each is looked at once more.

Their devices may have been mended since, and only a look tells. One that already has a pod of the
former version is judged by that, and nothing is deleted there for it.
"""

import msgspec

from bridgehead.core.rollout.state import Mode, NodeState, NodeStatus, RunState, with_node


def looked_at_again(state: RunState) -> RunState:
    """The state in which each is to be taken back, if the run goes back: once for each runner."""
    if state.mode is not Mode.BACK:
        return state
    for node in state.nodes.values():
        if node.work is None and (node.status is NodeStatus.STUCK or node.unsound):
            state = with_node(state, to_be_taken_back(node))
    return state


def to_be_taken_back(node: NodeState) -> NodeState:
    """As a node that failed: it stays cordoned until it is proven, or is stuck again."""
    return msgspec.structs.replace(node, status=NodeStatus.FAILED, unsound=False)
