"""What a kind of node offers, by majority: the expectation where nothing was recorded."""

from bridgehead.core.model.device import Offer
from bridgehead.core.model.node import Node
from bridgehead.core.verify.majority import majority

GPU = "vendor.com/gpu"


def nodes(*allocatable: int) -> list[Node]:
    return [
        Node(name=f"n{number}", offers={GPU: Offer(8, count)})
        for number, count in enumerate(allocatable)
    ]


def test_most_frequent_count_is_expected() -> None:
    assert majority(nodes(8, 8, 4), [GPU]) == {GPU: Offer(8, 8)}


def test_of_equals_the_larger_is_expected() -> None:
    assert majority(nodes(8, 4), [GPU]) == {GPU: Offer(8, 8)}


def test_nodes_that_offer_nothing_do_not_vote() -> None:
    assert majority(nodes(0, 0, 4), [GPU]) == {GPU: Offer(4, 4)}


def test_where_nobody_offers_anything_one_healthy_device_is_expected() -> None:
    assert majority(nodes(0, 0), [GPU]) == {GPU: Offer(1, 1)}
    assert majority([], [GPU]) == {GPU: Offer(1, 1)}
