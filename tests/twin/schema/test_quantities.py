"""Amounts in the form in which the API server writes them."""

from decimal import Decimal

import pytest

from bridgehead.twin.schema.quantities import QuantityError, canonical, rounded_up, value_of


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("0.5", "500m"),
        ("1.5Gi", "1536Mi"),
        ("1024Mi", "1Gi"),
        ("1000m", "1"),
        ("1e3", "1e3"),
        ("100e-3", "100e-3"),
        ("0", "0"),
        ("0Gi", "0"),
        ("-1", "-1"),
        (".5", "500m"),
        ("2000000", "2M"),
        ("128974848", "128974848"),
        ("1500m", "1500m"),
        (4, "4"),
        (0.25, "250m"),
        ("0.5Ki", "512"),
    ],
)
def test_an_amount_has_one_form(written: object, expected: str) -> None:
    assert canonical(written) == expected


def test_an_amount_is_rounded_up_to_thousandths() -> None:
    assert rounded_up("0.1m") == "1m"
    assert rounded_up("100u") == "1m"
    assert rounded_up("1Gi") == "1Gi"


def test_a_suffix_counts() -> None:
    assert value_of("1Ki") == 1024
    assert value_of("2k") == 2000
    assert value_of("250m") == Decimal("0.25")
    assert value_of("1E") == 10**18


@pytest.mark.parametrize("written", ["", "one", "1 Gi", "1gi", "--1", "1e", "0x10"])
def test_what_is_no_amount_is_refused(written: str) -> None:
    with pytest.raises(QuantityError, match="quantities must match"):
        value_of(written)
