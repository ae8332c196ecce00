"""Numbers and names of devices as the API server stores them."""

import pytest

from bridgehead.core.model.device import Offer, device_count, is_extended


@pytest.mark.parametrize(
    ("quantity", "count"),
    [
        ("8", 8),
        ("0", 0),
        ("2k", 2000),
        ("1Ki", 1024),
        ("2Mi", 2**21),
        ("1e3", 1000),
        ("1M", 10**6),
        ("1.5k", 1500),
        ("3G", 3 * 10**9),
    ],
)
def test_a_whole_quantity_is_its_number(quantity: str, count: int) -> None:
    assert device_count(quantity) == count


@pytest.mark.parametrize(
    "quantity", ["", "k", "1.5", "100m", "1T", "two", "1kk", "kM", "NaN", "Infinity", "1K"]
)
def test_what_is_no_whole_number_is_none(quantity: str) -> None:
    assert device_count(quantity) is None


@pytest.mark.parametrize(
    ("name", "extended"),
    [
        ("nvidia.com/gpu", True),
        ("example.com/fake", True),
        ("cpu", False),
        ("hugepages-2Mi", False),
        ("kubernetes.io/batch", False),
        ("sub.kubernetes.io/thing", False),
        ("notkubernetes.io/thing", True),
        ("requests.nvidia.com/gpu", False),
    ],
)
def test_extended_resources_are_qualified_and_not_kubernetes_own(name: str, extended: bool) -> None:
    assert is_extended(name) is extended


def test_an_offer_prints_capacity_first() -> None:
    assert str(Offer(capacity=8, allocatable=7)) == "8/7"
