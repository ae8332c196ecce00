"""Nodes that have passed stay under watch: what fails them, and what does not."""

import msgspec
import pytest

from bridgehead.core.model.device import Offer
from bridgehead.core.verify.case import Case
from bridgehead.core.verify.result import GateId
from bridgehead.core.verify.soak import Verified, disturbed, soak_failure
from tests.core.verify.cases import (
    CASE,
    NODE,
    POD,
    with_container,
    with_offer,
    with_pod,
    with_view,
)

VERIFIED = Verified(pod="new", restarts=1)
ONE_RESTART = with_container(restarts=1)


def gate_of(case: Case) -> GateId | None:
    failed = soak_failure(case, VERIFIED)
    return failed.gate if failed else None


def test_a_node_that_is_as_it_was_fails_nothing() -> None:
    assert gate_of(ONE_RESTART) is None


def test_a_restart_fails_and_the_restarts_before_it_passed_do_not() -> None:
    assert gate_of(with_container(restarts=2)) is GateId.POD_READY


@pytest.mark.parametrize("state", ["waiting", "terminated"])
def test_a_container_that_has_ended_fails_before_it_is_counted_as_a_restart(state: str) -> None:
    assert gate_of(with_container(restarts=1, state=state, reason="Error")) is GateId.POD_READY


def test_unhealthy_devices_and_lost_devices_are_told_apart() -> None:
    assert gate_of(with_offer(Offer(8, 7), ONE_RESTART)) is GateId.HEALTHY
    assert gate_of(with_offer(Offer(7, 7), ONE_RESTART)) is GateId.ALLOCATABLE
    assert gate_of(with_offer(None, ONE_RESTART)) is GateId.ALLOCATABLE


def test_devices_that_were_just_seen_to_be_away_fail_nothing_yet() -> None:
    """A plugin that ends shows so first, and the end of its container tells more."""
    away = with_offer(Offer(8, 0), ONE_RESTART)
    seen = msgspec.structs.replace(away.track, offers=(Offer(8, 0),), offers_since=away.now - 29)
    assert gate_of(msgspec.structs.replace(away, track=seen)) is None
    long = msgspec.structs.replace(seen, offers_since=away.now - 30)
    assert gate_of(msgspec.structs.replace(away, track=long)) is GateId.HEALTHY


def test_the_devices_of_a_node_that_is_not_ready_are_not_judged() -> None:
    ill = msgspec.structs.replace(NODE, ready=False, offers={})
    assert gate_of(with_view(ONE_RESTART, node=ill)) is None


def test_a_pod_that_is_refused_and_a_fault_in_the_log_fail() -> None:
    refused = msgspec.structs.replace(POD, uid="r", phase="Failed", reason="Unexpected")
    assert gate_of(with_view(ONE_RESTART, refused=(refused,))) is GateId.REFUSED_PODS
    assert gate_of(with_view(ONE_RESTART, log="panic: runtime error")) is GateId.LOG


def test_a_log_that_was_not_read_fails_nothing() -> None:
    assert gate_of(with_view(ONE_RESTART, log=None, log_unread="forbidden")) is None


def test_another_pod_is_a_disturbance_and_no_failure() -> None:
    other = with_pod(uid="other")
    assert disturbed(other, VERIFIED)
    assert gate_of(other) is None


def test_the_same_pod_and_no_pod_are_no_disturbance() -> None:
    assert not disturbed(CASE, VERIFIED)
    assert not disturbed(with_view(pods=()), VERIFIED)
    assert gate_of(with_view(pods=())) is None


def test_what_the_ended_instance_said_last_is_quoted_and_not_what_the_next_one_says() -> None:
    again = with_view(with_container(restarts=2), log="it stops\nstarted", last_words="it stops")
    failed = soak_failure(again, VERIFIED)
    assert failed is not None
    assert failed.evidence[0].text == "it stops"
