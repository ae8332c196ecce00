"""What became of a rehearsed change is told by the run's exit and by what is missing."""

import pytest

from bridgehead.core.rehearsal.outcome import Missing, Outcome, Verdict
from bridgehead.core.verify.result import GateId, GateResult
from bridgehead.core.verify.result import Verdict as GateVerdict

FAILURE = GateResult(gate=GateId.ALLOCATABLE, node="n1", verdict=GateVerdict.FAIL)
MISSING = (Missing(node="n1", what="0 of 8"),)


@pytest.mark.parametrize(
    ("code", "failure", "missing", "verdict"),
    [
        (0, None, (), "passed"),
        (0, None, MISSING, "escaped"),
        (3, FAILURE, (), "caught"),
        (3, FAILURE, MISSING, "escaped"),
        (1, FAILURE, (), "caught"),
        (4, FAILURE, (), "caught"),
        (4, FAILURE, MISSING, "caught"),
        (6, None, (), "stopped"),
        (6, None, MISSING, "stopped"),
    ],
)
def test_an_exit_that_promises_more_than_there_is_is_an_escape(
    code: int, failure: GateResult | None, missing: tuple[Missing, ...], verdict: Verdict
) -> None:
    outcome = Outcome(fault="devices=0", exit=code, summary="", failure=failure, missing=missing)
    assert outcome.verdict == verdict
    assert outcome.good is (verdict != "escaped")


def test_the_change_as_it_is_must_go_through() -> None:
    assert Outcome(exit=0, summary="").good
    assert not Outcome(exit=3, summary="", failure=FAILURE).good
