"""What a write adds, changes and removes, as sets of fields.

Source: sigs.k8s.io/structured-merge-diff/v6/typed/compare.go.
"""

from typing import Any, NamedTuple

from bridgehead.twin.patches.field_set import FieldSet, union, with_itself, without_below
from bridgehead.twin.patches.layout import ABSENT, ItemError, Layout


class Comparison(NamedTuple):
    """Three sets that have nothing in common."""

    removed: FieldSet
    modified: FieldSet
    added: FieldSet

    def without(self, ignored: FieldSet) -> "Comparison":
        """Without some fields and all that is below them."""
        if not ignored:
            return self
        return Comparison(*(without_below(fields, ignored) for fields in self))

    @property
    def set(self) -> FieldSet:
        """What has a value that it had not."""
        return union(self.modified, self.added)


def compare(layout: Layout, old: Any, new: Any) -> Comparison:
    """From one object to another. Raises ItemError."""
    found = Comparison({}, {}, {})
    _compare_maps(layout, old, new, found)
    return found


class _Node:
    """The place of one value in the three sets."""

    __slots__ = ("found", "key")

    def __init__(self, found: Comparison, key: str) -> None:
        self.found = found
        self.key = key

    def compare(self, layout: Layout, old: Any, new: Any) -> None:
        """Enter the difference of two values; at least one is not absent."""
        if old is new:
            return
        if old is ABSENT:
            self.found.added[self.key] = whole(layout, new)
        elif new is ABSENT:
            self.found.removed[self.key] = whole(layout, old)
        elif old != new:
            self._compare_present(layout, old, new)

    def _compare_present(self, layout: Layout, old: Any, new: Any) -> None:
        form = layout.form(new if old is None else old)
        new_form = layout.form(old if new is None else new)
        below = Comparison({}, {}, {})
        is_leaf = form == "scalar"
        if form != new_form:
            _compare_forms(layout, old, new, below)
            is_leaf = True
        elif form == "map":
            is_leaf = layout.atomic_map or not (old or new)
            if not is_leaf:
                _compare_maps(layout, old, new, below)
        elif form == "list":
            is_leaf = layout.atomic_list or not (old or new)
            if not is_leaf:
                _compare_lists(layout, old, new, below)
        self._enter(below, is_leaf=is_leaf)

    def _enter(self, below: Comparison, *, is_leaf: bool) -> None:
        removed, modified, added = below
        if removed:
            self.found.removed[self.key] = removed
        if added:
            self.found.added[self.key] = added
        if is_leaf:
            self.found.modified[self.key] = with_itself(modified)
        elif modified:
            self.found.modified[self.key] = modified


def _compare_forms(layout: Layout, old: Any, new: Any, below: Comparison) -> None:
    """A value that was a map or a list and is none now, or the other way round."""
    for value, fields in ((old, below.removed), (new, below.added)):
        fields.update(whole(layout, value))
        fields.pop(".", None)


def _compare_maps(layout: Layout, old: Any, new: Any, found: Comparison) -> None:
    implied = layout.implied
    before = old if old is not None else {}
    after = new if new is not None else {}
    _check_is(dict, before, after)
    names = {**before, **after}
    for name in names:
        child = layout.child(name)
        if child is None:
            continue
        missing = implied.get(name, ABSENT)
        was = before.get(name, missing if old is not None else ABSENT)
        is_now = after.get(name, missing if new is not None else ABSENT)
        if (
            layout.is_struct
            and _is_zero(was)
            and _is_zero(is_now)
            and not (old is None or new is None)
        ):
            continue
        _Node(found, f"f:{name}").compare(child, was, is_now)


def _is_zero(value: Any) -> bool:
    """Whether a field of a Go struct is one that nobody set: a null is written out or left out."""
    return value is ABSENT or value is None


def _compare_lists(layout: Layout, old: Any, new: Any, found: Comparison) -> None:
    before, after = by_element(layout, old or ()), by_element(layout, new or ())
    for element in {**before, **after}:
        node = _Node(found, element)
        match before.get(element, []), after.get(element, []):
            case [old_item], [new_item]:
                node.compare(layout.item, old_item, new_item)
            case [old_item], []:
                node.compare(layout.item, old_item, ABSENT)
            case [], [new_item]:
                node.compare(layout.item, ABSENT, new_item)
            case old_items, new_items if len(old_items) > 1 and len(new_items) > 1:
                if old_items != new_items:
                    found.modified[element] = {}
            case old_items, new_items if len(old_items) > 1:
                found.removed[element] = {}
                if new_items:
                    found.added[element] = whole(layout.item, new_items[0])
            case old_items, _:
                found.added[element] = {}
                if old_items:
                    found.removed[element] = whole(layout.item, old_items[0])


def by_element(layout: Layout, items: Any) -> dict[str, list[Any]]:
    """The items of an associative list by what they are called; twice the same is a mistake.

    Raises ItemError.
    """
    named: dict[str, list[Any]] = {}
    _check_is(list | tuple, items)
    for item in items:
        named.setdefault(layout.path_element(item), []).append(item)
    return named


def _check_is(form: Any, *values: Any) -> None:
    """Raises ItemError where a custom object is not as its schema says; validation tells why."""
    if not all(isinstance(value, form) for value in values):
        raise ItemError("a value is of another type than its schema says")


def whole(layout: Layout, value: Any) -> FieldSet:
    """The node of a value that was not there before, or is there no longer. Raises ItemError."""
    form = layout.form(value)
    below: FieldSet = {}
    if form == "map" and not layout.atomic_map and value is not None:
        _check_is(dict, value)
        for name in {**layout.implied, **value}:
            child = layout.child(name)
            if child is not None:
                below[f"f:{name}"] = whole(child, value.get(name, layout.implied.get(name)))
    elif form == "list" and not layout.atomic_list:
        for element, items in by_element(layout, value or ()).items():
            below[element] = whole(layout.item, items[0]) if len(items) == 1 else {}
    return with_itself(below)
