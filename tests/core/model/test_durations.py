"""Durations are read with their unit, and written so that they are read again."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridgehead.core.model.durations import DurationError, duration_text, parse_duration


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("30s", 30),
        ("10m", 600),
        ("1h30m", 5400),
        ("1.5h", 5400),
        ("500ms", 0.5),
        ("1m500ms", 60.5),
        ("0s", 0),
        ("90m", 5400),
    ],
)
def test_read(text: str, seconds: float) -> None:
    assert parse_duration(text) == seconds


@pytest.mark.parametrize("text", ["", "s", "30 s", "-1s", "1d", "30s10m", "1h1h", "1e3s", "٣s"])
def test_no_duration(text: str) -> None:
    with pytest.raises(DurationError, match="is no duration: write it like 30s"):
        parse_duration(text)


@pytest.mark.parametrize("text", ["30", "1.5"])
def test_a_number_without_unit_says_which_to_write(text: str) -> None:
    with pytest.raises(DurationError, match=f"write {text}s for seconds or {text}m for minutes"):
        parse_duration(text)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0s"),
        (30, "30s"),
        (600, "10m"),
        (5400, "1h30m"),
        (0.5, "500ms"),
        (3661.25, "1h1m1s250ms"),
    ],
)
def test_written(seconds: float, text: str) -> None:
    assert duration_text(seconds) == text


@given(st.integers(min_value=0, max_value=10**9))
def test_what_was_written_is_read_again(milliseconds: int) -> None:
    seconds = milliseconds / 1000
    assert parse_duration(duration_text(seconds)) == pytest.approx(seconds, abs=1e-6)
