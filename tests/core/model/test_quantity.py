"""Amounts of processors and memory are read as the API server writes them."""

from decimal import Decimal

import pytest

from bridgehead.core.model.quantity import amount


@pytest.mark.parametrize(
    ("written", "number"),
    [("2", "2"), ("500m", "0.5"), ("1k", "1000"), ("32Gi", str(32 * 2**30)), ("1e3", "1000")],
)
def test_amounts(written: str, number: str) -> None:
    assert amount(written) == Decimal(number)


@pytest.mark.parametrize("written", ["", "much", "-1", "1 Gi", "1KB"])
def test_other_texts_are_none(written: str) -> None:
    assert amount(written) is None
