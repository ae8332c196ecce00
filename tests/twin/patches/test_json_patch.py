"""JSON patch: each operation, and the oddities of the server's own library."""

from typing import Any

import pytest

from bridgehead.twin.errors import ApiError
from bridgehead.twin.patches.json_patch import json_patch

OBJECT = {"a": {"b": "c", "n": None}, "list": [1, 2, {"k": "v"}], "x/y": {"~": 1}}


def op(kind: str, path: str, value: Any = None, **more: Any) -> dict[str, Any]:
    return {"op": kind, "path": path, "value": value, **more}


@pytest.mark.parametrize(
    ("operation", "path", "expected"),
    [
        (op("add", "/a/d", 1), ("a",), {"b": "c", "n": None, "d": 1}),
        (op("add", "/list/1", 9), ("list",), [1, 9, 2, {"k": "v"}]),
        (op("add", "/list/-", 9), ("list",), [1, 2, {"k": "v"}, 9]),
        (op("add", "/list/-1", 9), ("list",), [1, 2, {"k": "v"}, 9]),
        (op("remove", "/list/0"), ("list",), [2, {"k": "v"}]),
        (op("remove", "/list/-1"), ("list",), [1, 2]),
        (op("replace", "/list/2/k", "w"), ("list",), [1, 2, {"k": "w"}]),
        (op("replace", "/a/missing", 1), ("a",), {"b": "c", "n": None, "missing": 1}),
        (op("copy", "/a/d", **{"from": "/list"}), ("a", "d"), [1, 2, {"k": "v"}]),
        (op("copy", "/a/d", **{"from": "/a/missing"}), ("a", "d"), None),
        (op("move", "/a/d", **{"from": "/a/b"}), ("a",), {"n": None, "d": "c"}),
        (op("replace", "/x~1y/~0", 2), ("x/y",), {"~": 2}),
        (op("test", "/a/b", "c"), ("a", "b"), "c"),
        (op("test", "/a/missing", None), ("a", "b"), "c"),
        (op("replace", "", {"new": 1}), ("new",), 1),
    ],
)
def test_an_operation_changes_what_it_names(
    operation: dict[str, Any], path: tuple[str, ...], expected: Any
) -> None:
    result: Any = json_patch(OBJECT, [operation])
    for key in path:
        result = result[key]
    assert result == expected


def test_the_patched_object_is_left_alone() -> None:
    json_patch(OBJECT, [op("remove", "/a"), op("add", "/list/-", 1)])
    assert OBJECT == {"a": {"b": "c", "n": None}, "list": [1, 2, {"k": "v"}], "x/y": {"~": 1}}


@pytest.mark.parametrize(
    "operation",
    [
        op("test", "/a/b", "d"),
        op("test", "/list/0", True),
        op("remove", "/a/missing"),
        op("remove", "/list/7"),
        op("add", "/list/5", 1),
        op("add", "/list/x", 1),
        op("add", "/missing/x", 1),
        op("add", "/a/n/x", 1),
        op("add", "/a/b/x", 1),
        op("add", "", 1),
        op("add", "list", 1),
        op("turn", "/a"),
        op("move", "/a/d", **{"from": "/a/b/c"}),
        {"op": "add"},
    ],
)
def test_what_does_not_fit_is_refused_without_a_reason(operation: dict[str, Any]) -> None:
    with pytest.raises(ApiError) as refusal:
        json_patch(OBJECT, [operation])
    assert refusal.value.status == {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": "the server rejected our request due to an error in our request",
        "reason": "Invalid",
        "details": {},
        "code": 422,
    }


@pytest.mark.parametrize(
    ("patch", "message"),
    [
        ({}, "object into Go value of type []handlers.jsonPatchOp"),
        (["a"], "string into Go value of type handlers.jsonPatchOp"),
        ([{"op": 1}], "number into Go struct field jsonPatchOp.op of type string"),
    ],
)
def test_what_is_no_patch_is_a_bad_request(patch: Any, message: str) -> None:
    with pytest.raises(ApiError) as refusal:
        json_patch(OBJECT, patch)
    assert (refusal.value.code, str(refusal.value)) == (
        400,
        f"error decoding patch: json: cannot unmarshal {message}",
    )


def test_a_patch_has_an_end() -> None:
    with pytest.raises(ApiError, match="maximum operations in a JSON patch is 10000, got 10001"):
        json_patch(OBJECT, [op("test", "/a/b", "c")] * 10_001)
