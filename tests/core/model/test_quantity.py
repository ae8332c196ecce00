"""Amounts of processors and memory are read as the API server writes them."""

from decimal import Decimal

import pytest

from bridgehead.core.model.memory import memory_bytes
from bridgehead.core.model.quantity import amount


@pytest.mark.parametrize(
    ("written", "number"),
    [
        ("2", "2"),
        ("500m", "0.5"),
        ("1k", "1000"),
        ("32Gi", str(32 * 2**30)),
        ("1e3", "1000"),
        ("5e-1", "0.5"),
    ],
)
def test_amounts(written: str, number: str) -> None:
    assert amount(written) == Decimal(number)


@pytest.mark.parametrize("written", ["", "much", "-1", "1 Gi", "1KB", "1e99999999999"])
def test_other_texts_are_none(written: str) -> None:
    assert amount(written) is None


@pytest.mark.parametrize(
    ("written", "number"),
    [("64Mi", 64 * 2**20), ("1Pi", 2**50), (1000, 1000), ("1500m", 1), (None, None), ("-1", None)],
)
def test_memory_is_whole_bytes(written: object, number: int | None) -> None:
    assert memory_bytes(written) == number
