"""What a runner makes of its run's record when it changes under it."""

from typing import Any

import pytest

from bridgehead.cluster.record import Record, record_object
from bridgehead.cluster.record_view import RecordView
from bridgehead.core.rollout.control import Abort, Pause, Request, appended
from bridgehead.kube.decoding import convert
from bridgehead.kube.objects.cluster import ConfigMap
from tests.cluster.pure import plan

PAUSE = Pause(time="2026-01-31T12:00:00.000Z", identity="me")
ABORT = Abort(time="2026-01-31T12:01:00.000Z", identity="me")


def record(*asked: Request) -> Record:
    control = ""
    for request in asked:
        control = appended(control, request)
    return Record(
        run="change-1", owner="team", spec="kind: Rollout\n", plan=plan(), control=control
    )


def stored(made: Record, **data: str) -> ConfigMap:
    body: dict[str, Any] = record_object(made, "state")
    body["data"] |= data
    return convert(body, ConfigMap, "configmap")


def test_a_record_that_is_as_it_was_has_nothing_wrong() -> None:
    seen = RecordView(record(), "state").look(stored(record()))
    assert (seen.control, seen.trouble) == ((), "")


def test_requests_are_read_in_order_and_change_nothing_else() -> None:
    view = RecordView(record(PAUSE), "state")
    seen = view.look(stored(record(PAUSE, ABORT)))
    assert (seen.control, seen.trouble) == ((PAUSE, ABORT), "")


@pytest.mark.parametrize("key", ["spec", "changeDigest", "planDigest", "owner", "component"])
def test_a_key_that_was_edited_is_named(key: str) -> None:
    seen = RecordView(record(), "state").look(stored(record(), **{key: "other"}))
    assert seen.trouble == (
        f"the record of run change-1 (configmap state/change-1) was edited: {key} changed"
    )


def test_a_plan_that_was_exchanged_is_named() -> None:
    other = Record(
        run="change-1",
        owner="team",
        spec="kind: Rollout\n",
        plan=plan(changes={"plugin": "registry.example/plugin:3"}),
    )
    seen = RecordView(record(), "state").look(stored(other))
    assert seen.trouble.endswith("was edited: the plan changed")


def test_a_record_of_another_schema_is_told_as_such() -> None:
    seen = RecordView(record(), "state").look(stored(record(), schema="bridgehead.dev/run/v9"))
    assert "was edited" in seen.trouble
    assert "run/v9" in seen.trouble


def test_a_line_that_cannot_be_read_is_named_and_the_requests_before_stay() -> None:
    view = RecordView(record(), "state")
    view.look(stored(record(PAUSE)))
    seen = view.look(stored(record(), control=f"{record(PAUSE).control}stop it now\n"))
    assert (seen.control, seen.trouble) == ((PAUSE,), "")
    assert "(configmap state/change-1): line 2 under the key control cannot be read" in seen.unread
    assert view.look(stored(record(PAUSE))).unread == ""  # taken out again: no request is missed


def test_an_abort_after_a_line_that_cannot_be_read_is_heard() -> None:
    control = appended("garbage {", ABORT)
    view = RecordView(record(), "state")
    assert view.look(stored(record(), control=control)).control == (ABORT,)
    seen = view.look(stored(record(ABORT)))
    assert (seen.control, seen.trouble, seen.unread) == ((ABORT,), "", "")


@pytest.mark.parametrize("control", ["", record(ABORT).control])
def test_requests_that_were_taken_away_are_missed(control: str) -> None:
    view = RecordView(record(), "state")
    view.look(stored(record(PAUSE)))
    seen = view.look(stored(record(), control=control))
    assert seen.trouble.endswith("requests that were there before are gone or changed")
    assert seen.control == (PAUSE,)


def test_requests_that_the_runner_had_loaded_are_missed_from_its_first_look() -> None:
    seen = RecordView(record(PAUSE), "state").look(stored(record()))
    assert seen.trouble.endswith("requests that were there before are gone or changed")


def test_requests_that_the_journal_holds_are_missed_by_whoever_takes_over() -> None:
    seen = RecordView(record(), "state", noted=1).look(stored(record()))
    assert seen.trouble.endswith("requests that were there before are gone or changed")
    assert RecordView(record(PAUSE), "state", noted=1).look(stored(record(PAUSE))).trouble == ""


def test_a_deleted_record_keeps_what_was_asked() -> None:
    view = RecordView(record(), "state")
    view.look(stored(record(PAUSE)))
    seen = view.gone()
    assert seen.control == (PAUSE,)
    assert seen.trouble == ("the record of run change-1 (configmap state/change-1) was deleted")
