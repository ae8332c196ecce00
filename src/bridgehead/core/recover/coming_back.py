"""Whether what was missing is back, and for how long it has stood."""

from collections.abc import Iterable

from bridgehead.core.findings.observed import Reading
from bridgehead.core.model.node import Node
from bridgehead.core.recover.situation import Situation


def reading(node: Node, resource: str, at: float) -> Reading:
    """What the node says of the resource now."""
    offer = node.offer(resource)
    return Reading(
        at=at,
        node=node.name,
        resource=resource,
        capacity=offer.capacity if offer else None,
        allocatable=offer.allocatable if offer else None,
    )


def steady(readings: Iterable[Reading], seconds: float) -> bool:
    """Whether the last value has stood for so long, over two readings at least."""
    newest: Reading | None = None
    for item in sorted(readings, key=lambda one: one.at, reverse=True):
        newest = newest or item
        if (item.capacity, item.allocatable) != (newest.capacity, newest.allocatable):
            return False
        if item is not newest and newest.at - item.at >= seconds:
            return True
    return False


def back(situation: Situation, node: Node) -> bool:
    """Whether the node offers again all that it was missing."""
    for item in situation.missing:
        offer = node.offer(item.resource)
        if offer is None or offer.allocatable < item.expected.count:
            return False
    return True
