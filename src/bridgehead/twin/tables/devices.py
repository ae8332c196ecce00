"""Rows of dynamic resource allocation: claims, slices, taints of devices."""

from typing import Any

from bridgehead.twin.objects import Object, at, items, name_of, text
from bridgehead.twin.tables.cells import age, word
from bridgehead.twin.tables.durations import since


def claim(obj: Object, now: float) -> list[Any]:
    """Source: ``printResourceClaim``."""
    states = ["deleted"] if text(obj, "metadata", "deletionTimestamp") else []
    if at(obj, "status", "allocation") is None:
        states = states or ["pending"]
    else:
        states.append("allocated")
        if items(obj, "status", "reservedFor"):
            states.append("reserved")
    return [name_of(obj), ",".join(states), age(obj, now)]


def resource_slice(obj: Object, now: float) -> list[Any]:
    """Source: ``printResourceSlice``."""
    return [
        name_of(obj),
        word(obj, "spec", "nodeName"),
        word(obj, "spec", "driver"),
        word(obj, "spec", "pool", "name"),
        age(obj, now),
    ]


def taint_rule(obj: Object, now: float) -> list[Any]:
    """Source: ``printDeviceTaint``."""
    added = at(obj, "spec", "taint", "timeAdded")
    return [
        name_of(obj),
        *(word(obj, "spec", "taint", field) for field in ("key", "value", "effect")),
        since(added, now) if added else "",
        age(obj, now),
    ]
