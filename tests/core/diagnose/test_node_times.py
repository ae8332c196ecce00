"""When a kubelet has started: by its event, else no earlier than the node became Ready."""

from bridgehead.core.diagnose.node_times import starts_of
from bridgehead.core.findings.observed import Event
from bridgehead.core.model.json import JsonObject


def node(status: str = "True") -> JsonObject:
    """A node whose Ready condition has changed 100 s after the epoch."""
    at = "1970-01-01T00:01:40Z"
    condition: JsonObject = {"type": "Ready", "status": status, "lastTransitionTime": at}
    return {"metadata": {"name": "n1"}, "status": {"conditions": [condition]}}


def event(reason: str, message: str, at: float) -> Event:
    return Event(
        type="Normal", reason=reason, message=message, kind="Node", namespace="", name="n1", last=at
    )


def test_the_last_event_of_a_start_counts_and_is_sure() -> None:
    events = [event("Starting", "Starting kubelet.", 50.0), event("Rebooted", "boot id: x", 70.0)]
    found = starts_of(events, [node()])["n1"]
    assert (found.at, found.sure) == (70.0, True)
    assert found.evidence.text == "boot id: x"


def test_the_start_of_something_else_is_none() -> None:
    assert starts_of([event("Starting", "", 50.0)], []) == {}


def test_without_an_event_the_ready_condition_is_a_weaker_sign() -> None:
    found = starts_of([], [node()])["n1"]
    assert (found.at, found.sure) == (100.0, False)


def test_a_node_that_is_not_ready_tells_of_no_start() -> None:
    assert starts_of([], [node("False")]) == {}
