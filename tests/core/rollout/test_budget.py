"""How many nodes may begin: free places in the gap, of the unproven, and of each kind."""

import pytest

from bridgehead.core.plan.plan import PlannedCohort
from bridgehead.core.rollout.budget import in_gap, startable
from bridgehead.core.rollout.commands import Purpose
from bridgehead.core.rollout.run import Run
from bridgehead.core.rollout.state import NodeState, RunState, Work
from bridgehead.core.verify.track import Track
from tests.core.standin.plans import plan_of, wave

NOW = 1_700_000_000.0
NODES = tuple(f"{kind}{number}" for kind in "ab" for number in range(8))
DELETED = frozenset({"old"})


def working(name: str, purpose: Purpose = Purpose.CHANGE) -> NodeState:
    work = Work(purpose=purpose, since=NOW, cordoned_at=NOW, deleted=DELETED, deleted_at=NOW)
    return NodeState(name=name, work=work)


def run_with(*busy: NodeState) -> Run:
    state = RunState(nodes={node.name: node for node in busy})
    return Run(name="run-1", plan=plan_of(NODES), state=state)


def names(run: Run, parallel: int, unproven: int, tracks: dict[str, Track]) -> list[str]:
    stage = wave(1, *NODES, parallel=parallel, unproven=unproven)
    candidates = [NodeState(name=name) for name in NODES if name not in run.state.nodes]
    return [node.name for node in startable(run, stage, candidates, tracks)]


def test_a_quarter_of_each_kind_may_be_in_the_gap() -> None:
    assert names(run_with(), parallel=9, unproven=9, tracks={}) == ["a0", "a1", "b0", "b1"]


def test_parallel_counts_all_kinds_together() -> None:
    assert names(run_with(), parallel=3, unproven=9, tracks={}) == ["a0", "a1", "b0"]
    assert names(run_with(working("a0")), parallel=2, unproven=9, tracks={}) == ["a1"]


def test_a_node_with_a_good_look_leaves_its_place_but_stays_unproven() -> None:
    good = {"a0": Track(deleted=DELETED, good=True)}
    assert names(run_with(working("a0")), parallel=1, unproven=9, tracks=good) == ["a1"]
    assert names(run_with(working("a0")), parallel=1, unproven=1, tracks=good) == []


def test_a_restart_test_is_not_unproven() -> None:
    good = {"a0": Track(deleted=DELETED, good=True)}
    busy = run_with(working("a0", Purpose.RESTART))
    assert names(busy, parallel=1, unproven=1, tracks=good) == ["a1"]


@pytest.mark.parametrize(
    ("track", "away"),
    [
        (None, True),
        (Track(deleted=DELETED), True),
        (Track(deleted=frozenset({"an earlier one"}), good=True), True),
        (Track(deleted=DELETED, good=True), False),
    ],
)
def test_a_node_is_in_the_gap_until_its_own_first_good_look(
    track: Track | None, away: bool
) -> None:
    tracks = {"a0": track} if track is not None else {}
    assert in_gap(working("a0"), tracks) is away


def test_a_node_without_a_pass_is_not_in_the_gap() -> None:
    assert not in_gap(NodeState(name="a0"), {})


def test_a_small_kind_may_always_have_one() -> None:
    small = (PlannedCohort("c", ("c0", "c1")),)
    plan = plan_of(("c0", "c1"))
    assert plan.cohorts == small
    run = Run(name="run-1", plan=plan, state=RunState())
    stage = wave(1, "c0", "c1", parallel=9)
    candidates = [NodeState(name=name) for name in ("c0", "c1")]
    assert [node.name for node in startable(run, stage, candidates, {})] == ["c0"]


def arrived(name: str) -> NodeState:
    work = Work(purpose=Purpose.CHANGE, since=NOW, cordoned_at=NOW, deleted_at=NOW)
    return NodeState(name=name, work=work)


def test_a_joiner_on_the_target_takes_no_place_in_the_gap_but_is_unproven() -> None:
    state = RunState(nodes={"a9": arrived("a9")}, joined=("a9",))
    run = Run(name="run-1", plan=plan_of(NODES), state=state)
    assert names(run, parallel=1, unproven=9, tracks={}) == ["a0"]
    assert names(run, parallel=9, unproven=1, tracks={}) == []


def test_a_planned_node_that_came_up_on_the_target_by_itself_takes_its_place() -> None:
    run = run_with(arrived("a0"))
    assert names(run, parallel=1, unproven=9, tracks={}) == []


def test_a_joiner_that_takes_the_change_as_others_do_takes_its_place_as_they_do() -> None:
    state = RunState(nodes={"a9": working("a9")}, joined=("a9",))
    run = Run(name="run-1", plan=plan_of(NODES), state=state)
    assert names(run, parallel=1, unproven=9, tracks={}) == []
