"""Items of sets and of lists that are maps, in objects of custom kinds."""

from typing import Any

import pytest

from bridgehead.twin.schema.custom.uniqueness import uniqueness_causes

WORD = {"type": "string"}
SCHEMA = {
    "type": "object",
    "properties": {
        "set": {"type": "array", "x-kubernetes-list-type": "set", "items": WORD},
        "plain": {"type": "array", "items": WORD},
        "map": {
            "type": "array",
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["name", "zone"],
            "items": {"type": "object"},
        },
        "by": {
            "type": "object",
            "additionalProperties": {"type": "array", "x-kubernetes-list-type": "set"},
        },
    },
}


@pytest.mark.parametrize(
    ("obj", "found"),
    [
        ({"plain": ["a", "a"]}, {}),
        ({"set": ["a", "b"]}, {}),
        ({"set": ["a", "b", "a", "a"]}, {"set[2]": 'Duplicate value: "a"'}),
        ({"map": [{"name": "a", "zone": "x"}, {"name": "a"}]}, {}),
        (
            {"map": [{"name": "a", "size": 1}, {"name": "a", "size": 2}]},
            {"map[1]": 'Duplicate value: {"name":"a"}'},
        ),
        ({"by": {"k": [1, 1]}}, {"by[k][1]": "Duplicate value: 1"}),
    ],
)
def test_what_comes_twice_is_told_at_its_second_place(obj: Any, found: dict[str, str]) -> None:
    causes = {cause["field"]: cause["message"] for cause in uniqueness_causes(SCHEMA, obj)}
    assert causes == found
