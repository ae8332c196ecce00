"""How far a request has come, by what is seen of the run from outside."""

import pytest

from bridgehead.app.following import Answer, Sight
from bridgehead.cluster.lock_watch import Holding
from bridgehead.core.rollout.commands import Purpose
from bridgehead.core.rollout.control import Pause
from bridgehead.core.rollout.state import Mode, NodeState, RunState, Work

PAUSED = Pause(time="2026-01-31T12:00:00.000Z", identity="me")
AT_WORK = {"a1": NodeState(name="a1", work=Work(purpose=Purpose.CHANGE, since=1.0))}


def sight(state: RunState, *, ended: bool = False) -> Sight:
    return Sight(state=state, holding=Holding.ALIVE, ended=ended, head="")


def answer(state: RunState, *, ended: bool = False, parked_is_enough: bool = True) -> Answer:
    return sight(state, ended=ended).answer(2, parked_is_enough=parked_is_enough)


def test_a_request_that_the_journal_does_not_hold_is_only_filed() -> None:
    assert answer(RunState(requests=1), ended=True) is Answer.FILED


def test_a_request_in_the_journal_is_noted() -> None:
    assert answer(RunState(requests=2)) is Answer.NOTED


def test_a_runner_that_ended_after_noting_it_has_done_it() -> None:
    assert answer(RunState(requests=3), ended=True, parked_is_enough=False) is Answer.DONE


def test_a_runner_that_stays_has_paused_once_nothing_is_in_flight() -> None:
    assert answer(RunState(requests=2, paused=PAUSED)) is Answer.DONE
    assert answer(RunState(requests=2, paused=PAUSED, nodes=AT_WORK)) is Answer.NOTED


def test_a_way_back_is_not_paused() -> None:
    assert answer(RunState(requests=2, paused=PAUSED, mode=Mode.BACK)) is Answer.NOTED


@pytest.mark.parametrize("paused", [None, PAUSED])
def test_an_abort_is_not_done_before_the_ending(paused: Pause | None) -> None:
    state = RunState(requests=2, paused=paused)
    assert answer(state, parked_is_enough=False) is Answer.NOTED
