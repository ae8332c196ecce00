"""From a CustomResourceDefinition to the kinds that it makes.

Source: k8s.io/apiextensions-apiserver/pkg/apiserver/customresource_discovery_controller.go.
"""

from typing import Any

from bridgehead.twin.kinds import Column, CustomSchema, Kind, Subresource
from bridgehead.twin.objects import Object, fields, items, text

_VERBS = ("delete", "deletecollection", "get", "list", "patch", "create", "update", "watch")
_VERBS_OF_PARTS = ("get", "patch", "update")


def kinds_of(definition: Object) -> list[Kind]:
    """One kind for each served version, the stored one first."""
    versions = [item for item in items(definition, "spec", "versions") if item.get("served")]
    versions.sort(key=lambda item: not item.get("storage"))
    return [_kind(definition, version) for version in versions]


def _kind(definition: Object, version: Object) -> Kind:
    names = fields(definition, "spec", "names")
    schema = fields(version, "schema", "openAPIV3Schema")
    return Kind(
        group=text(definition, "spec", "group"),
        version=version["name"],
        kind=names["kind"],
        plural=names["plural"],
        singular=names.get("singular") or names["kind"].lower(),
        namespaced=text(definition, "spec", "scope") == "Namespaced",
        verbs=_VERBS,
        short_names=tuple(names.get("shortNames") or ()),
        categories=tuple(names.get("categories") or ()),
        subresources=_subresources(names["kind"], version.get("subresources") or {}),
        custom=True,
        columns=tuple(_column(item) for item in version.get("additionalPrinterColumns") or ()),
        schema=CustomSchema(schema),
    )


def _subresources(kind: str, declared: Object) -> tuple[Subresource, ...]:
    found: list[Subresource] = []
    if declared.get("status") is not None:
        found.append(Subresource(name="status", kind=kind, verbs=_VERBS_OF_PARTS))
    if declared.get("scale") is not None:
        found.append(
            Subresource(
                name="scale",
                group="autoscaling",
                version="v1",
                kind="Scale",
                verbs=_VERBS_OF_PARTS,
            )
        )
    return tuple(found)


def _column(declared: dict[str, Any]) -> Column:
    return Column(
        name=declared.get("name") or "",
        type=declared.get("type") or "string",
        json_path=declared.get("jsonPath") or "",
        format=declared.get("format") or "",
        description=declared.get("description") or "",
        priority=declared.get("priority") or 0,
    )
