"""Unknown and repeated fields, in the words of a real API server (asked with these bodies)."""

import json

import pytest

from bridgehead.twin.errors import ApiError
from bridgehead.twin.kinds import Kind, Kinds
from bridgehead.twin.schema.builtin import builtin_kinds
from bridgehead.twin.schema.strictness import STRATEGIC, body_warnings, go_map, patch_warnings

BODY = (
    b'{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x","name":"y"},'
    b'"data":{"a":"b","a":"c"},"foo":{"a":1,"a":2},"foo":3}'
)
MISTAKES = ['duplicate field "metadata.name"', 'duplicate field "data.a"', 'unknown field "foo"']


@pytest.fixture(scope="module")
def config_map() -> Kind:
    return Kinds(builtin_kinds()).named("", "configmaps")


def test_a_body_is_warned_of_in_its_own_order(config_map: Kind) -> None:
    assert body_warnings(config_map, json.loads(BODY), "Warn", BODY) == MISTAKES


def test_a_strict_body_is_refused(config_map: Kind) -> None:
    with pytest.raises(ApiError) as refusal:
        body_warnings(config_map, json.loads(BODY), "Strict", BODY)
    assert refusal.value.code == 400
    assert str(refusal.value) == (
        'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: '
        + ", ".join(MISTAKES)
    )


def test_who_ignores_hears_nothing(config_map: Kind) -> None:
    assert body_warnings(config_map, json.loads(BODY), "Ignore", BODY) == []


def test_a_strict_patch_is_refused_with_what_it_made(config_map: Kind) -> None:
    made = {"kind": "ConfigMap", "apiVersion": "v1", "data": {"a": "<b>"}, "foo": 1, "metadata": {}}
    with pytest.raises(ApiError) as refusal:
        patch_warnings(config_map, made, "Strict", b'{"foo":1}', "application/merge-patch+json")
    shown = (
        r'"{\"apiVersion\":\"v1\",\"data\":{\"a\":\"\\u003cb\\u003e\"},\"foo\":1,'
        r'\"kind\":\"ConfigMap\",\"metadata\":{}}"'
    )
    told = f'Invalid value: {shown}: strict decoding error: unknown field "foo"'
    assert refusal.value.status["message"] == f' "" is invalid: patch: {told}'
    assert refusal.value.status["details"] == {
        "causes": [{"reason": "FieldValueInvalid", "message": told, "field": "patch"}]
    }


def test_a_strict_strategic_patch_is_refused_with_itself(config_map: Kind) -> None:
    made = {"kind": "ConfigMap", "apiVersion": "v1", "foo": 1, "metadata": {}}
    with pytest.raises(ApiError) as refusal:
        patch_warnings(config_map, made, "Strict", b'{"foo":1}', STRATEGIC)
    assert 'patch: Invalid value: "map[foo:1]": strict' in refusal.value.status["message"]


def test_a_patch_that_says_a_field_twice_is_warned_of(config_map: Kind) -> None:
    made = {"kind": "ConfigMap", "apiVersion": "v1", "data": {"a": "c"}, "metadata": {}}
    warnings = patch_warnings(config_map, made, "Warn", b'{"data":{"a":"b","a":"c"}}')
    assert warnings == ['duplicate field "data.a"']


def test_values_are_printed_as_go_prints_them() -> None:
    value = {"b": [1, "x", None, True], "a": {"c": {}}}
    assert go_map(value) == "map[a:map[c:map[]] b:[1 x <nil> true]]"
