"""What a real API server says of itself, as files: the twin's kinds, schemas and table columns.

Generated data of the twin (`src/bridgehead/twin/schema/data`), made anew for another Kubernetes
version by `python -m testbed describe-api FOLDER`. Nothing but what the server answers to anybody.
"""

from __future__ import annotations

import json
import lzma
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from testbed.api import Api, ApiError
from testbed.state import State

Object = dict[str, Any]

_PROTOBUF = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"
_TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"


def describe(state: State, folder: Path) -> Iterator[Path]:
    """Write `discovery`, `columns` and one OpenAPI document a group version; yields the files.

    The files are compressed JSON, the same bytes for the same answers; OpenAPI v2 is there as
    protobuf, the form in which kubectl asks for it. Custom kinds must be removed before.
    """
    api = Api(state)
    resources = list(_resources(api))
    yield _write(
        folder / "discovery.json.xz",
        {
            "version": api.get("/version"),
            "groups": api.get("/apis")["groups"],
            "resources": resources,
        },
    )
    yield _write(folder / "columns.json.xz", dict(_columns(api, resources)))
    yield _write_bytes(
        folder / "openapi_v2.pb.xz", api.answer("GET", "/openapi/v2", accept=_PROTOBUF)
    )
    yield _write(folder / "access.json.xz", {"objects": list(_roles(api))})
    index = api.get("/openapi/v3")["paths"]
    for path, entry in sorted(index.items()):
        if path.startswith(("api/", "apis/")) and path.split("/")[-1].startswith("v"):
            document = api.get(entry["serverRelativeURL"])
            yield _write(folder / "openapi" / f"{path.replace('/', '__')}.json.xz", document)


def _resources(api: Api) -> Iterator[Object]:
    """The APIResourceList of each group version, the preferred one of a group first."""
    yield api.get("/api/v1")
    for group in api.get("/apis")["groups"]:
        preferred = group["preferredVersion"]["groupVersion"]
        versions = [item["groupVersion"] for item in group["versions"]]
        for version in sorted(versions, key=lambda item: item != preferred):
            yield api.get(f"/apis/{version}")


def _columns(api: Api, lists: list[Object]) -> Iterator[tuple[str, list[Object]]]:
    """Column definitions of every kind that can be listed, by `GROUP/VERSION/PLURAL`."""
    for listed in lists:
        version = listed["groupVersion"]
        root = f"/apis/{version}" if "/" in version else f"/api/{version}"
        for resource in listed["resources"]:
            if "list" not in resource["verbs"] or "/" in resource["name"]:
                continue
            try:
                table = api.request("GET", f"{root}/{resource['name']}?limit=1", accept=_TABLE)
            except ApiError:
                continue
            yield f"{version}/{resource['name']}", table["columnDefinitions"]


_OF_THIS_CLUSTER = ("uid", "resourceVersion", "creationTimestamp", "managedFields")


def _roles(api: Api) -> Iterator[Object]:
    """The roles and bindings that the server makes when it first starts."""
    version = "rbac.authorization.k8s.io/v1"
    for plural, kind in (
        ("clusterroles", "ClusterRole"),
        ("clusterrolebindings", "ClusterRoleBinding"),
        ("roles", "Role"),
        ("rolebindings", "RoleBinding"),
    ):
        for item in api.get(f"/apis/{version}/{plural}")["items"]:
            metadata = item["metadata"]
            if metadata.get("labels", {}).get("kubernetes.io/bootstrapping") != "rbac-defaults":
                continue
            kept = {key: value for key, value in metadata.items() if key not in _OF_THIS_CLUSTER}
            yield {**item, "apiVersion": version, "kind": kind, "metadata": kept}


def _write(file: Path, value: Object) -> Path:
    return _write_bytes(file, json.dumps(value, sort_keys=True, separators=(",", ":")).encode())


def _write_bytes(file: Path, content: bytes) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(lzma.compress(content, preset=9 | lzma.PRESET_EXTREME))
    return file
