"""Why a patched value cannot become the field that it is to be, as the server words it.

A strategic merge patch is not decoded from JSON; its result is copied field by field, and the first
value that does not fit ends that.

Source: k8s.io/apimachinery/pkg/runtime/converter.go (1.37), ``fromUnstructured``.
"""

from collections.abc import Iterator
from typing import Any

from bridgehead.twin.patches.go_text import go_type
from bridgehead.twin.schema.shapes import Shape

_KINDS = {dict: "map", list: "slice", str: "string", bool: "bool", int: "int64", float: "float64"}
_GO_TYPES = {"string": "string", "boolean": "bool", "integer": "int64", "number": "float64"}
_GO_FORMATS = {"int32": "int32", "int64": "int64"}


def misfits(shape: Shape | None, value: Any) -> Iterator[str]:
    """Each value that does not fit; the server tells of the first only."""
    if value is None or shape is None or shape.int_or_string:
        return
    match shape.type:
        case "object":
            yield from _of_object(shape, value)
        case "array":
            if not isinstance(value, list):
                yield f"cannot restore slice from {_kind(value)}"
                return
            for item in value:
                yield from misfits(shape.items, item)
        case "string" | "boolean" | "integer" | "number":
            yield from _of_scalar(shape, value)


def _of_object(shape: Shape, value: Any) -> Iterator[str]:
    if not isinstance(value, dict):
        if shape.fields:
            yield f"cannot restore struct from: {_kind(value)}"
        elif shape.values is not None:
            yield f"cannot restore map from {_kind(value)}"
        return
    for key, inner in value.items():
        yield from misfits(shape.child(key), inner)


def _of_scalar(shape: Shape, value: Any) -> Iterator[str]:
    if shape.format in {"date-time", "byte"}:
        return
    go = _GO_FORMATS.get(shape.format) or _GO_TYPES[shape.type]
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    fits = {
        "string": isinstance(value, str),
        "boolean": isinstance(value, bool),
        "integer": is_number and value == int(value),
        "number": is_number,
    }[shape.type]
    if fits:
        return
    if is_number and shape.type in {"string", "integer"}:
        # Go would convert these, a number to the letter of that code, which JSON does not mean.
        yield f"cannot convert {go_type(value)} to {go}"
    else:
        yield f"unrecognized type: {go}"


def _kind(value: Any) -> str:
    return _KINDS[type(value)]
