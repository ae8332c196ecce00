"""CustomResourceDefinitions: what they make is served, pruned, checked and taken away again."""

import asyncio
from typing import Any

import pytest

from bridgehead.twin.admission.admission import Admission
from bridgehead.twin.clock import Clock
from bridgehead.twin.errors import ApiError
from bridgehead.twin.identifiers import Identifiers
from bridgehead.twin.kinds import Kind, Kinds
from bridgehead.twin.objects import Object, items
from bridgehead.twin.registry import Registry
from bridgehead.twin.schema.builtin import builtin_kinds
from bridgehead.twin.schema.custom.serving import CustomKinds
from bridgehead.twin.schema.shapes import shape_of
from bridgehead.twin.schema.strictness import body_warnings
from bridgehead.twin.store import Store
from tests.twin.virtually import START, virtually

SPEC = {
    "type": "object",
    "required": ["size"],
    "properties": {
        "size": {"type": "integer", "minimum": 1},
        "color": {"type": "string", "enum": ["red", "blue"], "default": "red"},
        "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
        "named": {"type": "object", "additionalProperties": {"type": "string"}},
        "list": {
            "type": "array",
            "items": {"type": "object", "properties": {"a": {"type": "string"}}},
        },
        "port": {"x-kubernetes-int-or-string": True},
    },
}


def _definition(schema: Any = None, **version: Any) -> Object:
    properties = {"spec": SPEC, "status": {"type": "object"}}
    return {
        "metadata": {"name": "widgets.example.com"},
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": {"plural": "widgets", "kind": "Widget", "shortNames": ["wd"]},
            "versions": [
                {
                    "name": "v1",
                    "served": True,
                    "storage": True,
                    "schema": {
                        "openAPIV3Schema": schema or {"type": "object", "properties": properties}
                    },
                    "subresources": {"status": {}},
                    "additionalPrinterColumns": [
                        {"name": "Size", "type": "integer", "jsonPath": ".spec.size"}
                    ],
                    **version,
                }
            ],
        },
    }


class World:
    """A registry that serves custom kinds."""

    def __init__(self) -> None:
        self.kinds, self.store = Kinds(builtin_kinds()), Store()
        clock, identifiers = Clock(start=START), Identifiers(1)
        admit = Admission(self.kinds, self.store, clock, identifiers)
        self.registry = Registry(self.kinds, self.store, clock, identifiers, admit)
        CustomKinds(self.registry).start()
        self.create("", "namespaces", {"metadata": {"name": "n"}})

    def create(self, group: str, plural: str, obj: Object) -> Object:
        kind = self.kinds.named(group, plural)
        namespace = "n" if kind.namespaced else ""
        return self.registry.create(kind, obj, namespace=namespace, user="somebody")

    async def define(self, definition: Object) -> Kind:
        """The kind, once it is served."""
        self.create("apiextensions.k8s.io", "customresourcedefinitions", definition)
        await asyncio.sleep(1)
        return self.kinds.named("example.com", "widgets")

    def definition(self) -> Object:
        kind = self.kinds.named("apiextensions.k8s.io", "customresourcedefinitions")
        return self.registry.get(kind, "", "widgets.example.com")


@virtually
async def test_a_definition_serves_a_kind_and_says_so() -> None:
    world = World()
    kind = await world.define(_definition())
    assert (kind.kind, kind.singular, kind.short_names) == ("Widget", "widget", ("wd",))
    assert [column.name for column in kind.columns] == ["Size"]
    assert kind.subresource("status") is not None
    status = world.definition()["status"]
    assert [(item["type"], item["status"]) for item in items(status, "conditions")] == [
        ("NamesAccepted", "True"),
        ("Established", "True"),
    ]
    assert status["storedVersions"] == ["v1"]
    assert status["acceptedNames"]["listKind"] == "WidgetList"


@virtually
async def test_unknown_fields_go_and_defaults_come() -> None:
    world = World()
    await world.define(_definition())
    spec = {
        "size": 3,
        "bar": "x",
        "free": {"a": {"b": 1}},
        "named": {"x": "y"},
        "list": [{"a": "1", "b": 2}],
        "port": "http",
    }
    obj = {"metadata": {"name": "w", "labels": {"l": "m"}}, "spec": spec, "status": {"phase": "x"}}
    made = world.create("example.com", "widgets", obj)
    assert made["spec"] == {
        "size": 3,
        "free": {"a": {"b": 1}},
        "named": {"x": "y"},
        "list": [{"a": "1"}],
        "port": "http",
        "color": "red",
    }
    assert made["metadata"]["labels"] == {"l": "m"}
    assert "status" not in made


@virtually
async def test_unknown_fields_are_told() -> None:
    world = World()
    kind = await world.define(_definition())
    obj = {"metadata": {"name": "w"}, "spec": {"size": 1, "bar": 1, "list": [{"b": 2}]}}
    assert body_warnings(kind, obj, "Warn") == [
        'unknown field "spec.bar"',
        'unknown field "spec.list[0].b"',
    ]


