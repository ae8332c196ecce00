"""How many devices a node should offer, where nobody has said so."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from bridgehead.core.inventory.cohort import UNKNOWN, cohort_of
from bridgehead.core.model.confidence import Confidence
from bridgehead.core.model.node import Node
from bridgehead.core.plan.settings import CohortKey

Key = tuple[str, str]
"""Node and resource."""


class Expectation(msgspec.Struct, frozen=True):
    """A number of devices, what it was concluded from, and how surely."""

    count: int
    basis: str
    confidence: Confidence


def expected_from_history(readings: Iterable[tuple[str, str, int]]) -> dict[Key, Expectation]:
    """From earlier readings as (node, resource, allocatable): the most that was ever seen."""
    best: dict[Key, int] = defaultdict(int)
    for node, resource, count in readings:
        best[node, resource] = max(best[node, resource], count)
    basis = "it offered so many before"
    return {key: Expectation(count, basis, Confidence.HIGH) for key, count in best.items() if count}


def expected_from_likes(nodes: Sequence[Node], resource: str) -> dict[Key, Expectation]:
    """From what most nodes of the same device offer; ``nodes`` are those of one plugin.

    A node that offers a sibling of the name instead (a MIG profile for a whole GPU) is as its
    configuration has it, and a node of a device that offers none anywhere has no expectation.
    """
    groups: dict[str, list[Node]] = defaultdict(list)
    for node in nodes:
        if not _offers_sibling(node, resource):
            groups[_device(node)].append(node)
    found: dict[Key, Expectation] = {}
    for members in groups.values():
        found.update(_of_group(members, resource))
    return found


def _of_group(members: Sequence[Node], resource: str) -> dict[Key, Expectation]:
    offers = {node.name: node.offer(resource) for node in members}
    counts = Counter(it.allocatable for it in offers.values() if it is not None and it.allocatable)
    if not counts:
        return {}
    usual, times = max(counts.items(), key=lambda item: (item[1], item[0]))
    most = 2 * times > len(members)
    basis = f"{times} of {len(members)} nodes of its kind offer so many"
    expectation = Expectation(usual, basis, Confidence.MEDIUM if most else Confidence.LOW)
    return {
        (name, resource): expectation
        for name, offer in offers.items()
        if most or (offer is not None and offer.capacity)
    }


def _device(node: Node) -> str:
    """What tells its devices apart from those of other nodes, without what it offers now."""
    bare = Node(name=node.name, labels=node.labels)
    return cohort_of(bare, (CohortKey.DEVICE,)).value(CohortKey.DEVICE) or UNKNOWN


def _offers_sibling(node: Node, resource: str) -> bool:
    domain = resource.partition("/")[0]
    offer = node.offer(resource)
    if offer is not None and offer.capacity:
        return False
    return any(
        name != resource and name.partition("/")[0] == domain and other.allocatable
        for name, other in node.offers.items()
    )


def merged(parts: Iterable[Mapping[Key, Expectation]]) -> dict[Key, Expectation]:
    """All of them; a later one overrules an earlier one."""
    found: dict[Key, Expectation] = {}
    for part in parts:
        found.update(part)
    return found
