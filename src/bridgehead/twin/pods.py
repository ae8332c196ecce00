"""What every part of the twin asks of pods: which have ended, and which are on a node."""

from bridgehead.twin.kinds import Stored
from bridgehead.twin.objects import Object, text
from bridgehead.twin.store import Store

PODS = Stored("", "pods")
FINISHED = frozenset({"Succeeded", "Failed"})
"""Phases of pods that hold nothing any more."""

_BY_NODE = "node"


def is_finished(pod: Object) -> bool:
    """Whether all its containers have ended for good."""
    return text(pod, "status", "phase") in FINISHED


def index_by_node(store: Store) -> None:
    """Keep pods findable by their node."""
    store.index(PODS, _BY_NODE, _node_name)


def pods_on(store: Store, node: str) -> list[Object]:
    """The pods that are bound to a node, sorted; ``index_by_node`` comes first."""
    return store.by(PODS, _BY_NODE, node)


def _node_name(pod: Object) -> str:
    return text(pod, "spec", "nodeName")
