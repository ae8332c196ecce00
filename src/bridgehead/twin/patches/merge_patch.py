"""JSON merge patch (RFC 7386) as the API server applies it.

Source: gopkg.in/evanphx/json-patch.v4/merge.go.
"""

from typing import Any

from bridgehead.twin.errors import bad_request
from bridgehead.twin.objects import Object
from bridgehead.twin.patches.go_text import json_name


def merge_patch(obj: Object, patch: Any) -> Object:
    """The object after the patch: null removes, objects merge, all else replaces.

    Raises ApiError 400 where the patch is not an object.
    """
    if patch is None:
        raise bad_request("Invalid JSON Patch")
    if not isinstance(patch, dict):
        raise bad_request(
            f"error decoding patch: json: cannot unmarshal {json_name(patch)} into Go value of "
            "type map[string]interface {}"
        )
    return _merged(obj, patch)


def _merged(obj: Object, patch: Object) -> Object:
    result = dict(obj)
    for key, value in patch.items():
        is_now = result.get(key)
        if value is None:
            result.pop(key, None)
        elif isinstance(is_now, dict):
            result[key] = _merged(is_now, value) if isinstance(value, dict) else value
        else:
            result[key] = _pruned(value)
    return result


def _pruned(value: Any) -> Any:
    """What is new has no nulls in objects; those in lists stay."""
    if isinstance(value, dict):
        return {key: _pruned(inner) for key, inner in value.items() if inner is not None}
    if isinstance(value, list):
        return [_pruned(inner) for inner in value]
    return value
