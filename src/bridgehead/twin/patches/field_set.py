"""Sets of fields, in the form in which objects carry them (``FieldsV1``).

A set is a tree of path elements: ``f:NAME`` a field, ``k:{...}`` an item of a list by its keys,
``v:VALUE`` an item by its value. A node belongs to the set itself where it is empty or has the key
``.``; a node with other keys only is on the way to what belongs. Sets are shared, never changed.

Source: sigs.k8s.io/structured-merge-diff/v6/fieldpath/set.go, serialize-pe.go.
"""

import json
from collections.abc import Iterator
from typing import Any, TypeAlias

FieldSet: TypeAlias = dict[str, Any]
"""The root of a set. It never belongs itself: nobody owns a whole object."""

ITSELF = "."


def belongs(node: FieldSet) -> bool:
    """Whether a node is in the set, beside what is below it."""
    return not node or ITSELF in node


def with_itself(below: FieldSet) -> FieldSet:
    """A node that is in the set, with what is below it."""
    return {ITSELF: {}, **below} if below else below


def union(one: FieldSet, other: FieldSet) -> FieldSet:
    """What is in either."""
    result = dict(one)
    for key, node in other.items():
        known = result.get(key)
        result[key] = node if known is None else _either(known, node)
    return result


def _either(one: FieldSet, other: FieldSet) -> FieldSet:
    if not one:
        return other if belongs(other) else with_itself(other)
    if not other:
        return one if belongs(one) else with_itself(one)
    return union(one, other)


def intersection(one: FieldSet, other: FieldSet) -> FieldSet:
    """What is in both."""
    result: FieldSet = {}
    for key, node in one.items():
        if key == ITSELF or (match := other.get(key)) is None:
            continue
        common = _both(node, match)
        if common is not None:
            result[key] = common
    return result


def _both(one: FieldSet, other: FieldSet) -> FieldSet | None:
    below = intersection(one, other) if one and other else {}
    if belongs(one) and belongs(other):
        return with_itself(below)
    return below or None


def difference(one: FieldSet, other: FieldSet) -> FieldSet:
    """What is in ``one`` and not in ``other``; each node for itself, whatever is below it."""
    result: FieldSet = {}
    for key, node in one.items():
        if key == ITSELF:
            continue
        match = other.get(key)
        left = node if match is None else _left(node, match)
        if left is not None:
            result[key] = left
    return result


def _left(one: FieldSet, other: FieldSet) -> FieldSet | None:
    below = difference(one, other) if one else {}
    if belongs(one) and not belongs(other):
        return with_itself(below)
    return below or None


def without_below(one: FieldSet, other: FieldSet) -> FieldSet:
    """What is in ``one`` and neither in ``other`` nor below anything in it."""
    result: FieldSet = {}
    for key, node in one.items():
        match = other.get(key)
        if match is None or key == ITSELF:
            result[key] = node
        elif not belongs(match):
            below = without_below(node, match)
            if below or not node:
                result[key] = below
    return result


def paths(fields: FieldSet, before: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """All paths in order: what belongs to a node first, then what is below its children."""
    ordered = sorted((key for key in fields if key != ITSELF), key=_rank)
    for key in ordered:
        if belongs(fields[key]):
            yield (*before, key)
    for key in ordered:
        yield from paths(fields[key], (*before, key))


def _rank(element: str) -> tuple[int, str]:
    return "fkvi".index(element[0]), element[2:]


def ordered(fields: FieldSet) -> FieldSet:
    """The same set as the server writes it: what belongs first, then by the names of children."""
    if len(fields) == 1:
        [(key, node)] = fields.items()
        return {key: ordered(node)} if node else fields
    keys = sorted(fields, key=lambda key: (-1, "") if key == ITSELF else _rank(key))
    return {key: ordered(fields[key]) if fields[key] else {} for key in keys}


def told(path: tuple[str, ...]) -> str:
    """A path as messages have it: ``.spec.containers[name="web"].image``."""
    return "".join(map(_told_element, path))


def _told_element(element: str) -> str:
    kind, rest = element[0], element[2:]
    match kind:
        case "f":
            return f".{rest}"
        case "k":
            keys = json.loads(rest)
            return "[" + ",".join(f"{key}={_told_value(keys[key])}" for key in sorted(keys)) + "]"
        case "v":
            return f"[={_told_value(json.loads(rest))}]"
        case _:
            return f"[{rest}]"


def _told_value(value: Any) -> str:
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    return encoded(value) if isinstance(value, bool | None) else str(value)


def encoded(value: Any) -> str:
    """JSON as Go writes it: no spaces, and nothing that HTML would take for its own."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
