"""Events as real components write them: named, counted, combined, limited, gone after an hour."""

import asyncio
from collections.abc import Callable

from bridgehead.twin.clock import Clock
from bridgehead.twin.controllers.correlation import BURST, COMBINED, MANY, Correlator
from bridgehead.twin.controllers.events import EVENTS, EventExpiry, announce, forget, record
from bridgehead.twin.errors import bad_request
from bridgehead.twin.identifiers import Identifiers
from bridgehead.twin.kinds import Kinds
from bridgehead.twin.objects import Object
from bridgehead.twin.registry import Admit, Attempt, Registry
from bridgehead.twin.schema.builtin import builtin_kinds
from bridgehead.twin.store import Store

POD: Object = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"namespace": "ai", "name": "web", "uid": "u-1", "resourceVersion": "7"},
}


def registry(speed: float = 1.0, admit: Admit = lambda attempt: attempt.object) -> Registry:
    clock = Clock(start=1_800_000_000.0, speed=speed)
    return Registry(Kinds(builtin_kinds()), Store(), clock, Identifiers(1), admit)


def events(twin: Registry) -> list[Object]:
    return list(twin.store.select(EVENTS))


def started(twin: Registry, message: str = "Started container main") -> None:
    record(
        twin,
        POD,
        "Normal",
        "Started",
        message,
        component="kubelet",
        host="node-1",
        field_path="spec.containers{main}",
    )


async def test_an_event_is_named_after_its_object_and_the_moment() -> None:
    twin = registry()
    started(twin)
    (event,) = events(twin)
    name, _, moment = event["metadata"]["name"].rpartition(".")
    assert name == "web"
    assert int(moment, 16) // 10**9 == 1_800_000_000
    assert event["metadata"]["namespace"] == "ai"
    assert event["involvedObject"] == {
        "kind": "Pod",
        "namespace": "ai",
        "name": "web",
        "uid": "u-1",
        "apiVersion": "v1",
        "resourceVersion": "7",
        "fieldPath": "spec.containers{main}",
    }
    assert event["source"] == {"component": "kubelet", "host": "node-1"}
    assert (event["reportingComponent"], event["reportingInstance"]) == ("kubelet", "node-1")
    assert event["firstTimestamp"] == event["lastTimestamp"] == "2027-01-15T08:00:00Z"
    assert (event["count"], event["eventTime"]) == (1, None)


async def test_an_equal_event_raises_the_count() -> None:
    twin = registry()
    started(twin)
    started(twin)
    (event,) = events(twin)
    assert event["count"] == 2


async def test_two_events_at_one_moment_have_two_names() -> None:
    twin = registry()
    started(twin, "one")
    started(twin, "two")
    assert len(events(twin)) == 2


async def test_events_of_cluster_wide_objects_are_in_the_default_namespace() -> None:
    twin = registry()
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "node-1", "uid": "n"}}
    record(twin, node, "Normal", "NodeReady", "ready", component="kubelet", host="node-1")
    assert events(twin)[0]["metadata"]["namespace"] == "default"
    assert "namespace" not in events(twin)[0]["involvedObject"]


async def test_many_that_differ_by_their_message_are_combined() -> None:
    twin = registry()
    for number in range(MANY + 3):
        started(twin, f"try {number}")
    combined = [event for event in events(twin) if event["message"].startswith(COMBINED)]
    assert len(events(twin)) == MANY
    assert [event["count"] for event in combined] == [4]
    assert combined[0]["message"] == f"{COMBINED}try {MANY + 2}"


async def test_no_more_than_a_burst_is_written() -> None:
    twin = registry()
    for _ in range(BURST + 5):
        started(twin)
    assert events(twin)[0]["count"] == BURST


async def test_a_component_that_starts_again_begins_a_new_event() -> None:
    twin = registry()
    started(twin)
    forget(twin, "kubelet", "node-1")
    started(twin)
    assert [event["count"] for event in events(twin)] == [1, 1]


def test_another_event_is_allowed_every_five_minutes() -> None:
    memory = Correlator()
    assert [memory.allowed("pod", 0.0) for _ in range(BURST + 1)][-2:] == [True, False]
    assert not memory.allowed("pod", 299.0)
    assert memory.allowed("pod", 301.0)


async def test_an_announced_event_has_an_action_and_becomes_a_series() -> None:
    twin = registry()

    def failed(note: str) -> None:
        announce(
            twin,
            POD,
            "Warning",
            "FailedScheduling",
            note,
            action="Scheduling",
            component="default-scheduler",
            instance="default-scheduler-vm",
        )

    failed("0/1 nodes are available")
    (event,) = events(twin)
    assert (event["firstTimestamp"], event["lastTimestamp"]) == (None, None)
    assert event["eventTime"].startswith("2027-01-15T08:00:00.")
    assert (event["action"], event["source"]) == ("Scheduling", {})
    assert "series" not in event
    failed("0/2 nodes are available")
    failed("0/3 nodes are available")
    (event,) = events(twin)
    assert event["series"]["count"] == 2
    assert event["message"] == "0/1 nodes are available"


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(10):
        while not condition():  # noqa: ASYNC110 - the twin tells nobody
            await asyncio.sleep(0.005)


async def test_an_event_goes_an_hour_after_its_last_write() -> None:
    twin = registry(speed=36_000.0)
    EventExpiry(twin).start()
    started(twin)
    began = twin.clock.now()
    twin.clock.after(1800.0, lambda: started(twin))
    await until(lambda: not events(twin))
    assert twin.clock.now() - began >= 5400.0


async def test_an_event_of_a_namespace_that_takes_none_is_dropped() -> None:
    def refuse(attempt: Attempt) -> Object:
        raise bad_request("no")

    twin = registry(admit=refuse)
    started(twin)
    assert events(twin) == []
