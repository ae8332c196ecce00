"""JSON merge patch."""

from typing import Any

import pytest

from bridgehead.twin.errors import ApiError
from bridgehead.twin.patches.merge_patch import merge_patch


@pytest.mark.parametrize(
    ("before", "patch", "after"),
    [
        ({"a": 1, "b": 2}, {"a": None}, {"b": 2}),
        ({"a": {"b": 1}}, {"a": {"c": 2}}, {"a": {"b": 1, "c": 2}}),
        ({"a": [1]}, {"a": [2]}, {"a": [2]}),
        ({"a": {"b": 1}}, {"a": [{"c": None}]}, {"a": [{"c": None}]}),
        ({}, {"a": {"b": None, "c": {"d": None}}}, {"a": {"c": {}}}),
        ({}, {"a": [{"b": None}, None]}, {"a": [{}, None]}),
        ({"a": "x"}, {"a": {"b": None}}, {"a": {}}),
        ({"a": 1}, {"missing": None}, {"a": 1}),
    ],
)
def test_null_removes_objects_merge_all_else_replaces(before: Any, patch: Any, after: Any) -> None:
    assert merge_patch(before, patch) == after


@pytest.mark.parametrize(
    ("patch", "message"),
    [
        (None, "Invalid JSON Patch"),
        (
            [],
            "error decoding patch: json: cannot unmarshal array into Go value of type "
            "map[string]interface {}",
        ),
    ],
)
def test_what_is_no_object_is_a_bad_request(patch: Any, message: str) -> None:
    with pytest.raises(ApiError) as refusal:
        merge_patch({}, patch)
    assert (refusal.value.code, str(refusal.value)) == (400, message)
