"""Items of sets and of lists that are maps come once.

Source: k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype/validation.go (1.37).
"""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from bridgehead.twin.schema.validation.causes import Causes, duplicate

Schema = Mapping[str, Any]


def uniqueness_causes(schema: Schema, value: Any, field: str = "") -> Causes:
    """Every item that is there before, at its second place."""
    if isinstance(value, dict):
        properties: Mapping[str, Schema] = schema.get("properties") or {}
        others = schema.get("additionalProperties")
        for key in sorted(value):
            if isinstance(others, dict):
                yield from uniqueness_causes(others, value[key], f"{field}[{key}]")
            elif key in properties:
                inner = f"{field}.{key}" if field else key
                yield from uniqueness_causes(properties[key], value[key], inner)
    elif isinstance(value, list):
        for number, shown in _repeated(schema, value):
            yield duplicate(f"{field}[{number}]", shown)
        items = schema.get("items")
        if isinstance(items, dict):
            for number, item in enumerate(value):
                yield from uniqueness_causes(items, item, f"{field}[{number}]")


def _repeated(schema: Schema, value: list[Any]) -> Iterator[tuple[int, Any]]:
    match schema.get("x-kubernetes-list-type"):
        case "set":
            told = value
        case "map":
            keys = schema.get("x-kubernetes-list-map-keys") or ()
            told = [{key: item[key] for key in keys if key in (item or {})} for item in value]
        case _:
            return
    seen: dict[bytes, int] = {}
    for number, item in enumerate(told):
        encoded = msgspec.json.encode(item, order="sorted")
        seen[encoded] = seen.get(encoded, 0) + 1
        if seen[encoded] == 2:
            yield number, item
