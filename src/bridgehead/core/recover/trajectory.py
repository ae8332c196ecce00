"""What a node showed over time: the order of readings tells what one reading cannot."""

from collections.abc import Iterable

from bridgehead.core.findings.observed import Reading
from bridgehead.core.model.node import Node
from bridgehead.core.recover.situation import Situation

Shown = tuple[int | None, int | None]


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


def shown(item: Reading) -> str:
    """``4/4``, or ``absent``."""
    return "absent" if item.capacity is None else f"{item.capacity}/{item.allocatable}"


def trajectory(readings: Iterable[Reading]) -> str:
    """The values in their order, each once while it stands: ``4/4 -> 4/0 -> 4/4``."""
    steps: list[str] = []
    for item in sorted(readings, key=lambda one: one.at):
        if not steps or steps[-1] != shown(item):
            steps.append(shown(item))
    return " -> ".join(steps)


def steady(readings: Iterable[Reading], seconds: float) -> bool:
    """Whether the last value has stood for so long, over two readings at least."""
    found = sorted(readings, key=lambda one: one.at)
    if len(found) < 2:
        return False
    newest = found[-1]
    same = [found[-1].at]
    for item in reversed(found[:-1]):
        if shown(item) != shown(newest):
            break
        same.append(item.at)
    return same[0] - same[-1] >= seconds


def back(situation: Situation, node: Node) -> bool:
    """Whether the node offers again all that it was missing, and nothing of it is unhealthy."""
    for item in situation.missing:
        offer = node.offer(item.resource)
        if offer is None or offer.allocatable < item.expected.count:
            return False
    return True
