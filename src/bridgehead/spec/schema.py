"""The JSON Schema of the spec, for editors and for our own messages.

A value of the schema is written as people write it (``30s``, ``10%``). A null stands for nothing in
a spec, so the schema knows none.
"""

from functools import cache
from typing import Any

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from bridgehead.core.model.durations import duration_text
from bridgehead.spec.models import RolloutKeys

SCHEMA_ID = "https://bridgehead.dev/schemas/v1alpha1/rollout.schema.json"

JsonObject = dict[str, Any]


class _SpecSchema(GenerateJsonSchema):
    """Pydantic's generator without nulls, and without titles that repeat the key."""

    def nullable_schema(self, schema: core_schema.NullableSchema) -> JsonSchemaValue:
        return self.generate_inner(schema["schema"])

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        if schema.get("default", ...) is None:
            return self.generate_inner(schema["schema"])
        generated = super().default_schema(schema)
        # The settings count in seconds; pydantic knows the serializer of a value, not of a default.
        if generated.get("title") == "duration" and "default" in generated:
            generated["default"] = duration_text(generated["default"])
        return generated

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002 - the base's signature
        return False


@cache
def rollout_schema() -> JsonObject:
    """The schema of kind Rollout, JSON Schema 2020-12. Callers must not change it."""
    schema = RolloutKeys.model_json_schema(by_alias=True, schema_generator=_SpecSchema)
    head = {"$schema": GenerateJsonSchema.schema_dialect, "$id": SCHEMA_ID}
    return {**head, **schema, "title": "bridgehead rollout"}


def keys_at(path: tuple[str | int, ...]) -> tuple[str, ...]:
    """The keys that the mapping at a path may hold; none where it is no mapping of fixed keys."""
    schema = rollout_schema()
    node = schema
    for part in path:
        node = resolved(node.get("items", {}) if isinstance(part, int) else _inner(node, part))
    return tuple(node.get("properties", {}))


def homes_of(key: str) -> tuple[str, ...]:
    """The mappings, as dotted paths, that hold a key of this name."""
    return tuple(_homes(rollout_schema(), key, ""))


def resolved(node: JsonObject) -> JsonObject:
    """A schema with its reference followed; what stands beside the reference wins."""
    reference = node.get("$ref")
    if reference is None:
        return node
    target: JsonObject = rollout_schema()["$defs"][reference.rpartition("/")[2]]
    return {**target, **{key: value for key, value in node.items() if key != "$ref"}}


def _inner(node: JsonObject, key: str) -> JsonObject:
    inner: JsonObject = node.get("properties", {}).get(key, {})
    return inner


def _homes(node: JsonObject, key: str, path: str) -> list[str]:
    homes = []
    for name, child in node.get("properties", {}).items():
        if name == key and path:
            homes.append(path)
        inner = resolved(child)
        homes += _homes(resolved(inner.get("items", inner)), key, f"{path}.{name}".lstrip("."))
    return homes
