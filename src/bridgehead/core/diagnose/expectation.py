"""How many devices a node should offer, where nobody has said so."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

import msgspec

from bridgehead.core.inventory.cohort import UNKNOWN, cohort_of
from bridgehead.core.model.confidence import Confidence
from bridgehead.core.model.device import Offer
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


_ALIKE = 0.8
"""Share of a kind that must offer the same before a node that offers fewer, and more than none,
counts as short: machines of one product come with different numbers of cards."""
_FEW = 4
"""Nodes without which such a share says nothing."""


Hints = Callable[[Mapping[str, str]], tuple[str, ...]]
"""Labels of a node that tell of a family's devices."""


def expected_from_likes(
    nodes: Sequence[Node], resource: str, hints: Hints, revisions: Mapping[str, str]
) -> dict[Key, Expectation]:
    """From what most nodes of the same device offer; ``nodes`` are those of one plugin.

    ``revisions`` are of its pods, by node: where only nodes of another revision offer fewer, the
    revision is the likeliest reason.

    A node that offers a sibling of the name instead (a MIG profile for a whole GPU) is as its
    configuration has it, and a node of a device that offers none anywhere has no expectation.
    """
    groups: dict[tuple[str, str], list[Node]] = defaultdict(list)
    for node in nodes:
        if not _offers_sibling(node, resource):
            groups[_device(node), _instance_type(node)].append(node)
    found: dict[Key, Expectation] = {}
    for kind, members in groups.items():
        known = kind != (UNKNOWN, "")
        told = {node.name for node in members if known or hints(node.labels)}
        found.update(_of_group(members, resource, told, revisions))
    return found


def _of_group(
    members: Sequence[Node],
    resource: str,
    told: Collection[str],
    revisions: Mapping[str, str],
) -> dict[Key, Expectation]:
    """``told`` are nodes of which more than their plugin tells that they have such devices.

    Another one without the name may have none: what is expected of it is a guess.
    """
    offers = {node.name: node.offer(resource) for node in members}
    counts = Counter(it.allocatable for it in offers.values() if it is not None and it.allocatable)
    if not counts:
        return {}
    usual, times = max(counts.items(), key=lambda item: (item[1], item[0]))
    share = times / len(members)
    basis = f"{times} of {len(members)} nodes of its kind offer so many"
    full = {revisions.get(name) for name, it in offers.items() if it and it.allocatable >= usual}
    found: dict[Key, Expectation] = {}
    for name, offer in offers.items():
        other = share > 0.5 and times > 1 and bool(revisions.get(name)) and None not in full
        other = other and revisions[name] not in full
        if _applies(offer, share, len(members)) or other:
            guessed = share <= 0.5 or (offer is None and name not in told)
            sure = Confidence.LOW if guessed else Confidence.MEDIUM
            found[name, resource] = Expectation(usual, basis, sure)
    return found


def _applies(offer: Offer | None, share: float, members: int) -> bool:
    """Whether the usual number is expected of a node that shows this."""
    if offer is not None and offer.allocatable:
        return share >= _ALIKE and members >= _FEW
    return share > 0.5 or (offer is not None and offer.capacity > 0)


def _device(node: Node) -> str:
    """What tells its devices apart from those of other nodes, without what it offers now."""
    bare = Node(name=node.name, labels=node.labels)
    return cohort_of(bare, (CohortKey.DEVICE,)).value(CohortKey.DEVICE) or UNKNOWN


def _instance_type(node: Node) -> str:
    return node.labels.get("node.kubernetes.io/instance-type", "")


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