@virtually
async def test_a_schema_that_keeps_everything_prunes_nothing() -> None:
    world = World()
    loose = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    await world.define(_definition(loose))
    obj = {"metadata": {"name": "w"}, "spec": {"anything": [1, {"a": None}]}, "more": 1}
    made = world.create("example.com", "widgets", obj)
    assert made["spec"] == {"anything": [1, {"a": None}]}
    assert made["more"] == 1


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        (
            {"size": 0, "color": "green", "list": [{"a": 1}]},
            'Widget.example.com "w" is invalid: ['
            'spec.color: Unsupported value: "green": supported values: "red", "blue", '
            'spec.list[0].a: Invalid value: "integer": spec.list[0].a in body must be of type '
            'string: "integer", '
            "spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1]",
        ),
        (
            {"color": 3},
            'Widget.example.com "w" is invalid: ['
            'spec.color: Invalid value: "integer": spec.color in body must be of type string: '
            '"integer", '
            'spec.color: Unsupported value: 3: supported values: "red", "blue", '
            "spec.size: Required value]",
        ),
        (
            {"size": True, "port": 1.5},
            'Widget.example.com "w" is invalid: ['
            'spec.port: Invalid value: "number": spec.port in body must be of type '
            'integer,string: "number", '
            'spec.size: Invalid value: "boolean": spec.size in body must be of type integer: '
            '"boolean"]',
        ),
    ],
)
@virtually
async def test_values_are_checked_by_the_schema(spec: Object, told: str) -> None:
    world = World()
    await world.define(_definition())
    with pytest.raises(ApiError) as refusal:
        world.create("example.com", "widgets", {"metadata": {"name": "w"}, "spec": spec})
    assert str(refusal.value.status["message"]) == told


@virtually
async def test_a_status_is_written_apart() -> None:
    world = World()
    kind = await world.define(_definition(subresources={"status": {}}))
    obj = world.create("example.com", "widgets", {"metadata": {"name": "w"}, "spec": {"size": 1}})
    changed = {**obj, "spec": {"size": 9}, "status": {}}
    made = world.registry.update(kind, changed, subresource="status", user="somebody")
    assert made["spec"]["size"] == 1
    assert made["metadata"]["generation"] == 1


@virtually
async def test_a_changed_definition_changes_the_kind() -> None:
    world = World()
    await world.define(_definition())
    kind = world.kinds.named("apiextensions.k8s.io", "customresourcedefinitions")
    spec = world.definition()["spec"]
    more = {"name": "v2", "served": True, "storage": False, "schema": spec["versions"][0]["schema"]}
    changed = {**spec, "versions": [*spec["versions"], more]}
    world.registry.update(kind, {**world.definition(), "spec": changed}, user="somebody")
    await asyncio.sleep(1)
    assert world.kinds.at_path("example.com", "v2", "widgets") is not None
    first = {"metadata": world.definition()["metadata"], "spec": spec}
    world.registry.update(kind, first, user="somebody")
    await asyncio.sleep(1)
    assert world.kinds.at_path("example.com", "v2", "widgets") is None
    assert world.kinds.at_path("example.com", "v1", "widgets") is not None


@virtually
async def test_a_definition_takes_its_objects_with_it() -> None:
    world = World()
    kind = await world.define(_definition())
    for name, finalizers in (("a", []), ("b", ["example.com/never"])):
        metadata = {"name": name, "finalizers": finalizers}
        world.create("example.com", "widgets", {"metadata": metadata, "spec": {"size": 1}})
    definitions = world.kinds.named("apiextensions.k8s.io", "customresourcedefinitions")
    world.registry.delete(definitions, "", "widgets.example.com")
    await asyncio.sleep(1)
    assert world.store.count(kind.stored) == 0
    assert world.kinds.at_path("example.com", "v1", "widgets") is None


@virtually
async def test_the_shape_of_a_custom_kind_is_its_schema() -> None:
    world = World()
    kind = await world.define(_definition())
    shape = shape_of(kind)
    assert shape is not None
    assert {"apiVersion", "kind", "metadata", "spec", "status"} <= set(shape.fields)


@virtually
async def test_a_definition_must_be_named_after_what_it_defines() -> None:
    world = World()
    wrong = _definition(schema=None)
    wrong["metadata"] = {"name": "foo"}
    wrong["spec"]["versions"][0]["schema"] = {}
    with pytest.raises(ApiError) as refusal:
        world.create("apiextensions.k8s.io", "customresourcedefinitions", wrong)
    assert refusal.value.status["message"] == (
        'CustomResourceDefinition.apiextensions.k8s.io "foo" is invalid: ['
        'metadata.name: Invalid value: "foo": must be spec.names.plural+"."+spec.group, '
        "spec.versions[0].schema.openAPIV3Schema: Required value]"
    )
