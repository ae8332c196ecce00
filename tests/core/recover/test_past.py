"""What the journal of recoveries tells of those that nobody saw to their end."""

import pytest

from bridgehead.core.journal.entry import Entry, Phase
from bridgehead.core.recover.choice import assess
from bridgehead.core.recover.past import Past, past_of, without_verdict
from bridgehead.core.recover.rung import Rung
from tests.core.recover.stage import NOW, of, situation

BEGUN = (Phase.INTENT, "")
DONE = (Phase.OUTCOME, "done")


def journal(*records: tuple[Phase, str], rung: str = "R1", node: str = "n1") -> tuple[Entry, ...]:
    return tuple(
        Entry(
            seq=number,
            time="2026-01-31T12:00:00.000Z",
            run="recoveries",
            owner="",
            identity="somebody",
            step="recover",
            phase=phase,
            node=node,
            result=result,
            detail={"rung": rung, "what": "gpu/plugin-1"},
        )
        for number, (phase, result) in enumerate(records, start=1)
    )


@pytest.mark.parametrize(
    ("records", "ended"),
    [
        ((BEGUN,), ""),
        ((BEGUN, DONE), ""),
        ((BEGUN, DONE, (Phase.NOTE, "verified")), "verified"),
        ((BEGUN, DONE, (Phase.NOTE, "failed")), "failed"),
        ((BEGUN, DONE, (Phase.NOTE, "interrupted")), "interrupted"),
        ((BEGUN, (Phase.OUTCOME, "failed")), "failed"),
    ],
)
def test_a_recovery_has_ended_once_a_record_says_how(
    records: tuple[tuple[Phase, str], ...], ended: str
) -> None:
    (past,) = past_of(journal(*records))
    assert past.ended == ended
    assert past.identity == "somebody"
    assert bool(without_verdict((past,))) is (ended in {"", "interrupted"})


def test_of_a_persons_own_command_nothing_follows_its_outcome() -> None:
    (past,) = past_of(journal(BEGUN, DONE, rung="reboot"))
    assert past.ended == "done"


def test_a_later_recovery_of_the_node_takes_the_place_of_one_without_a_verdict() -> None:
    first = journal(BEGUN)
    later = journal(BEGUN, DONE, (Phase.NOTE, "verified"), rung="R4")
    elsewhere = journal(BEGUN, node="n2")
    assert without_verdict(past_of((*first, *later))) == ()
    assert [item.node for item in without_verdict(past_of((*first, *elsewhere)))] == ["n1", "n2"]


def test_the_limit_says_of_the_last_one_that_nothing_tells_how_it_ended() -> None:
    begun = Past(at=NOW - 120, rung=Rung.RESTART, node="n1", what="gpu/plugin-1")
    limit = of(assess(situation(past=(begun,)), Rung.RESTART), "at most one restart")
    assert limit.evidence == (
        "the last one (gpu/plugin-1) was begun 2 min ago, and nothing says how it ended"
    )
