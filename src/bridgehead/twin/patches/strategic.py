"""Strategic merge patch: a merge patch that knows which lists are maps.

Source: k8s.io/apimachinery/pkg/util/strategicpatch/patch.go (1.37), ``mergeMap`` and what it calls,
with parallel lists merged and unmatched nulls ignored, as the API server does.
"""

from typing import Any

from bridgehead.twin.errors import ApiError, bad_request
from bridgehead.twin.objects import Object
from bridgehead.twin.patches.go_text import go_text, go_type, json_name
from bridgehead.twin.patches.strategic_lists import (
    DIRECTIVE,
    in_order,
    merged_list,
    without_directives,
    without_nulls,
)
from bridgehead.twin.patches.strategic_refusals import RefusedError, bad_type
from bridgehead.twin.schema.shapes import Shape

_RETAIN_KEYS = "$retainKeys"
_DELETE_FROM = "$deleteFromPrimitiveList"
_ORDER = "$setElementOrder"


def strategic_merge(obj: Object, patch: Any, shape: Shape) -> Object:
    """The object after the patch. Raises ApiError 400 or 500, as the server does."""
    if patch is None:
        patch = {}
    if not isinstance(patch, dict):
        raise bad_request(
            f"json: cannot unmarshal {json_name(patch)} into Go value of type "
            "map[string]interface {}"
        )
    try:
        return merged_map(obj, patch, shape)
    except RefusedError as refusal:
        if refusal.bad_request:
            raise bad_request(str(refusal)) from refusal
        raise ApiError(500, "", str(refusal)) from refusal


def merged_map(original: Object, patch: Object, shape: Shape | None) -> Object:
    """An object after a patch for it. Raises RefusedError."""
    if DIRECTIVE in patch:
        match patch[DIRECTIVE]:
            case "replace":
                return {key: value for key, value in patch.items() if key != DIRECTIVE}
            case "delete":
                return {}
            case other:
                raise RefusedError(f"unknown patch type: {go_text(other)} in map: {go_text(patch)}")
    result, patch = _retained(original, dict(patch))
    result, patch = _ordered(result, patch, shape)
    for key, value in patch.items():
        if key.startswith(_DELETE_FROM):
            name = _list_name(key, _DELETE_FROM, "invalid patch format of primitive list")
            _delete_from(result, name, value)
        else:
            _merge_field(result, key, value, shape.child(key) if shape else None)
    return result


def _retained(original: Object, patch: Object) -> tuple[Object, Object]:
    """Without what ``$retainKeys`` does not name."""
    if _RETAIN_KEYS not in patch:
        return dict(original), patch
    kept = patch.pop(_RETAIN_KEYS)
    if not isinstance(kept, list):
        raise RefusedError("invalid patch format of retainKeys", bad_request=True)
    for key, value in patch.items():
        if value is not None and not key.startswith((_DELETE_FROM, _ORDER)) and key not in kept:
            raise RefusedError("invalid patch format of retainKeys", bad_request=True)
    return {key: value for key, value in original.items() if key in kept}, patch


def _ordered(result: Object, patch: Object, shape: Shape | None) -> tuple[Object, Object]:
    """Lists with ``$setElementOrder``: merged here, and taken from the patch."""
    for key in [key for key in patch if key.startswith(_ORDER)]:
        order = patch.pop(key)
        if not isinstance(order, list):
            raise bad_type([], order)
        name = _list_name(key, _ORDER, "invalid patch format of setElementOrder list")
        if name not in result and name not in patch:
            continue
        is_now, change = result.get(name), patch.get(name)
        for value, given in ((is_now, name in result), (change, name in patch)):
            if given and not isinstance(value, list):
                raise bad_type([], value)
        field = _known(shape, name)
        result[name] = in_order(is_now, change, order, field, merged_map)
        patch.pop(name, None)
    return result, patch


def _known(shape: Shape | None, name: str) -> Shape:
    field = shape.child(name) if shape else None
    if field is None:
        of = shape.name.rpartition(".")[2] if shape else ""
        raise RefusedError(f'unable to find api field in struct {of} for the json field "{name}"')
    return field


def _list_name(key: str, prefix: str, refusal: str) -> str:
    head, slash, name = key.partition("/")
    if not slash or head != prefix:
        raise RefusedError(refusal, bad_request=True)
    return name


def _delete_from(result: Object, name: str, values: Any) -> None:
    is_now = result.get(name)
    if values is None:
        result.pop(name, None)
    elif isinstance(is_now, list) and isinstance(values, list):
        result[name] = [item for item in is_now if item not in values]


def _merge_field(result: Object, key: str, value: Any, field: Shape | None) -> None:
    """Change one field of ``result`` in place."""
    if value is None:
        result.pop(key, None)
        return
    is_now: Any = result.get(key)
    if key not in result or go_type(is_now) != go_type(value):
        _take(result, key, without_nulls(value))
        return
    strategies = field.patch_strategy if field else ()
    match value:
        case dict() if "replace" in strategies:
            result[key] = value
        case dict():
            result[key] = merged_map(is_now, value, field)
        case list() if field and "merge" in strategies:
            result[key] = merged_list(is_now, value, field, merged_map)
        case list():
            result[key] = value
        case _:
            _take(result, key, value)


def _take(result: Object, key: str, value: Any) -> None:
    kept, value = without_directives(value)
    if kept:
        result[key] = value
    else:
        result.pop(key, None)
