"""Shapes say of a field what the API server's own description says."""

import pytest

from bridgehead.twin.kinds import Kind
from bridgehead.twin.schema.builtin import builtin_kinds
from bridgehead.twin.schema.shapes import Shape, custom_shape, shape_named, shape_of


def _at(kind: str, *path: str, group: str = "apps") -> Shape:
    shape = shape_named(group, "v1", kind)
    for key in path:
        assert shape is not None
        shape = shape.items if key == "[]" else shape.child(key)
    assert shape is not None
    return shape


def test_every_builtin_kind_has_a_shape() -> None:
    assert [kind for kind in builtin_kinds() if shape_of(kind) is None] == []


def test_a_list_with_keys_is_known_by_both_descriptions() -> None:
    ports = _at("DaemonSet", "spec", "template", "spec", "containers", "[]", "ports")
    assert (ports.list_type, ports.list_map_keys) == ("map", ("containerPort", "protocol"))
    assert (ports.patch_strategy, ports.patch_merge_key) == (("merge",), "containerPort")
    assert ports.items is not None
    assert ports.items.fields["protocol"].default == "TCP"


def test_what_a_field_says_beside_its_type_counts() -> None:
    strategy = _at("Deployment", "spec", "strategy")
    assert strategy.patch_strategy == ("retainKeys",)
    assert "rollingUpdate" in strategy.fields


def test_scalars_with_two_forms_are_told_apart() -> None:
    assert _at("Deployment", "spec", "strategy", "rollingUpdate", "maxSurge").int_or_string
    limits = _at("Pod", "spec", "containers", "[]", "resources", "limits", group="")
    assert limits.values is not None
    assert limits.values.format == "quantity"


def test_a_schema_may_contain_itself() -> None:
    path = ("spec", "versions", "[]", "schema", "openAPIV3Schema", "properties", "a", "properties")
    group = "apiextensions.k8s.io"
    assert _at("CustomResourceDefinition", *path, group=group).type == "object"


def test_custom_resources_have_the_metadata_of_all_objects() -> None:
    shape = custom_shape({"type": "object", "properties": {"spec": {"type": "object"}}})
    assert shape.fields["metadata"].fields["finalizers"].list_type == "set"
    assert shape.fields["spec"].fields == {}


@pytest.mark.parametrize("custom", [True, False])
def test_a_kind_that_is_not_built_in_has_no_shape(custom: bool) -> None:
    kind = Kind(group="example.com", version="v1", kind="A", plural="as", custom=custom)
    assert shape_of(kind) is None
