"""The newest time is one that the cluster wrote about what had happened."""

import pytest

from bridgehead.core.model.json import JsonObject
from bridgehead.core.model.times import epoch
from bridgehead.sources.clock import newest_time
from bridgehead.sources.raw import RawObject

OLD, NEW = "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"


def recorded(kind: str, **data: object) -> RawObject:
    base: dict[str, object] = {"metadata": {"creationTimestamp": OLD}}
    value: JsonObject = {"kind": kind, "apiVersion": "v1", **base, **data}  # type: ignore[dict-item]
    return RawObject(value, "f.yaml", 1)


@pytest.mark.parametrize(
    "item",
    [
        recorded("Pod", metadata={"creationTimestamp": NEW}),
        recorded("Pod", metadata={"managedFields": [{"time": OLD}, {"time": NEW}]}),
        recorded(
            "Node", status={"conditions": [{"lastTransitionTime": OLD}, {"lastHeartbeatTime": NEW}]}
        ),
        recorded("Pod", status={"containerStatuses": [{"state": {"running": {"startedAt": NEW}}}]}),
        recorded(
            "Pod",
            status={"initContainerStatuses": [{"lastState": {"terminated": {"finishedAt": NEW}}}]},
        ),
        recorded("Event", lastTimestamp=NEW),
        recorded("Event", series={"lastObservedTime": "2026-01-02T00:00:00.000000Z"}),
        recorded("Lease", spec={"renewTime": "2026-01-02T00:00:00.000000Z"}),
    ],
)
def test_a_time_that_counts(item: RawObject) -> None:
    assert newest_time([recorded("Node"), item]) == epoch(NEW)


@pytest.mark.parametrize(
    "item",
    [
        recorded("Pod", metadata={"creationTimestamp": OLD, "deletionTimestamp": NEW}),
        recorded("Pod", metadata={"creationTimestamp": OLD, "annotations": {"at": NEW}}),
        recorded("Pod", spec={"renewTime": NEW}),
        recorded("Pod", lastTimestamp=NEW),
        recorded("Pod", metadata={"creationTimestamp": "2026-01-02T00:00:00"}),
        recorded("Pod", metadata={"creationTimestamp": "soon"}),
    ],
)
def test_a_time_that_does_not_count(item: RawObject) -> None:
    assert newest_time([recorded("Node"), item]) == epoch(OLD)


def test_no_time_at_all() -> None:
    assert newest_time([]) is None


def test_nanoseconds_are_read() -> None:
    assert epoch("2026-01-01T00:00:00.123456789Z") == pytest.approx(1767225600.123456)
