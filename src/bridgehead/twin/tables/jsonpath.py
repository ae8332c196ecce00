"""The part of JSONPath that columns of custom resources use: fields, places, filters, wildcards.

Source: k8s.io/client-go/util/jsonpath (1.37). Recursive descent and unions, which the API server
does not take in columns ("simple JSON path"), are not here.
"""

import re
from collections.abc import Iterable
from typing import Any

import msgspec

_STEP = re.compile(
    r"""\.(?P<field>(?:\\.|[^.\[\]\\])+)
      | \[\s*'(?P<quoted>[^']*)'\s*\]
      | \[\s*"(?P<quoted2>[^"]*)"\s*\]
      | \[\s*\?\(\s*@(?P<path>[^=!<>\s)]*)\s*
          (?:(?P<operator>==|!=|<=|>=|<|>)\s*(?P<value>.*?))?\s*\)\s*\]
      | \[\s*(?P<place>-?\d+|\*)\s*\]""",
    re.VERBOSE,
)


def found(value: Any, path: str) -> list[Any]:
    """Everything that a path selects; nothing where a step of it is missing or not understood."""
    values, position = [value], 0
    path = path.strip().removeprefix("$")
    while position < len(path):
        step = _STEP.match(path, position)
        if step is None:
            return []
        values = [inner for outer in values for inner in _step(outer, step)]
        position = step.end()
    return values


def printed(value: Any) -> str:
    """A value as the server prints it: text as it is, everything else as JSON."""
    if isinstance(value, str):
        return value
    return msgspec.json.encode(value).decode()


def _step(value: Any, step: re.Match[str]) -> Iterable[Any]:
    if (place := step["place"]) is not None:
        return _at_place(value, place)
    if step["path"] is not None:
        return [item for item in _members(value) if _holds(item, step)]
    field = step["field"]
    if field is not None:
        if field == "*":
            return _members(value)
        name = field.replace("\\", "")
    else:
        name = step["quoted"] if step["quoted"] is not None else step["quoted2"]
    return [value[name]] if isinstance(value, dict) and name in value else []


def _at_place(value: Any, place: str) -> Iterable[Any]:
    if place == "*":
        return _members(value)
    index = int(place)
    if not isinstance(value, list) or not -len(value) <= index < len(value):
        return []
    return [value[index]]


def _members(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else []


def _holds(item: Any, step: re.Match[str]) -> bool:
    left = found(item, step["path"])
    if step["operator"] is None:
        return bool(left)
    if not left:
        return False
    wanted = step["value"].strip()
    right: Any = wanted[1:-1] if wanted[:1] in {"'", '"'} else msgspec.json.decode(wanted)
    return _compared(left[0], step["operator"], right)


def _compared(left: Any, operator: str, right: Any) -> bool:
    if operator in {"==", "!="}:
        return bool((left == right) == (operator == "=="))
    if type(left) is not type(right):
        return False
    match operator:
        case "<":
            return bool(left < right)
        case "<=":
            return bool(left <= right)
        case ">":
            return bool(left > right)
        case _:
            return bool(left >= right)
