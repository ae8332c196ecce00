"""``recorded.yaml``: what a folder of a recorded state says about itself."""

import re

import msgspec

from bridgehead.core.model.json import JsonValue
from bridgehead.core.model.times import epoch

NAME = "recorded.yaml"

_KIND = re.compile(r"[A-Z][A-Za-z0-9]*")


class Recorded(msgspec.Struct, frozen=True):
    """``at`` is when it was recorded; all objects of the ``complete`` kinds are in the folder."""

    at: float | None = None
    complete: frozenset[str] = frozenset()


def recorded(value: JsonValue) -> tuple[Recorded, list[str]]:
    """What the file says, and what is wrong with it."""
    if not isinstance(value, dict):
        return Recorded(), ["expected a mapping with at and complete"]
    wrong = [
        f"{key} is an unknown key; known here: at, complete"
        for key in value
        if key not in ("at", "complete")
    ]
    at, complete = value.get("at"), value.get("complete", [])
    time = epoch(at) if isinstance(at, str) else None
    if at is not None and time is None:
        wrong.append(f"at: expected a time such as 2026-01-31T12:00:00Z, found {at}")
    kinds = complete if isinstance(complete, list) else [complete]
    names = [kind for kind in kinds if isinstance(kind, str) and _KIND.fullmatch(kind)]
    if len(names) < len(kinds):
        wrong.append("complete: expected a list of kinds such as [Node, Pod]")
    return Recorded(time, frozenset(names)), wrong
