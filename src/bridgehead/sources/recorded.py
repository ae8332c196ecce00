"""``recorded.yaml``: what a folder of a recorded state says about itself."""

import re
from collections.abc import Mapping

import msgspec

from bridgehead.core.model.json import JsonObject, JsonValue
from bridgehead.core.model.snapshot import Unread
from bridgehead.core.model.times import epoch

NAME = "recorded.yaml"

_KIND = re.compile(r"[A-Z][A-Za-z0-9]*")


class LogRemark(msgspec.Struct, frozen=True):
    """What is to be known of a log beside its lines, as ``core.findings.observed.Log`` has it."""

    cut: str = ""
    note: str = ""
    gap: tuple[int, int] | None = None


class Recorded(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """``at`` is when it was recorded; all objects of the ``complete`` kinds are in the folder.

    Those of ``incomplete`` are not all there, though some are. ``server`` is the API server's
    version, ``unread`` what could not be read, ``logs`` what is to be known of files in ``logs/``.
    """

    at: float | None = None
    complete: frozenset[str] = frozenset()
    incomplete: frozenset[str] = frozenset()
    server: str = ""
    unread: tuple[Unread, ...] = ()
    logs: Mapping[str, LogRemark] | None = None


KEYS = Recorded.__struct_fields__


def recorded(value: JsonValue) -> tuple[Recorded, list[str]]:
    """What the file says, and what is wrong with it."""
    if not isinstance(value, dict):
        return Recorded(), ["expected a mapping with at and complete"]
    wrong = [
        f"{key} is an unknown key; known here: {', '.join(KEYS)}"
        for key in value
        if key not in KEYS
    ]
    at = value.get("at")
    time = epoch(at) if isinstance(at, str) else None
    if at is not None and time is None:
        wrong.append(f"at: expected a time such as 2026-01-31T12:00:00Z, found {at}")
    found = Recorded(
        at=time,
        complete=_kinds("complete", value, wrong),
        incomplete=_kinds("incomplete", value, wrong),
    )
    rest = {key: value[key] for key in ("server", "unread", "logs") if key in value}
    try:
        more = msgspec.convert(rest, Recorded)
    except msgspec.ValidationError as error:
        return found, [*wrong, str(error)]
    found = msgspec.structs.replace(found, server=more.server, unread=more.unread, logs=more.logs)
    return found, wrong


def _kinds(name: str, value: JsonObject, wrong: list[str]) -> frozenset[str]:
    listed = value.get(name, [])
    kinds = listed if isinstance(listed, list) else [listed]
    names = [kind for kind in kinds if isinstance(kind, str) and _KIND.fullmatch(kind)]
    if len(names) < len(kinds):
        wrong.append(f"{name}: expected a list of kinds such as [Node, Pod]")
    return frozenset(names)
