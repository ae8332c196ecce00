"""What stands in the cluster of an object that a manifest would create or change."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeGuard

from bridgehead.core.findings.manifest import Linted, Manifest
from bridgehead.core.model.component import Component
from bridgehead.core.model.json import JsonObject, JsonValue


def standing(linted: Linted, manifest: Manifest) -> Component | None:
    """The DaemonSet of the cluster that the manifest means; None where there is none.

    A manifest that leaves its namespace to ``kubectl apply`` means the only one of its name.
    """
    ref = manifest.ref
    if linted.cluster is None or ref.kind != "DaemonSet":
        return None
    named = [it for it in linted.cluster.snapshot.components if it.name == ref.name]
    if ref.namespace:
        named = [it for it in named if it.namespace == ref.namespace]
    return named[0] if len(named) == 1 else None


def template_changes(manifest: Manifest, template: JsonObject) -> tuple[str, ...]:
    """Paths of a standing template that the manifest changes, sorted.

    What the manifest does not say is left to the server's defaults and is no change: fields that
    it takes away are therefore not seen.
    """
    return tuple(sorted(set(_changes(manifest.template, template, ""))))


def few(names: Sequence[str], most: int = 5) -> str:
    """Names for a sentence: the first of them, and how many more there are."""
    more = len(names) - most
    return f"{', '.join(names[:most])}{f' and {more} more' if more > 0 else ''}"


def _changes(asked: JsonValue, stands: JsonValue, path: str) -> Iterator[str]:
    if asked is None:
        return
    if isinstance(asked, Mapping) and (isinstance(stands, Mapping) or stands is None):
        for key, value in asked.items():
            inner = stands.get(key) if isinstance(stands, Mapping) else None
            yield from _changes(value, inner, f"{path}.{key}" if path else key)
    elif _listed(asked) and _listed(stands) and len(asked) == len(stands):
        for number, (left, right) in enumerate(zip(asked, stands, strict=True)):
            yield from _changes(left, right, f"{path}[{number}]")
    elif not (asked == stands or str(asked) == str(stands) or (not asked and stands is None)):
        yield path


def _listed(value: JsonValue) -> TypeGuard[Sequence[JsonValue]]:
    return isinstance(value, Sequence) and not isinstance(value, str)
