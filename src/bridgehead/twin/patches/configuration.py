"""What can be applied: the checks of an applied configuration against the schema.

Source: sigs.k8s.io/structured-merge-diff/v6/typed/validate.go.
"""

from collections.abc import Iterator
from typing import Any

from bridgehead.twin.patches.field_set import told
from bridgehead.twin.patches.go_text import go_text, go_type
from bridgehead.twin.patches.layout import ItemError, Layout


def mistakes(layout: Layout, value: Any, path: str = "") -> Iterator[str]:
    """Each mistake with its place, as the server words it."""
    match layout.form(value):
        case "map":
            yield from _in_map(layout, value, path)
        case "scalar":
            yield from _in_scalar(layout, value, path)
        case "list":
            yield from _in_list(layout, value, path)


def _told(path: str, message: str) -> str:
    return f"{path}: {message}" if path else message


def _in_map(layout: Layout, value: Any, path: str) -> Iterator[str]:
    if value is None:
        return
    if not isinstance(value, dict):
        yield _told(path, f"expected map, got &{{{go_text(value)}}}")
        return
    for name, inner in value.items():
        child = layout.child(name)
        if child is None:
            yield _told(f"{path}.{name}", "field not declared in schema")
            return
        yield from mistakes(child, inner, f"{path}.{name}")


def _in_scalar(layout: Layout, value: Any, path: str) -> Iterator[str]:
    if value is None:
        return
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    match layout.scalar:
        case "numeric" if not is_number:
            yield _told(path, f"expected numeric (int or float), got {go_type(value)}")
        case "string" if not isinstance(value, str):
            yield _told(path, f"expected string, got &value.valueUnstructured{{Value:{value}}}")
        case "boolean" if not isinstance(value, bool):
            yield _told(path, f"expected boolean, got &{{{go_text(value)}}}")
        case "untyped" if isinstance(value, dict | list):
            yield _told(path, f"expected any scalar, got &{{{go_text(value)}}}")


def _in_list(layout: Layout, value: Any, path: str) -> Iterator[str]:
    if value is None:
        return
    if not isinstance(value, list):
        yield _told(path, f"expected list, got &{{{go_text(value)}}}")
        return
    seen = set()
    for index, item in enumerate(value):
        if layout.atomic_list:
            place = f"[{index}]"
        else:
            try:
                element = layout.path_element(item)
            except ItemError as mistake:
                yield _told(path, f"element {index}: {mistake}")
                return
            place = told((element,))
            if element in seen:
                yield _told(path, f"duplicate entries for key {place}")
            seen.add(element)
        yield from mistakes(layout.item, item, f"{path}{place}")
