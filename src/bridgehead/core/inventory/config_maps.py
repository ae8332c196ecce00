"""Which ConfigMaps a pod template names: volumes, projections and environment."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from bridgehead.core.model.component import Component
from bridgehead.core.model.json import JsonObject, JsonValue, child, text

_FIELDS = ("configMap", "configMapRef", "configMapKeyRef")


def config_maps_of(template: JsonObject) -> frozenset[str]:
    """Names of all ConfigMaps that its pods use, in the pods' own namespace."""
    return frozenset(_named(template))


def without_unnamed_data(
    objects: Iterable[JsonObject], components: Iterable[Component]
) -> list[JsonObject]:
    """The objects; ConfigMaps that no component names keep their names and lose their data.

    What is in them may be anybody's, and says nothing about devices. That they are there does.
    """
    named = {
        (item.namespace, name) for item in components for name in config_maps_of(item.template)
    }
    return [item if _is_kept(item, named) else _bare(item) for item in objects]


def _is_kept(item: JsonObject, named: set[tuple[str, str]]) -> bool:
    if text(item, "kind") != "ConfigMap":
        return True
    metadata = child(item, "metadata")
    return (text(metadata, "namespace"), text(metadata, "name")) in named


def _bare(item: JsonObject) -> JsonObject:
    return {key: value for key, value in item.items() if key not in ("data", "binaryData")}


def _named(value: JsonValue) -> Iterator[str]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            if key in _FIELDS and (name := text(inner, "name")):
                yield name
            yield from _named(inner)
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for inner in value:
            yield from _named(inner)
