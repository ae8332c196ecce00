"""Lists in a strategic merge patch.

Source: k8s.io/apimachinery/pkg/util/strategicpatch/patch.go (1.37), from ``mergeSlice`` on. The
order of a result is: what the patch names in the patch's order, what it does not name where it was.
"""

from collections.abc import Callable, Sequence
from functools import cmp_to_key
from typing import Any

from bridgehead.twin.objects import Object
from bridgehead.twin.patches.go_text import go_text, go_type
from bridgehead.twin.patches.strategic_refusals import RefusedError, bad_type, no_merge_key
from bridgehead.twin.schema.shapes import Shape

DIRECTIVE = "$patch"

MergeMap = Callable[[Object, Object, Shape | None], Object]


def merged_list(is_now: list[Any], patch: list[Any], field: Shape, merge: MergeMap) -> list[Any]:
    """A list after a patch for it. Raises RefusedError."""
    if not is_now and not patch:
        return is_now
    of_maps = _element_type(is_now, patch) == go_type({})
    key = field.patch_merge_key
    if not of_maps:
        merged = _without_doubles([*is_now, *patch])
    else:
        if not key:
            name = field.items.name.rpartition(".")[2] if field.items else ""
            raise RefusedError(f"cannot merge lists without merge key for {name}")
        is_now, patch = _directed(is_now, patch, key)
        merged = _merged_maps(is_now, patch, field, merge)
    named, others = _parted(merged, patch, key if of_maps else "")
    return _interleaved(named, others, patch, is_now, key if of_maps else "")


def in_order(
    is_now: list[Any] | None,
    patch: list[Any] | None,
    order: list[Any],
    field: Shape,
    merge: MergeMap,
) -> list[Any]:
    """A list after a patch for it that also says how all items are to be ordered.

    Raises RefusedError.
    """
    key = field.patch_merge_key
    _check_order(patch or [], order, key)
    if is_now is None:
        merged = without_directives(patch)[1]
    elif patch is None:
        merged = is_now
    elif "merge" in field.patch_strategy:
        merged = merged_list(is_now, patch, field, merge)
    else:
        merged = patch
    named, others = _parted(merged, order, key)
    of_maps = _element_type(is_now or [], patch or []) == go_type({})
    return _interleaved(named, others, order, is_now or [], key if of_maps else "")


def without_directives(value: Any) -> tuple[bool, Any]:
    """Whether a new value stays, and what of it."""
    if isinstance(value, dict):
        if DIRECTIVE in value:
            return False, None
        fields = {key: without_directives(inner) for key, inner in value.items()}
        return True, {key: inner for key, (kept, inner) in fields.items() if kept}
    if isinstance(value, list):
        return True, [inner for kept, inner in map(without_directives, value) if kept]
    return True, value


def without_nulls(value: Any) -> Any:
    """A new value without the nulls in its objects."""
    if isinstance(value, dict):
        return {key: without_nulls(inner) for key, inner in value.items() if inner is not None}
    if isinstance(value, list):
        return [without_nulls(inner) for inner in value]
    return value


def _element_type(*lists: list[Any]) -> str:
    types = [go_type(item) for items in lists for item in items]
    if not types:
        raise RefusedError("no elements in any of the given slices")
    if types[0] == go_type([]):
        raise RefusedError("lists of lists are not supported")
    if any(found != types[0] for found in types):
        raise RefusedError(f"list element types are not identical: {go_text(list(lists))}")
    return types[0]


def _without_doubles(values: list[Any]) -> list[Any]:
    """Each value once. As in the original, the last one takes the place of one that goes."""
    values = list(values)
    at = 0
    while at < len(values):
        other = at + 1
        while other < len(values):
            if values[at] == values[other]:
                values[other] = values[-1]
                values.pop()
            else:
                other += 1
        at += 1
    return values


def _directed(is_now: list[Any], patch: list[Any], key: str) -> tuple[list[Any], list[Any]]:
    """After ``$patch`` of items: what remains, and what is left to merge."""
    plain: list[Any] = []
    replaces = False
    for item in patch:
        match item.get(DIRECTIVE) if DIRECTIVE in item else ...:
            case e if e is ...:
                plain.append(item)
            case "delete":
                if key not in item:
                    raise no_merge_key(item, key)
                is_now = [other for other in is_now if not _has(other, key, item[key])]
            case "replace":
                replaces = True
            case "merge":
                raise RefusedError("merging lists cannot yet be specified in the patch")
            case other:
                raise RefusedError(f"unknown patch type: {go_text(other)} in map: {go_text(item)}")
    return (plain, []) if replaces else (is_now, plain)


def _has(item: Any, key: str, value: Any) -> bool:
    return key in item and bool(item[key] == value)


def _merged_maps(is_now: list[Any], patch: list[Any], field: Shape, merge: MergeMap) -> list[Any]:
    key, merged = field.patch_merge_key, list(is_now)
    for item in patch:
        if key not in item:
            raise no_merge_key(item, key)
        at = next((at for at, old in enumerate(merged) if _has(old, key, item[key])), None)
        if at is None:
            merged.append(item)
        else:
            merged[at] = merge(merged[at], item, field.items)
    return merged


def _check_order(patch: list[Any], order: list[Any], key: str) -> None:
    """The patch may name only what the order names, in that order."""
    if not order or not patch:
        return
    if key:
        patch = [item for item in patch if not (isinstance(item, dict) and DIRECTIVE in item)]
    places = iter(order)
    for item in patch:
        if not any(_value(item, key) == _value(place, key) for place in places):
            raise RefusedError(
                f"The order in patch list:\n{go_text(patch)}\n doesn't match $setElementOrder "
                f"list:\n{go_text(order)}\n"
            )


def _value(item: Any, key: str) -> Any:
    if not key:
        return item
    if not isinstance(item, dict):
        raise bad_type({}, item)
    if key not in item:
        raise no_merge_key(item, key)
    return item[key]


def _parted(items: list[Any], by: list[Any], key: str) -> tuple[list[Any], list[Any]]:
    """Those that ``by`` names, and the others."""
    names = [item.get(key) if key else item for item in by]
    named: list[Any] = []
    others: list[Any] = []
    for item in items:
        (named if _value(item, key) in names else others).append(item)
    return named, others


def _interleaved(
    named: list[Any], others: list[Any], order: list[Any], before: list[Any], key: str
) -> list[Any]:
    """Both lists in one: each in its own order, put together as ``before`` had them."""
    left, right = _sorted(others, before, key), _sorted(named, order, key)
    places = [item.get(key) if key else item for item in before]
    result: list[Any] = []
    while left and right:
        one, other = _place(places, left[0], key), _place(places, right[0], key)
        takes_left = one is not None and other is not None and one < other
        result.append(left.pop(0) if takes_left else right.pop(0))
    return [*result, *left, *right]


def _sorted(items: list[Any], order: list[Any], key: str) -> list[Any]:
    for item in (*items, *order):
        _value(item, key)
    places = [item.get(key) if key else item for item in order]

    def compare(one: Any, other: Any) -> int:
        first, second = _place(places, one, key), _place(places, other, key)
        return 0 if first is None or second is None else first - second

    return sorted(items, key=cmp_to_key(compare))


def _place(places: Sequence[Any], item: Any, key: str) -> int | None:
    value = item.get(key) if key else item
    return places.index(value) if value in places else None
