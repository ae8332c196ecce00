"""OpenAPI v3 documents of custom kinds, for clients that explain, validate and apply.

Source: k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder/builder.go.
"""

from collections.abc import Iterator
from typing import Any

from bridgehead.twin.kinds import Kind, Kinds
from bridgehead.twin.objects import Object
from bridgehead.twin.schema.recorded import recorded

_META = "io.k8s.apimachinery.pkg.apis.meta.v1."
_REFERENCE = "#/components/schemas/"
_SHARED = (
    *("FieldsV1", "ListMeta", "ManagedFieldsEntry", "ObjectMeta", "OwnerReference", "ShardInfo"),
    "Time",
)

_ACTIONS = {"get": "get", "put": "put", "patch": "patch", "delete": "delete"}


def custom_documents(kinds: Kinds) -> dict[str, Object]:
    """One document for each served version of a custom group, by ``apis/GROUP/VERSION``."""
    grouped: dict[str, list[Kind]] = {}
    for kind in kinds:
        if kind.custom:
            grouped.setdefault(f"apis/{kind.api_version}", []).append(kind)
    return {path: _document(listed) for path, listed in grouped.items()}


def _document(kinds: list[Kind]) -> Object:
    core = recorded("openapi/api__v1")["components"]["schemas"]
    schemas: dict[str, Any] = {f"{_META}{name}": core[f"{_META}{name}"] for name in _SHARED}
    paths: dict[str, Any] = {}
    for kind in kinds:
        schemas[_name(kind)] = _schema(kind, core)
        schemas[f"{_name(kind)}List"] = _list_schema(kind, core)
        paths.update(_paths(kind))
    return {
        "openapi": "3.0.0",
        "info": {"title": "Kubernetes CRD Swagger", "version": "v0.1.0"},
        "paths": paths,
        "components": {"schemas": schemas},
    }


def _name(kind: Kind) -> str:
    reversed_group = ".".join(reversed(kind.group.split(".")))
    return f"{reversed_group}.{kind.version}.{kind.kind}"


def _group_version_kind(kind: Kind, name: str) -> dict[str, str]:
    return {"group": kind.group, "kind": name, "version": kind.version}


def _of_every_object(core: dict[str, Any], metadata: str, what: str) -> dict[str, Any]:
    """``apiVersion``, ``kind`` and ``metadata`` as every kind has them."""
    described = core["io.k8s.api.core.v1.ConfigMap"]["properties"]
    return {
        "apiVersion": described["apiVersion"],
        "kind": described["kind"],
        "metadata": {
            "description": what,
            "allOf": [{"$ref": f"{_REFERENCE}{_META}{metadata}"}],
        },
    }


def _schema(kind: Kind, core: dict[str, Any]) -> Object:
    own = dict(kind.schema.value) if kind.schema else {}
    described = core["io.k8s.api.core.v1.ConfigMap"]["properties"]["metadata"]["description"]
    common = _of_every_object(core, "ObjectMeta", described)
    return {
        **own,
        "type": "object",
        "properties": {**(own.get("properties") or {}), **common},
        "x-kubernetes-group-version-kind": [_group_version_kind(kind, kind.kind)],
    }


def _list_schema(kind: Kind, core: dict[str, Any]) -> Object:
    described = core["io.k8s.api.core.v1.ConfigMapList"]["properties"]["metadata"]["description"]
    common = _of_every_object(core, "ListMeta", described)
    items = {
        "description": f"List of {kind.plural}.",
        "type": "array",
        "items": {"$ref": f"{_REFERENCE}{_name(kind)}"},
    }
    return {
        "description": f"{kind.kind}List is a list of {kind.kind}",
        "type": "object",
        "required": ["items"],
        "properties": {**common, "items": items},
        "x-kubernetes-group-version-kind": [_group_version_kind(kind, f"{kind.kind}List")],
    }


def _paths(kind: Kind) -> Iterator[tuple[str, Object]]:
    root = f"/apis/{kind.api_version}"
    inside = f"{root}/namespaces/{{namespace}}" if kind.namespaced else root
    collection = f"{inside}/{kind.plural}"
    yield (
        collection,
        {
            "get": _operation(kind, "list"),
            "post": _operation(kind, "post"),
            "delete": _operation(kind, "deletecollection"),
        },
    )
    yield f"{collection}/{{name}}", {key: _operation(kind, key) for key in _ACTIONS}
    for part in kind.subresources:
        yield (
            f"{collection}/{{name}}/{part.name}",
            {key: _operation(kind, key) for key in ("get", "put", "patch")},
        )
    if kind.namespaced:
        yield f"{root}/{kind.plural}", {"get": _operation(kind, "list")}


def _operation(kind: Kind, action: str) -> Object:
    """What clients look for: the kind, and whether dry runs and strictness are known."""
    writes = action in {"post", "put", "patch"}
    asked = ("dryRun", "fieldManager", "fieldValidation") if writes else ()
    reference = {"$ref": f"{_REFERENCE}{_name(kind)}"}
    content = {"application/json": {"schema": reference}}
    return {
        "parameters": [
            {"name": name, "in": "query", "schema": {"type": "string", "uniqueItems": True}}
            for name in asked
        ],
        "responses": {"200": {"description": "OK", "content": content}},
        "x-kubernetes-action": action,
        "x-kubernetes-group-version-kind": _group_version_kind(kind, kind.kind),
    }
