"""Objects that are stored under one group and served under two: events.

Source: pkg/apis/events/v1/conversion.go of Kubernetes 1.37.
"""

from collections.abc import Mapping

from bridgehead.twin.kinds import Kind
from bridgehead.twin.objects import Object

_EVENT_FIELDS: Mapping[str, str] = {
    "involvedObject": "regarding",
    "message": "note",
    "source": "deprecatedSource",
    "firstTimestamp": "deprecatedFirstTimestamp",
    "lastTimestamp": "deprecatedLastTimestamp",
    "count": "deprecatedCount",
    "reportingComponent": "reportingController",
}
"""Names in the core group, and what ``events.k8s.io`` calls them."""
_EVENT_NAMES = {name: core for core, name in _EVENT_FIELDS.items()}


def served(kind: Kind, obj: Object) -> Object:
    """A stored object as a kind has it."""
    if kind.group == "events.k8s.io":
        obj = {_EVENT_FIELDS.get(key, key): value for key, value in obj.items()}
    if obj.get("apiVersion") == kind.api_version:
        return obj
    return {**obj, "apiVersion": kind.api_version, "kind": kind.kind}


def stored(kind: Kind, obj: Object) -> Object:
    """An object of a kind as it is stored."""
    if kind.group != "events.k8s.io":
        return obj
    return {
        **{_EVENT_NAMES.get(key, key): value for key, value in obj.items()},
        "apiVersion": "v1",
    }
