"""Whether what a plugin does on one node says anything about another node."""

from collections.abc import Iterable

from bridgehead.core.inventory.cohort import cohort_of, labelled_device
from bridgehead.core.model.node import Node
from bridgehead.core.plan.settings import CohortKey

_BELOW = (CohortKey.OS, CohortKey.KERNEL, CohortKey.RUNTIME, CohortKey.ARCH)
"""What lies below a plugin, and changes under it when a node drifts."""


def alike(one: Node, other: Node) -> bool:
    """Whether both have the same below the plugin and, as far as labels tell, the same devices."""
    return cohort_of(one, _BELOW) == cohort_of(other, _BELOW) and may_be_alike(one, other)


def may_be_alike(one: Node, other: Node) -> bool:
    """Whether the nodes are of one kind, but for what may have drifted: all but devices and arch.

    Devices are told by labels alone, as a node in trouble does not offer them; a node that does
    not tell may be of any kind.
    """
    devices = {labelled_device(one), labelled_device(other)} - {""}
    return one.arch == other.arch and len(devices) <= 1


def one_of_each(nodes: Iterable[Node]) -> tuple[Node, ...]:
    """A node of each kind that ``may_be_alike`` tells apart, so that not all need be compared."""
    return tuple({(node.arch, labelled_device(node)): node for node in nodes}.values())
