"""The built-in kinds of Kubernetes 1.37, from the discovery of a real API server."""

from collections.abc import Iterator
from typing import Any

from bridgehead.twin.kinds import Kind, Subresource
from bridgehead.twin.schema.recorded import recorded


def builtin_kinds() -> list[Kind]:
    """Every kind of a fresh cluster, the preferred version of a group first."""
    return [kind for listed in recorded("discovery")["resources"] for kind in _kinds(listed)]


def _kinds(listed: dict[str, Any]) -> Iterator[Kind]:
    group, _, version = listed["groupVersion"].rpartition("/")
    subresources: dict[str, list[Subresource]] = {}
    for item in listed["resources"]:
        plural, slash, name = item["name"].partition("/")
        if slash:
            subresources.setdefault(plural, []).append(_subresource(name, item))
    for item in listed["resources"]:
        if "/" not in item["name"]:
            yield Kind(
                group=group,
                version=version,
                kind=item["kind"],
                plural=item["name"],
                singular=item["singularName"],
                namespaced=item["namespaced"],
                verbs=tuple(item["verbs"]),
                short_names=tuple(item.get("shortNames", ())),
                categories=tuple(item.get("categories", ())),
                subresources=tuple(subresources.get(item["name"], ())),
                storage_hash=item.get("storageVersionHash", ""),
            )


def _subresource(name: str, item: dict[str, Any]) -> Subresource:
    return Subresource(
        name=name,
        group=item.get("group", ""),
        version=item.get("version", ""),
        kind=item["kind"],
        verbs=tuple(item["verbs"]),
    )
