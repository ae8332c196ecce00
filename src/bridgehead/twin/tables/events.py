"""Rows of events. Source: ``printEvent``."""

from typing import Any

from bridgehead.twin.objects import Object, at, name_of, text
from bridgehead.twin.tables.durations import since


def event(obj: Object, now: float) -> list[Any]:
    """Last Seen, Type, Reason, Object, Subobject, Source, Message, First Seen, Count, Name.

    Both groups' forms are read: what is ``involvedObject`` in the core is ``regarding`` in
    events.k8s.io, and the old fields are there as ``deprecated...``.
    """
    first = _first(obj, "firstTimestamp", "deprecatedFirstTimestamp") or text(obj, "eventTime")
    last = _first(obj, "lastTimestamp", "deprecatedLastTimestamp") or first
    count = obj.get("count") or obj.get("deprecatedCount") or 1
    if (series := at(obj, "series")) is not None:
        last, count = text(series, "lastObservedTime"), series.get("count") or 0
    involved = obj.get("involvedObject") or obj.get("regarding") or {}
    kind, name = text(involved, "kind").lower(), text(involved, "name")
    return [
        since(last, now),
        text(obj, "type"),
        text(obj, "reason"),
        f"{kind}/{name}" if name else kind,
        text(involved, "fieldPath"),
        _source(obj),
        _first(obj, "message", "note").strip(),
        since(first, now),
        count,
        name_of(obj),
    ]


def _source(obj: Object) -> str:
    source = obj.get("source") or obj.get("deprecatedSource") or {}
    component = text(source, "component") or _first(
        obj, "reportingComponent", "reportingController"
    )
    instance = text(source, "host") or text(obj, "reportingInstance")
    return f"{component}, {instance}" if instance else component


def _first(obj: Object, *keys: str) -> str:
    return next((found for key in keys if (found := text(obj, key))), "")
