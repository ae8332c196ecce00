"""Numbers as clients write them."""

import pytest

from bridgehead.twin.integers import int64
from tests.twin.api.asking import Client, api_of, bare_registry
from tests.twin.virtually import virtually

LONG = "9" * 5000


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("7", 7),
        ("-7", -7),
        ("+07", 7),
        ("0" * 5000 + "1", 1),
        (str((1 << 63) - 1), (1 << 63) - 1),
        (str(1 << 63), None),
        (str(-(1 << 63)), -(1 << 63)),
        *((text, None) for text in ("", "-", "1_0", " 1", "1.0", "\u00b2", "\u0661", LONG)),
    ],
)
def test_only_what_go_reads_as_a_number_of_64_bits_is_one(text: str, found: int | None) -> None:
    assert int64(text) == found


@pytest.mark.parametrize("parameter", ["resourceVersion", "limit", "timeoutSeconds"])
def test_numbers_of_any_length_are_answered(parameter: str) -> None:
    @virtually
    async def ask() -> None:
        status = await Client(api_of(bare_registry())).get(f"/api/v1/pods?{parameter}={LONG}")
        assert status["code"] == 400
        assert status["message"].endswith("value out of range")

    ask()
