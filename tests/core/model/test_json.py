"""JSON values: one text for one value, and reading below a path without trusting the shape."""

import pytest

from bridgehead.core.model.json import (
    JsonObject,
    canonical,
    child,
    children,
    differing,
    digest,
    text,
    texts,
)


def test_the_order_of_keys_does_not_matter_and_the_order_of_lists_does() -> None:
    assert canonical({"b": 1, "a": [2, 1]}) == '{"a":[2,1],"b":1}'
    assert digest({"b": 1, "a": 2}) == digest({"a": 2, "b": 1})
    assert digest([1, 2]) != digest([2, 1])


def test_null_and_missing_are_different_values() -> None:
    assert digest({"a": None}) != digest({})


def test_a_path_that_does_not_exist_is_none() -> None:
    value = {"a": {"b": [1]}}
    assert child(value, "a", "b") == [1]
    assert child(value, "a", "x", "y") is None
    assert child(value, "a", "b", "c") is None
    assert child("text", "a") is None


def test_children_are_the_objects_of_a_list() -> None:
    assert children({"a": [{"x": 1}, "text", None]}, "a") == ({"x": 1},)
    assert children({"a": "text"}, "a") == ()
    assert children({}, "a") == ()


def test_text_and_texts_read_strings_only() -> None:
    assert text({"a": "x"}, "a") == "x"
    assert text({"a": 1}, "a") == ""
    assert texts({"a": {"x": "1", "y": 2}}, "a") == {"x": "1"}
    assert texts({"a": []}, "a") == {}


@pytest.mark.parametrize(
    ("one", "other", "paths"),
    [
        ({"a": 1, "b": None}, {"a": 1}, []),
        ({"a": {"b": 1, "c": 2}}, {"a": {"b": 2}}, ["a.b", "a.c"]),
        ({"a": [{"b": 1}, {"b": 2}]}, {"a": [{"b": 1}, {"b": 3}]}, ["a[1].b"]),
        ({"a": [1]}, {"a": [1, 2]}, ["a"]),
        ({"a": "xy"}, {"a": "xz"}, ["a"]),
        ({"a": 1}, {"a": {"b": 1}}, ["a"]),
    ],
)
def test_differences_are_named_by_their_paths(
    one: JsonObject, other: JsonObject, paths: list[str]
) -> None:
    assert list(differing(one, other)) == paths
