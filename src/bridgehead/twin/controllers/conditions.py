"""Conditions of a status: one of each type, in the order in which they were set."""

from typing import Any

from bridgehead.twin.objects import Object, items


def condition(value: Object, type: str) -> Object | None:  # noqa: A002 - the field's name
    """The condition of that type in an object's status."""
    for found in items(value, "status", "conditions"):
        if found.get("type") == type:
            return dict(found)
    return None


def is_true(value: Object, type: str) -> bool:  # noqa: A002 - the field's name
    """Whether an object has the condition, and it is ``True``."""
    found = condition(value, type)
    return found is not None and found.get("status") == "True"


def without(conditions: list[Any], type: str) -> list[Any]:  # noqa: A002 - the field's name
    """The others."""
    return [found for found in conditions if found["type"] != type]
