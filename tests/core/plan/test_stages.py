"""Stages over many shapes of clusters: properties that hold for all of them."""

from hypothesis import given
from hypothesis import strategies as st

from bridgehead.core.inventory.cohort import cohorts_of
from bridgehead.core.model.node import Node
from bridgehead.core.plan.plan import StageKind
from bridgehead.core.plan.settings import CanarySettings, NodeCount, NodePercentage, Wave
from bridgehead.core.plan.stages import stages_of
from tests.core.plan.scenery import node, spec

SHARES = st.one_of(st.integers(1, 40).map(NodeCount), st.integers(1, 100).map(NodePercentage))
WAVES = st.lists(st.builds(Wave, SHARES, st.integers(1, 5)), max_size=4).map(
    lambda waves: (*waves, Wave(NodePercentage(100), 3))
)
CLUSTERS = st.lists(st.sampled_from("ABCD"), min_size=1, max_size=30).map(
    lambda kinds: [node(f"n{number:02}", kind) for number, kind in enumerate(kinds)]
)


@given(CLUSTERS, WAVES, st.integers(1, 3))
def test_every_node_goes_once_and_no_cohort_goes_without_a_canary(
    nodes: list[Node], waves: tuple[Wave, ...], per_cohort: int
) -> None:
    wish = spec(waves=waves, canary=CanarySettings(per_cohort=per_cohort))
    cohorts = cohorts_of(nodes)
    stages = stages_of(wish, cohorts, {})
    order = [name for stage in stages for name in stage.nodes]
    assert sorted(order) == sorted(item.name for item in nodes)
    canaries = {n for s in stages if s.kind is StageKind.CANARY for n in s.nodes}
    assert all(canaries & {item.name for item in members} for members in cohorts.values())


@given(CLUSTERS, WAVES)
def test_first_canary_is_of_the_largest_cohort_and_alone(
    nodes: list[Node], waves: tuple[Wave, ...]
) -> None:
    cohorts = cohorts_of(nodes)
    stages = stages_of(spec(waves=waves), cohorts, {})
    largest = next(iter(cohorts.values()))
    assert stages[0].nodes == (largest[0].name,)


@given(CLUSTERS, WAVES)
def test_no_stage_is_empty_and_canaries_come_before_waves(
    nodes: list[Node], waves: tuple[Wave, ...]
) -> None:
    stages = stages_of(spec(waves=waves), cohorts_of(nodes), {})
    kinds = [stage.kind for stage in stages]
    assert all(stage.nodes for stage in stages)
    assert kinds == sorted(kinds, key=lambda kind: kind is StageKind.WAVE)


@given(CLUSTERS, SHARES)
def test_waves_are_cumulative_shares_rounded_up(
    nodes: list[Node], share: NodeCount | NodePercentage
) -> None:
    waves = (Wave(share, 2), Wave(NodePercentage(100), 2))
    stages = stages_of(spec(waves=waves), cohorts_of(nodes), {})
    before_last = [s for s in stages if s.name != "wave 2"]
    reached = sum(len(stage.nodes) for stage in before_last)
    canaries = sum(len(s.nodes) for s in stages if s.kind is StageKind.CANARY)
    if any(stage.name == "wave 1" for stage in stages):
        assert reached == max(share.of(len(nodes)), canaries)
