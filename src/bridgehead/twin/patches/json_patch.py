"""JSON patch (RFC 6902) as the API server applies it, with its oddities.

Source: gopkg.in/evanphx/json-patch.v4/patch.go, which the API server 1.37 uses: replacing a missing
key of an object adds it, a missing key equals null in ``test``, indexes may be negative. Refusals:
k8s.io/apiserver/pkg/endpoints/handlers/patch.go (``applyJSPatch``).
"""

from collections.abc import Callable, Mapping
from typing import Any

from bridgehead.twin.errors import ApiError, bad_request
from bridgehead.twin.integers import int64
from bridgehead.twin.objects import Object
from bridgehead.twin.patches.go_text import json_name

MOST_OPERATIONS = 10_000
"""Of one patch (``maxJSONPatchOperations``)."""

_Step = Callable[[Any, Mapping[str, Any]], Any]


class _NotApplicableError(Exception):
    """An operation that does not fit the object; the server does not tell the client which."""


def json_patch(obj: Object, ops: Any) -> Object:
    """The object after all operations. Raises ApiError: 400, 413, 422."""
    ops = [] if ops is None else ops
    if not isinstance(ops, list):
        raise bad_request(_cannot_decode(ops, "[]handlers.jsonPatchOp"))
    ops = [{} if op is None else op for op in ops]
    for op in ops:
        _check_operation(op)
    if len(ops) > MOST_OPERATIONS:
        told = f"The allowed maximum operations in a JSON patch is {MOST_OPERATIONS}"
        raise ApiError(413, "RequestEntityTooLarge", f"{told}, got {len(ops)}")
    result: Any = obj
    try:
        for op in ops:
            result = _applied(result, op)
    except _NotApplicableError as reason:
        raise unprocessable() from reason
    if not isinstance(result, dict):
        raise unprocessable()
    return result


def unprocessable() -> ApiError:
    """422 of a patch that is understood and does not fit; the server gives no reason."""
    message = "the server rejected our request due to an error in our request"
    return ApiError(422, "Invalid", message, {})


def _check_operation(op: Any) -> None:
    if not isinstance(op, dict):
        raise bad_request(_cannot_decode(op, "handlers.jsonPatchOp"))
    for field in ("op", "path", "from"):
        value = op.get(field)
        if value is not None and not isinstance(value, str):
            raise bad_request(
                f"error decoding patch: json: cannot unmarshal {json_name(value)} into Go "
                f"struct field jsonPatchOp.{field} of type string"
            )


def _cannot_decode(value: Any, go_type: str) -> str:
    name = json_name(value)
    return f"error decoding patch: json: cannot unmarshal {name} into Go value of type {go_type}"


def _applied(doc: Any, op: Mapping[str, Any]) -> Any:
    step = _STEPS.get(op.get("op") or "")
    if step is None:
        raise _NotApplicableError(op.get("op"))
    return step(doc, op)


def _pointer(op: Mapping[str, Any], field: str = "path") -> tuple[str, ...]:
    """The keys of a path. What stands before its first slash is not looked at."""
    path = op.get(field)
    if path is None:
        raise _NotApplicableError(f"missing {field}")
    keys = str(path).split("/")[1:] if "/" in path else ()
    return tuple(key.replace("~1", "/").replace("~0", "~") for key in keys)


def _add(doc: Any, op: Mapping[str, Any]) -> Any:
    return _changed(doc, _pointer(op), lambda parent, key: _inserted(parent, key, op.get("value")))


def _inserted(parent: Any, key: str, value: Any) -> Any:
    if isinstance(parent, dict):
        return {**parent, key: value}
    if key == "-":
        return [*parent, value]
    at = _index(key, len(parent) + 1)
    return [*parent[:at], value, *parent[at:]]


def _remove(doc: Any, op: Mapping[str, Any]) -> Any:
    return _changed(doc, _pointer(op), _without)


def _without(parent: Any, key: str) -> Any:
    if isinstance(parent, dict):
        if key not in parent:
            raise _NotApplicableError(key)
        return {other: value for other, value in parent.items() if other != key}
    at = _index(key, len(parent))
    return [*parent[:at], *parent[at + 1 :]]


def _replace(doc: Any, op: Mapping[str, Any]) -> Any:
    if op.get("path") == "":
        return op.get("value")
    return _changed(doc, _pointer(op), lambda parent, key: _exchanged(parent, key, op.get("value")))


def _exchanged(parent: Any, key: str, value: Any) -> Any:
    if isinstance(parent, dict):
        return {**parent, key: value}
    at = _index(key, len(parent))
    return [*parent[:at], value, *parent[at + 1 :]]


def _test(doc: Any, op: Mapping[str, Any]) -> Any:
    is_now = doc if op.get("path") == "" else _found(doc, _pointer(op))
    if not _same(is_now, op.get("value")):
        raise _NotApplicableError(op.get("path"))
    return doc


def _same(one: Any, other: Any) -> bool:
    """Equality of JSON values: true is not 1, and 1 is not 1.0."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    return type(one) is type(other) and bool(one == other)


def _copy(doc: Any, op: Mapping[str, Any]) -> Any:
    value = _found(doc, _pointer(op, "from"))
    return _changed(doc, _pointer(op), lambda parent, key: _inserted(parent, key, value))


def _move(doc: Any, op: Mapping[str, Any]) -> Any:
    source = _pointer(op, "from")
    value = _found(doc, source)
    doc = _changed(doc, source, _without)
    return _changed(doc, _pointer(op), lambda parent, key: _inserted(parent, key, value))


_STEPS: Mapping[str, _Step] = {
    "add": _add,
    "remove": _remove,
    "replace": _replace,
    "test": _test,
    "copy": _copy,
    "move": _move,
}


def _found(doc: Any, keys: tuple[str, ...]) -> Any:
    """What is there; None also for a missing key of an object."""
    if not keys:
        raise _NotApplicableError("no key")
    for position, key in enumerate(keys):
        if isinstance(doc, dict):
            doc = doc.get(key)
        elif isinstance(doc, list):
            doc = doc[_index(key, len(doc))]
        else:
            raise _NotApplicableError(key)
        if doc is None and position < len(keys) - 1:
            raise _NotApplicableError(key)
    return doc


def _changed(doc: Any, keys: tuple[str, ...], change: Callable[[Any, str], Any]) -> Any:
    """A copy along the path, with the change made where it ends."""
    if not keys or not isinstance(doc, dict | list):
        raise _NotApplicableError(keys)
    head, *rest = keys
    if not rest:
        return change(doc, head)
    inner = _changed(_found(doc, (head,)), tuple(rest), change)
    return _exchanged(doc, head, inner)


def _index(key: str, size: int) -> int:
    """Which of ``size`` places; negative ones count from the end."""
    at = int64(key)
    if at is None or not -size <= at < size:
        raise _NotApplicableError(key)
    return at + size if at < 0 else at
