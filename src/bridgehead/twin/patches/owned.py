"""The fields of a configuration, and an object without some of its fields.

Source: sigs.k8s.io/structured-merge-diff/v6/typed/tofieldset.go, remove.go, fieldpath/set.go.
"""

from typing import Any

from bridgehead.twin.patches.comparison import by_element
from bridgehead.twin.patches.field_set import FieldSet, belongs, with_itself
from bridgehead.twin.patches.layout import ABSENT, Layout


def fields_of(layout: Layout, value: Any) -> FieldSet:
    """What somebody owns who applies this: leaves, items, keys of free maps. Raises ItemError."""
    return _fields_of(layout, value) or {}


def _fields_of(layout: Layout, value: Any) -> FieldSet | None:
    """The node of a value; None where nothing of it is a field."""
    form = layout.form(value)
    if form == "scalar":
        return {}
    if form == "list":
        return {} if layout.atomic_list else _of_items(layout, value or ()) or None
    if layout.atomic_map:
        return {}
    result: FieldSet = {}
    for name, inner in (value or {}).items():
        child = layout.child(name)
        if child is None:
            continue
        node = _fields_of(child, inner)
        if inner is None or inner == {} or name not in layout.fields:
            node = with_itself(node or {})
        if node is not None:
            result[f"f:{name}"] = node
    return result or None


def _of_items(layout: Layout, items: Any) -> FieldSet:
    return {
        element: {} if len(same) > 1 else with_itself(_fields_of(layout.item, same[0]) or {})
        for element, same in by_element(layout, items).items()
    }


def with_named(layout: Layout | None, fields: FieldSet) -> FieldSet:
    """A set to which the named fields on the way to its members belong too."""
    result: FieldSet = {}
    for key, node in fields.items():
        if key == ".":
            result[key] = node
            continue
        below = with_named(_below(layout, key), node)
        name = key[2:]
        is_named = layout is not None and key[0] == "f" and layout.is_map and name in layout.fields
        result[key] = with_itself(below) if is_named and below and not belongs(below) else below
    return result


def _below(layout: Layout | None, element: str) -> Layout | None:
    if layout is None:
        return None
    if element[0] == "f":
        return layout.child(element[2:]) if layout.is_map else None
    return layout.item if element[0] == "k" and layout.is_list else None


def removed(layout: Layout, value: Any, fields: FieldSet) -> Any:
    """A value without some fields; ABSENT where nothing is left of it."""
    if not fields:
        return value
    form = layout.form(value)
    if form == "scalar":
        return value
    if form == "map":
        return _without_keys(layout, value, fields)
    return _without_items(layout, value, fields)


def _without_keys(layout: Layout, value: Any, fields: FieldSet) -> Any:
    if not value or layout.atomic_map:
        return ABSENT
    kept: dict[str, Any] = {}
    for name, inner in value.items():
        node = fields.get(f"f:{name}")
        if node is None:
            kept[name] = inner
        elif not belongs(node):
            child = layout.child(name)
            left = removed(child, inner, node) if child else inner
            kept[name] = None if left is ABSENT else left
    return kept or ABSENT


def _without_items(layout: Layout, value: Any, fields: FieldSet) -> Any:
    if not value or layout.atomic_list:
        return ABSENT
    kept: list[Any] = []
    for item in value:
        node = fields.get(layout.path_element(item))
        if node is None:
            kept.append(item)
        elif not belongs(node):
            left = removed(layout.item, item, node)
            kept.append(None if left is ABSENT else left)
    return kept or ABSENT
