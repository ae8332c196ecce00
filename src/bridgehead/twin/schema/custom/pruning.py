"""Fields that a schema does not know go; those that it has a default for come.

Source: k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning and .../schema/defaulting.
"""

from collections.abc import Mapping
from typing import Any

from bridgehead.twin.objects import Object
from bridgehead.twin.schema.decoding import private_copy

_OF_EVERY_OBJECT = frozenset({"apiVersion", "kind", "metadata"})
_KEEP = "x-kubernetes-preserve-unknown-fields"
_EMBEDDED = "x-kubernetes-embedded-resource"

Schema = Mapping[str, Any]


def pruned(schema: Schema, obj: Object, unknown: list[str] | None = None) -> Object:
    """A private copy without unknown fields; their paths are added to ``unknown``."""
    paths = unknown if unknown is not None else []
    kept: Object = _prune_object(schema, obj, "", paths, always=_OF_EVERY_OBJECT)
    return kept


def fill_defaults(schema: Schema, value: Any) -> None:
    """Put in the defaults of a schema, in place."""
    if isinstance(value, dict):
        properties: Mapping[str, Schema] = schema.get("properties") or {}
        for key, inner in properties.items():
            if value.get(key) is None and "default" in inner:
                value[key] = private_copy(inner["default"])
            if key in value:
                fill_defaults(inner, value[key])
        if isinstance(others := schema.get("additionalProperties"), dict):
            for key, item in value.items():
                if key not in properties:
                    fill_defaults(others, item)
    elif isinstance(value, list):
        for item in value:
            fill_defaults(schema.get("items") or {}, item)


def _prune(schema: Schema, value: Any, path: str, unknown: list[str]) -> Any:
    if isinstance(value, dict):
        always = _OF_EVERY_OBJECT if schema.get(_EMBEDDED) else frozenset()
        return _prune_object(schema, value, path, unknown, always=always)
    if isinstance(value, list):
        inner = schema.get("items")
        if not isinstance(inner, dict):
            return private_copy(value)
        return [
            _prune(inner, item, f"{path}[{number}]", unknown) for number, item in enumerate(value)
        ]
    return value


def _prune_object(
    schema: Schema, value: Object, path: str, unknown: list[str], *, always: frozenset[str]
) -> Object:
    properties: Mapping[str, Schema] = schema.get("properties") or {}
    others = schema.get("additionalProperties")
    kept: Object = {}
    for key, inner in value.items():
        below = f"{path}.{key}" if path else key
        if key in always:
            kept[key] = private_copy(inner)
        elif key in properties:
            kept[key] = _prune(properties[key], inner, below, unknown)
        elif isinstance(others, dict):
            kept[key] = _prune(others, inner, below, unknown)
        elif others or schema.get(_KEEP) or schema.get("x-kubernetes-int-or-string"):
            kept[key] = private_copy(inner)
        else:
            unknown.append(below)
    return kept
