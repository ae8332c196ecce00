"""Which rung is taken, and how what a node showed is read over time."""

import pytest

from bridgehead.core.diagnose.cause import RollbackHelps
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.observed import Reading
from bridgehead.core.journal.entry import Entry, Phase, stamp
from bridgehead.core.model.device import Offer
from bridgehead.core.recover.choice import choose
from bridgehead.core.recover.coming_back import back, steady
from bridgehead.core.recover.ladder import LADDER
from bridgehead.core.recover.past import past_of
from bridgehead.core.recover.rung import Rung
from bridgehead.rules.catalogue import DIAGNOSIS
from tests.core.recover.stage import NOW, R, cause, node, plugin_pod, situation, workload

OTHERS = tuple(plugin_pod(number) for number in (2, 3, 4))


def test_waiting_comes_before_every_other_rung() -> None:
    young = (plugin_pod(1, created=NOW - 10), *OTHERS)
    found = choose(situation(causes=(cause("stream-ended"),), plugin_pods=young))
    assert found.chosen is not None
    assert found.chosen.rung is Rung.WAIT


def test_the_rung_of_the_most_probable_cause_is_taken() -> None:
    causes = (cause("stream-ended"), cause("driver-library-mismatch"))
    found = choose(situation(causes=causes))
    assert found.chosen is not None
    assert found.chosen.rung is Rung.RESTART
    assert [item.rung for item in found.assessments] == [Rung.RESTART, Rung.CORDON]


def test_where_the_gentler_rung_is_not_ready_the_next_one_of_the_cause_is_taken() -> None:
    hard = cause("xid-reported", quoted="XidCriticalError: Xid=79")
    found = choose(situation(causes=(hard,)))
    assert found.chosen is not None
    assert found.chosen.rung is Rung.CORDON


def test_a_busy_node_whose_device_was_unplugged_is_drained_by_hand_first() -> None:
    gone = (cause("device-removed-under-plugin"),)
    busy = choose(situation(causes=gone, pods=(workload("holder"),)))
    assert busy.chosen is None
    assert busy.first == ("drain the node: pods hold devices that are gone",)
    idle = choose(situation(causes=gone))
    assert idle.chosen is not None
    assert idle.chosen.rung is Rung.RESTART


def test_a_cause_off_the_ladder_is_helped_by_no_rung() -> None:
    found = choose(situation(causes=(cause("label-of-another-shape"),)))
    assert (found.chosen, found.assessments) == (None, ())
    assert "no rung repairs label-of-another-shape" in found.why


def test_a_cause_off_the_ladder_is_taken_at_its_word_as_far_as_that_is_harmless() -> None:
    said = frozenset({Rung.CORDON, Rung.RESTART, Rung.DEAD_NAME})
    found = choose(situation(causes=(cause("toolkit-hook-fails", advice=said),)))
    assert [item.rung for item in found.assessments] == [Rung.CORDON]


def test_every_cause_of_the_ladder_is_a_rule() -> None:
    assert set(LADDER) <= {rule.name for rule in DIAGNOSIS}


def test_devices_that_are_unhealthy_are_missing_though_nobody_says_how_many_there_should_be() -> (
    None
):
    alone = situation(bad=node(1, Offer(4, 3)), others=())
    assert [str(item.offer) for item in alone.missing] == ["4/3"]
    whole = situation(bad=node(1), others=())
    assert (whole.missing, whole.expectations_known) == ((), True)


def test_something_seen_that_is_no_fault_asks_for_nothing() -> None:
    found = choose(
        situation(bad=node(1), causes=(cause("device-unplugged", severity=Severity.INFO),))
    )
    assert (found.chosen, found.assessments) == (None, ())


def test_without_a_cause_a_restart_is_weighed_and_not_taken() -> None:
    found = choose(situation())
    assert found.chosen is None
    assert [item.rung for item in found.assessments] == [Rung.RESTART]


def test_no_cause_asks_for_a_restart_that_it_rules_out() -> None:
    assert not [rule for rule, fit in LADDER.items() if fit.never and Rung.RESTART in fit.rungs]


def readings(*values: tuple[float, int | None, int | None]) -> list[Reading]:
    return [
        Reading(at=at, node="n1", resource=R, capacity=capacity, allocatable=allocatable)
        for at, capacity, allocatable in values
    ]


@pytest.mark.parametrize(
    ("values", "settled"),
    [
        ([(0, 4, 4)], False),
        ([(0, 4, 4), (29, 4, 4)], False),
        ([(0, 4, 4), (30, 4, 4)], True),
        ([(0, 4, 4), (10, 4, 0), (30, 4, 4)], False),
        ([(0, 4, 0), (10, 4, 4), (41, 4, 4)], True),
    ],
)
def test_two_equal_looks_half_a_minute_apart_are_steady(
    values: list[tuple[float, int | None, int | None]], settled: bool
) -> None:
    assert steady(readings(*values), 30.0) is settled


def test_devices_are_back_when_all_that_was_missing_is_there() -> None:
    short = situation()
    assert not back(short, node(1, Offer(4, 3)))
    assert not back(short, node(1, offers={}))
    assert back(short, node(1, Offer(4, 4)))


def test_every_intent_counts_whatever_came_of_it() -> None:
    def entry(seq: int, phase: Phase, rung: str) -> Entry:
        return Entry(
            seq=seq,
            time=stamp(float(seq)),
            run="r",
            owner="",
            identity="me",
            step="recover",
            phase=phase,
            node="n1",
            detail={"rung": rung, "what": "pod"},
        )

    past = past_of(
        [
            entry(1, Phase.INTENT, "R1"),
            entry(2, Phase.OUTCOME, "R1"),
            entry(3, Phase.NOTE, "R1"),
            entry(4, Phase.INTENT, "R9"),
            entry(5, Phase.INTENT, "R4"),
        ]
    )
    assert [(item.at, item.rung, item.what) for item in past] == [
        (1.0, Rung.RESTART, "pod"),
        (5.0, Rung.CORDON, "pod"),
    ]


def test_where_the_former_version_would_run_the_way_back_is_offered_for_any_cause() -> None:
    found = choose(situation(causes=(cause("fewer-devices", rollback_helps=RollbackHelps.YES),)))
    assert [item.rung for item in found.assessments] == [Rung.ROLL_BACK]
