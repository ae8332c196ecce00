"""Spans of time as kubectl's users read them."""

import pytest

from bridgehead.twin.tables.durations import human, since
from bridgehead.twin.timestamps import seconds_of


@pytest.mark.parametrize(
    ("seconds", "told"),
    [
        (-2, "<invalid>"),
        (-1, "0s"),
        (0.9, "0s"),
        (119, "119s"),
        (120, "2m"),
        (125, "2m5s"),
        (599, "9m59s"),
        (600, "10m"),
        (10_799, "179m"),
        (10_800, "3h"),
        (11_000, "3h3m"),
        (28_800, "8h"),
        (172_800, "2d"),
        (180_000, "2d2h"),
        (691_200, "8d"),
        (63_072_000, "2y"),
        (63_072_000 + 86_400, "2y1d"),
        (8 * 365 * 86_400, "8y"),
    ],
)
def test_spans_have_two_figures(seconds: float, told: str) -> None:
    assert human(seconds) == told


def test_times_with_and_without_fractions_are_read() -> None:
    assert seconds_of("2025-11-24T16:00:00Z") == 1_764_000_000
    assert seconds_of("2025-11-24T16:00:00.500000Z") == 1_764_000_000.5


def test_what_has_no_time_has_an_unknown_age() -> None:
    assert since(None, 0.0) == "<unknown>"
