"""The small rules that the settings carry."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridgehead.core.model.selectors import parse_selector
from bridgehead.core.plan.settings import (
    ComponentKind,
    ComponentRef,
    ContainerImage,
    ImagesChange,
    NodeCount,
    NodePercentage,
    NodeSelection,
    RolloutSpec,
    Wave,
)


@pytest.mark.parametrize(
    ("percent", "eligible", "nodes"), [(10, 4, 1), (50, 5, 3), (100, 7, 7), (1, 500, 5), (10, 0, 0)]
)
def test_a_percentage_is_rounded_up(percent: int, eligible: int, nodes: int) -> None:
    assert NodePercentage(percent).of(eligible) == nodes


@given(st.integers(1, 100), st.integers(0, 10_000))
def test_a_percentage_is_at_least_its_part_and_less_than_one_node_more(
    percent: int, eligible: int
) -> None:
    nodes = NodePercentage(percent).of(eligible)
    assert percent * eligible <= 100 * nodes < percent * eligible + 100


def test_a_number_is_at_most_what_is_there() -> None:
    assert (NodeCount(5).of(3), NodeCount(5).of(9)) == (3, 5)


def test_exclude_wins_over_include() -> None:
    nodes = NodeSelection(parse_selector("pool=gpu"), parse_selector("quarantined"))
    assert nodes.selects({"pool": "gpu"})
    assert not nodes.selects({"pool": "gpu", "quarantined": ""})
    assert not nodes.selects({"pool": "cpu"})
    assert NodeSelection().selects({})


def test_unproven_is_twice_parallel_unless_given() -> None:
    wave = Wave(NodePercentage(100), parallel=5)
    assert (wave.unproven(None), wave.unproven(7)) == (10, 7)


def test_a_spec_is_one_value() -> None:
    spec = RolloutSpec(
        name="a",
        component=ComponentRef(ComponentKind.DAEMON_SET, "x", "y"),
        change=ImagesChange((ContainerImage("c", "i:1"),)),
        nodes=NodeSelection(parse_selector("a in (b,c)")),
    )
    assert str(spec.component) == "daemonset/x/y"
    assert spec.change == ImagesChange((ContainerImage("c", "i:1"),))
    assert hash(spec) == hash(msgspec.json.decode(msgspec.json.encode(spec), type=RolloutSpec))
