"""Knobs of the fake driver: read `knobs.yaml`, judge what a test asks for, give the environment."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Literal

import msgspec
import yaml

from testbed.errors import TestbedError

FILE = Path(__file__).with_name("knobs.yaml")

Type = Literal["string", "integer", "boolean", "duration", "choice", "strings", "integers"]
Value = str | int | bool | list[str | int]

# The subset of Go's time.ParseDuration that a reader recognises.
_DURATION = re.compile(r"0|(\d+(\.\d+)?(ms|s|m|h))+")


class Knob(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="camel"):
    """One entry of `knobs.yaml`, whose head explains the fields."""

    group: Literal["setting", "fault"]
    type: Type
    default: Value | None
    env: str
    twinnable: bool
    meaning: str
    choices: tuple[str, ...] = ()
    fault: str | None = None


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    knobs: dict[str, Knob]


@cache
def catalogue() -> Mapping[str, Knob]:
    """All knobs by name."""
    document = yaml.safe_load(FILE.read_text(encoding="utf-8"))
    return msgspec.convert(document, _File).knobs


def environment(knobs: Mapping[str, object]) -> dict[str, str]:
    """The environment variables that set these knobs; None leaves one unset.

    Raises TestbedError that names every unknown knob and every value of the wrong type at once.
    """
    problems: list[str] = []
    result: dict[str, str] = {}
    for name, value in knobs.items():
        knob = catalogue().get(name)
        if knob is None:
            problems.append(_unknown(name))
        elif value is None:
            if knob.default is not None:
                problems.append(f"{name}: must be {_wanted(knob)}, not empty")
        elif not _FITS[knob.type](value) or (knob.choices and value not in knob.choices):
            problems.append(f"{name}: must be {_wanted(knob)}, not {value!r}")
        else:
            result[knob.env] = _written(value)
    if problems:
        raise TestbedError("wrong knobs of the fake driver: " + "; ".join(problems))
    return dict(sorted(result.items()))


def _unknown(name: str) -> str:
    near = difflib.get_close_matches(name, catalogue(), n=1, cutoff=0.5)
    hint = f"; did you mean {near[0]}?" if near else f"; see {FILE.name}"
    return f"{name}: no such knob{hint}"


def _wanted(knob: Knob) -> str:
    match knob.type:
        case "choice":
            return "one of " + ", ".join(knob.choices)
        case "duration":
            return "a duration such as 500ms, 5s or 1m30s"
        case "strings" | "integers":
            return f"a list of {knob.type}"
        case _:
            return f"of type {knob.type}"


def _written(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _is_integer(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _list_of(fits: Callable[[object], bool]) -> Callable[[object], bool]:
    return lambda value: isinstance(value, list) and all(fits(item) for item in value)


def _is_string(value: object) -> bool:
    return isinstance(value, str)


_FITS: Mapping[Type, Callable[[object], bool]] = {
    "string": _is_string,
    "choice": _is_string,
    "integer": _is_integer,
    "boolean": lambda value: isinstance(value, bool),
    "duration": lambda value: isinstance(value, str) and _DURATION.fullmatch(value) is not None,
    "strings": _list_of(_is_string),
    "integers": _list_of(_is_integer),
}
