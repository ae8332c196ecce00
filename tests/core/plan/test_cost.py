"""What a plan says that it will take, beside what a rollout over simulated nodes took."""

import pytest

from bridgehead.core.plan.cost import cost_of
from bridgehead.core.plan.plan import Stage, StageKind, Timing

TIMING = Timing(settle=30.0, status_period=10.0, timeout=240.0)


def wave(count: int, parallel: int, unproven: int) -> Stage:
    nodes = tuple(f"n{number}" for number in range(count))
    return Stage("wave 1", StageKind.WAVE, nodes, parallel, unproven, 60.0)


def test_a_stage_takes_its_gaps_and_its_soak() -> None:
    assert cost_of((wave(20, 10, 100),), TIMING, {}).duration == 2 * 25 + 30 + 60


def test_a_stage_with_little_room_for_unproven_nodes_takes_whole_passes() -> None:
    assert cost_of((wave(100, 10, 10),), TIMING, {}).duration == 10 * 55 + 60


def test_devices_are_away_for_the_gap() -> None:
    devices = {f"n{number}": 8 for number in range(4)}
    assert cost_of((wave(4, 2, 4),), TIMING, devices).device_minutes == pytest.approx(
        4 * 8 * 25 / 60, abs=0.1
    )


def test_requests_grow_with_nodes_and_with_the_length_of_a_pass() -> None:
    few, many = (cost_of((wave(count, 10, 20),), TIMING, {}).requests for count in (10, 110))
    slow = Timing(settle=90.0, status_period=10.0, timeout=240.0)
    assert many - few == 100 * 31
    assert cost_of((wave(10, 10, 20),), slow, {}).requests > few
