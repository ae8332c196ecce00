"""Gates about what the node offers."""

import msgspec
import pytest

from bridgehead.core.model.device import Offer
from bridgehead.core.verify.device_gates import allocatable, healthy, refused_pods
from bridgehead.core.verify.gates import judge
from bridgehead.core.verify.log_gate import log
from bridgehead.core.verify.result import GateId, Verdict, failure, overdue
from tests.core.verify.cases import (
    CASE,
    GPU,
    NODE,
    NOW,
    POD,
    with_expected,
    with_offer,
    with_pod,
    with_track,
    with_view,
)

NO_NODE = with_view(node=None)


def test_allocatable_passes_after_two_equal_looks_settle_apart() -> None:
    assert allocatable(CASE).verdict is Verdict.PASS
    assert allocatable(with_track(offers_since=NOW - 29.9)).verdict is Verdict.WAIT
    assert allocatable(with_track(offers_since=NOW - 30)).verdict is Verdict.PASS


def test_allocatable_waits_until_the_status_can_tell_of_the_new_pod() -> None:
    result = allocatable(with_track(offers_since=None))
    assert result.verdict is Verdict.WAIT
    assert result.reason == "the node's status cannot tell of the new pod yet"


@pytest.mark.parametrize("offer", [Offer(8, 7), Offer(7, 7), Offer(8, 0), Offer(0, 0), None])
def test_fewer_devices_than_before_are_waited_for(offer: Offer | None) -> None:
    result = allocatable(with_offer(offer))
    assert result.verdict is Verdict.WAIT
    assert result.reason == f"the node does not offer as many {GPU} as before"


def test_more_devices_than_before_pass() -> None:
    assert allocatable(with_offer(Offer(9, 9))).verdict is Verdict.PASS


def test_a_baseline_that_was_bad_before_is_all_that_is_asked_for() -> None:
    bad = with_expected(with_offer(Offer(8, 7)), offers={GPU: Offer(8, 7)})
    assert allocatable(bad).verdict is Verdict.PASS
    assert healthy(bad).verdict is Verdict.PASS


def test_a_new_resource_name_is_shown_and_one_that_was_there_before_is_not() -> None:
    renamed = with_offer(Offer(8, 0), vendor_new=Offer(8, 8), vendor_nic=Offer(2, 2))
    result = allocatable(with_expected(renamed, others={"vendor/nic": Offer(2, 2)}))
    assert result.evidence[0].text == "vendor/new is new here: 8 of 8"
    assert not [item for item in result.evidence if "nic" in item.text]


def test_a_node_that_is_gone_is_unknown_never_good() -> None:
    assert allocatable(NO_NODE).verdict is Verdict.UNKNOWN
    assert healthy(NO_NODE).verdict is Verdict.UNKNOWN


def test_one_more_unhealthy_device_fails() -> None:
    result = healthy(with_offer(Offer(8, 7)))
    assert (result.verdict, result.seen) == (Verdict.FAIL, f"{GPU} 1 unhealthy")


def test_nothing_allocatable_is_ambiguous_unless_the_same_pod_had_shown_its_devices() -> None:
    """Capacity stays for five minutes after a plugin's end: 8/0 may be the former plugin's."""
    assert healthy(with_track(with_offer(Offer(8, 0)), good=False)).verdict is Verdict.PASS
    assert healthy(with_offer(Offer(8, 0))).verdict is Verdict.FAIL


def test_healthy_waits_until_the_status_can_tell() -> None:
    assert healthy(with_track(with_offer(Offer(8, 7)), offers_since=None)).verdict is Verdict.WAIT


def test_unhealthy_devices_are_seen_again_before_they_fail() -> None:
    assert (
        healthy(with_track(with_offer(Offer(8, 7)), offers_since=NOW - 1)).verdict is Verdict.WAIT
    )


def test_fewer_devices_of_which_none_is_unhealthy_are_not_this_gates_business() -> None:
    assert healthy(with_offer(Offer(7, 7))).verdict is Verdict.PASS


def test_a_newly_refused_pod_fails_and_one_that_was_refused_before_does_not() -> None:
    pod = msgspec.structs.replace(
        POD, uid="r1", name="job-1", phase="Failed", reason="UnexpectedAdmissionError", message="no"
    )
    case = with_view(refused=(pod,))
    result = refused_pods(case)
    assert (result.verdict, result.seen) == (Verdict.FAIL, "1 refused")
    assert result.evidence[0].text == "UnexpectedAdmissionError: no"
    assert refused_pods(with_expected(case, refused=frozenset({"r1"}))).verdict is Verdict.PASS
    assert refused_pods(CASE).verdict is Verdict.PASS


def test_the_log_gate_fails_on_a_known_fault_and_quotes_its_line() -> None:
    result = log(with_view(log="starting\npanic: runtime error: index out of range\nbye"))
    assert result.verdict is Verdict.FAIL
    assert result.evidence[0].text == "panic: runtime error: index out of range"


def test_the_log_gate_passes_where_a_later_line_takes_the_fault_back() -> None:
    text = "could not register device plugin for gpu\nRegistered device plugin for 'g' with Kubelet"
    assert log(with_view(log=text)).verdict is Verdict.PASS
    assert log(with_view(log="")).verdict is Verdict.PASS


def test_a_log_that_was_not_read_is_waited_for_and_one_that_cannot_be_is_unknown() -> None:
    assert log(with_view(log=None)).verdict is Verdict.WAIT
    result = log(with_view(log=None, log_unread="pods/log is forbidden"))
    assert result.verdict is Verdict.UNKNOWN
    assert result.reason == "the log could not be read: pods/log is forbidden"


def test_an_unknown_gate_fails_at_the_deadline_in_words_of_its_own() -> None:
    results = judge(with_view(log=None, log_unread="pods/log is forbidden"))
    late = overdue(results, 240)
    assert late is not None
    assert (late.gate, late.verdict) == (GateId.LOG, Verdict.FAIL)
    assert late.reason == (
        "could not be verified within 240 s: the log could not be read: pods/log is forbidden"
    )


def test_all_gates_pass_and_nothing_is_overdue_on_a_good_node() -> None:
    results = judge(CASE)
    assert {item.verdict for item in results} == {Verdict.PASS}
    assert failure(results) is None
    assert overdue(results, 240) is None


def test_on_a_node_that_is_not_ready_what_is_waited_for_is_unknown() -> None:
    blind = with_view(with_track(offers_since=None), node=msgspec.structs.replace(NODE, ready=None))
    verdicts = {item.gate: item.verdict for item in judge(blind)}
    assert verdicts[GateId.ALLOCATABLE] is Verdict.UNKNOWN
    assert verdicts[GateId.POD_READY] is Verdict.PASS


def test_the_failure_that_is_told_is_the_cause_not_the_effect() -> None:
    crashed = with_pod(
        with_offer(Offer(8, 0)),
        ready=False,
        containers=tuple(
            msgspec.structs.replace(item, restarts=3, ready=False) for item in POD.containers
        ),
    )
    found = failure(judge(crashed))
    assert found is not None
    assert found.gate is GateId.POD_READY
