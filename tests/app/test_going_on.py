"""What a person must say before a run that holds goes on, and which names make no sense."""

import msgspec
import pytest

from bridgehead.app.going_on import Ways, open_questions, problems_of
from bridgehead.core.plan.plan import Placement, SetAside
from bridgehead.core.rollout.commands import Purpose
from bridgehead.core.rollout.run import Run
from bridgehead.core.rollout.state import Answer, Mode, NodeState, NodeStatus, RunState, Work
from tests.core.standin.plans import plan_of


def run(mode: Mode = Mode.HOLD, **statuses: NodeStatus) -> Run:
    nodes = {name: NodeState(name=name, status=status) for name, status in statuses.items()}
    return Run(
        name="gpu-1", plan=plan_of(("a1", "a2", "a3")), state=RunState(mode=mode, nodes=nodes)
    )


HELD = run(a1=NodeStatus.PASSED, a2=NodeStatus.TAKEN_BACK)


@pytest.mark.parametrize(
    "status", [NodeStatus.FAILED, NodeStatus.TAKEN_BACK, NodeStatus.STUCK], ids=lambda s: s.value
)
def test_every_node_that_failed_needs_a_word(status: NodeStatus) -> None:
    assert open_questions(run(a2=status), Ways()) == ("a2",)


@pytest.mark.parametrize("ways", [Ways(without=("a2",)), Ways(retry=("a2",))])
def test_a_node_that_was_spoken_of_is_no_question(ways: Ways) -> None:
    assert open_questions(HELD, ways) == ()


def test_what_was_said_before_counts() -> None:
    state = msgspec.structs.replace(HELD.state, answers={"a2": Answer.WITHOUT})
    assert open_questions(msgspec.structs.replace(HELD, state=state), Ways()) == ()


def test_a_hold_in_which_every_node_is_healthy_needs_no_word() -> None:
    assert open_questions(run(a1=NodeStatus.PASSED), Ways()) == ()


def test_a_run_that_only_pauses_needs_no_word() -> None:
    assert open_questions(run(Mode.FORWARD, a2=NodeStatus.TAKEN_BACK), Ways()) == ()


@pytest.mark.parametrize(
    ("ways", "problem"),
    [
        (Ways(without=("b9",)), "b9 is no node of run gpu-1"),
        (Ways(retry=("b9",)), "b9 is no node of run gpu-1"),
        (Ways(without=("a1",)), "a1 has not failed: it is passed"),
        (Ways(retry=("a1",)), "a1 has not failed: it is passed"),
        (Ways(retry=("a3",)), "a3 has not failed: it is pending"),
        (Ways(without=("a2",), retry=("a2",)), "a2 cannot both be left out and be tried again"),
    ],
)
def test_names_that_make_no_sense_are_told(ways: Ways, problem: str) -> None:
    assert list(problems_of(HELD, ways)) == [problem]


@pytest.mark.parametrize("name", ["a2", "a3"])
def test_a_node_that_failed_or_had_no_turn_may_be_left_out(name: str) -> None:
    assert list(problems_of(HELD, Ways(without=(name,)))) == []


def test_a_node_that_was_left_out_may_be_tried_again() -> None:
    aside = NodeState(name="a2", status=NodeStatus.SET_ASIDE, left_out=True)
    state = RunState(mode=Mode.FORWARD, nodes={"a2": aside})
    left = msgspec.structs.replace(HELD, state=state)
    assert list(problems_of(left, Ways(retry=("a2",)))) == []


@pytest.mark.parametrize("name", ["b1", "b2", "b3"])
def test_so_may_every_failed_node_that_the_run_knows_of(name: str) -> None:
    """One that the plan set aside, one that came later, and one that is known by its state."""
    held = run(Mode.HOLD, **{name: NodeStatus.TAKEN_BACK})
    plan = msgspec.structs.replace(held.plan, set_aside=(SetAside("b1", "NotReady"),))
    state = msgspec.structs.replace(held.state, joined=("b2",))
    known = msgspec.structs.replace(held, plan=plan, state=state)
    assert list(problems_of(known, Ways(without=(name,)))) == []
    assert list(problems_of(known, Ways(retry=(name,)))) == []


@pytest.mark.parametrize(
    ("deleted_at", "told"),
    [
        (None, []),
        (2.0, ["a2 is being replaced at this moment: ask again once it has passed or failed"]),
    ],
    ids=["cordoned", "in the gap"],
)
def test_a_node_is_not_left_out_while_it_is_replaced(
    deleted_at: float | None, told: list[str]
) -> None:
    work = Work(purpose=Purpose.CHANGE, since=1.0, cordoned_at=1.0, deleted_at=deleted_at)
    state = RunState(mode=Mode.FORWARD, nodes={"a2": NodeState(name="a2", work=work)})
    going = msgspec.structs.replace(HELD, state=state)
    assert list(problems_of(going, Ways(without=("a2",)))) == told


def test_a_node_that_is_to_lose_the_component_cannot_be_left_out_of_that() -> None:
    plan = msgspec.structs.replace(HELD.plan, placement=Placement(loses=("l1",)))
    moving = msgspec.structs.replace(HELD, plan=plan)
    (problem,) = problems_of(moving, Ways(without=("l1",)))
    assert problem.startswith("l1 is to lose the component")


def test_no_node_goes_on_with_a_run_that_is_taken_back() -> None:
    (problem,) = problems_of(run(Mode.BACK, a2=NodeStatus.FAILED), Ways(retry=("a2", "a3")))
    assert "takes back all that it changed" in problem
