"""Where the records of runs and of earlier recoveries could not be read."""

import pytest

from bridgehead.core.model.device import Offer
from bridgehead.core.recover.choice import assess, choose
from bridgehead.core.recover.precondition import Verdict
from bridgehead.core.recover.rung import Rung
from bridgehead.core.recover.situation import Situation
from tests.core.recover.stage import R, cause, node, of, refused, situation

WHY = "configmaps may not be listed"


def unrecorded(rule: str, **more: object) -> Situation:
    return situation(causes=(cause(rule),), unrecorded=WHY, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("rung", "words"),
    [
        (Rung.RESTART, "no run keeps the component"),
        (Rung.RESTART, "at most one restart a node and hour"),
        (Rung.ROLL_BACK, "a run has failed and keeps the component"),
        (Rung.ROLL_BACK, "the former revision is proven"),
        (Rung.PRUNE, "at most one pruning"),
        (Rung.DEAD_NAME, "at most one removal"),
    ],
)
def test_what_only_records_tell_is_not_known(rung: Rung, words: str) -> None:
    condition = of(assess(unrecorded("stream-ended", resource=R), rung), words)
    assert condition.verdict is Verdict.NOT_KNOWN
    if words.startswith(("no run", "at most", "a run")):
        assert WHY in condition.evidence


def test_what_needs_no_record_is_judged_and_nothing_is_chosen_without_the_rest() -> None:
    choice = choose(unrecorded("stream-ended"))
    assert choice.chosen is None
    (restart,) = choice.assessments
    assert of(restart, "the same revision is healthy on another node").met
    assert {item.what for item in restart.obstacles} == {
        "no run keeps the component",
        "at most one restart a node and hour",
    }


def test_a_cordon_needs_no_record_and_stays_possible() -> None:
    choice = choose(unrecorded("driver-library-mismatch"))
    assert choice.chosen is not None
    assert choice.chosen.rung is Rung.CORDON


def test_pods_that_could_be_removed_wait_for_the_journal() -> None:
    seen = unrecorded(
        "plugin-later-than-pods",
        bad=node(1, Offer(4, 4)),
        pods=(refused("a", 900), refused("b", 800)),
    )
    (prune,) = choose(seen).assessments
    assert [item.what for item in prune.obstacles] == ["at most one pruning a node in 5 min"]
