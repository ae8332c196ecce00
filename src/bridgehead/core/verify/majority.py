"""What a node can be expected to offer where nobody has recorded it: what its kind offers."""

from collections.abc import Iterable

from bridgehead.core.model.device import Offer, usual
from bridgehead.core.model.node import Node


def majority(nodes: Iterable[Node], resources: Iterable[str]) -> dict[str, Offer]:
    """For each resource what most of these nodes offer; of equals the larger.

    A node that offers nothing does not vote: where a plugin is dead everywhere, nothing is known
    but that there should be a device. With no vote, one healthy device is expected.
    """
    known = tuple(nodes)
    expected = {}
    for name in resources:
        offers = [offer for node in known if (offer := node.offer(name)) and offer.allocatable]
        most = usual(Offer(offer.allocatable, offer.allocatable) for offer in offers)
        expected[name] = most or Offer(1, 1)
    return expected
