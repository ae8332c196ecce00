"""How readings of a resource become stretches, and what their order tells."""

import pytest

from bridgehead.core.diagnose.trajectory import Trajectory, trajectories
from bridgehead.core.findings.observed import Reading


def trajectory(*values: str) -> Trajectory:
    """Readings a minute apart; an empty one means that the name was absent."""
    readings = []
    for minute, value in enumerate(values):
        capacity, _, allocatable = value.partition("/")
        readings.append(
            Reading(
                at=minute * 60.0,
                node="n1",
                resource="a.b/c",
                capacity=int(capacity) if value else None,
                allocatable=int(allocatable) if value else None,
            )
        )
    return trajectories(reversed(readings))["n1", "a.b/c"]


def test_equal_readings_in_a_row_are_one_stretch() -> None:
    found = trajectory("4/4", "4/4", "4/0", "0/0")
    assert [str(item) for item in found.stretches] == ["4/4", "4/0", "0/0"]
    assert (found.stretches[0].begin, found.stretches[0].end) == (0.0, 60.0)
    assert found.best == 4


def test_the_fall_is_when_devices_were_last_seen() -> None:
    assert trajectory("4/4", "4/4", "4/0").dropped_at == 60.0
    assert trajectory("4/4", "4/0", "4/4").dropped_at is None
    assert trajectory("0/0", "0/0").dropped_at is None


@pytest.mark.parametrize(
    ("values", "at_once"),
    [
        (("4/4", "0/0"), True),
        (("4/4", "4/0", "0/0"), False),
        (("4/4", "0/0", "4/4", "4/0"), False),
        (("4/4",), False),
    ],
)
def test_a_kubelet_that_starts_takes_capacity_and_allocatable_at_once(
    values: tuple[str, ...], at_once: bool
) -> None:
    assert trajectory(*values).fell_at_once is at_once


@pytest.mark.parametrize(
    ("values", "flips"),
    [
        (("4/4", "8/8", "4/4"), (4, 8)),
        (("4/4", "0/0", "8/8", "0/0", "4/4"), (4, 8)),
        (("4/4", "8/8"), None),
        (("4/4", "0/0", "4/4", "0/0", "4/4"), None),
        (("4/4", "8/8", "2/2", "4/4"), None),
        ((), None),
    ],
)
def test_two_numbers_to_and_fro_are_flips_and_gaps_are_none(
    values: tuple[str, ...], flips: tuple[int, int] | None
) -> None:
    found = trajectory(*values) if values else Trajectory("n1", "a.b/c")
    assert found.flips == flips


def test_an_absent_name_is_told_as_absent() -> None:
    assert "absent from 1970-01-01T00:00:00" in trajectory("", "4/4").evidence.text
