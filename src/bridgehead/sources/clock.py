"""When a recorded state was recorded: the newest time that the cluster itself wrote into it.

Counted are times at which something had happened. Never counted: spec and annotations, which hold
wishes and copies, and ``deletionTimestamp``, which lies in the future while a pod ends gracefully
(https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-deletion).
"""

from collections.abc import Iterable, Iterator

from bridgehead.core.model.json import JsonObject, child, children, text
from bridgehead.core.model.times import epoch
from bridgehead.sources.raw import RawObject

_CONDITION = ("lastTransitionTime", "lastHeartbeatTime", "lastProbeTime", "lastUpdateTime")
# core/v1 and events.k8s.io/v1 name the same times differently.
_EVENT = (
    "firstTimestamp",
    "lastTimestamp",
    "eventTime",
    "deprecatedFirstTimestamp",
    "deprecatedLastTimestamp",
)
_CONTAINERS = ("containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses")
_LEASE = ("acquireTime", "renewTime")


def newest_time(objects: Iterable[RawObject]) -> float | None:
    """Seconds since the epoch of the newest recorded time; None if there is none."""
    times = (epoch(written) for item in objects for written in _written(item))
    return max((time for time in times if time is not None), default=None)


def _written(item: RawObject) -> Iterator[str]:
    data = item.data
    yield text(data, "metadata", "creationTimestamp")
    for entry in children(data, "metadata", "managedFields"):
        yield text(entry, "time")
    for condition in children(data, "status", "conditions"):
        yield from (text(condition, name) for name in _CONDITION)
    for name in _CONTAINERS:
        for status in children(data, "status", name):
            yield from _container(status)
    if item.kind == "Event":
        yield from (text(data, name) for name in _EVENT)
        yield text(data, "series", "lastObservedTime")
    if item.kind == "Lease":
        yield from (text(data, "spec", name) for name in _LEASE)


def _container(status: JsonObject) -> Iterator[str]:
    for name in ("state", "lastState"):
        yield text(child(status, name, "running"), "startedAt")
        yield text(child(status, name, "terminated"), "startedAt")
        yield text(child(status, name, "terminated"), "finishedAt")
