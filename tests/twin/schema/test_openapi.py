"""The documents that kubectl explains, validates and applies by."""

import json

from bridgehead.twin.kinds import CustomSchema, Kind, Kinds, Subresource
from bridgehead.twin.schema.builtin import builtin_kinds
from bridgehead.twin.schema.custom.documents import custom_documents
from bridgehead.twin.schema.openapi import OpenApi

WIDGET = Kind(
    group="example.com",
    version="v1",
    kind="Widget",
    plural="widgets",
    singular="widget",
    custom=True,
    subresources=(Subresource(name="status", kind="Widget"),),
    schema=CustomSchema({"type": "object", "properties": {"spec": {"type": "object"}}}),
)


def test_every_served_group_version_has_a_document() -> None:
    served = {f"apis/{kind.api_version}" for kind in builtin_kinds() if kind.group} | {"api/v1"}
    index = OpenApi().index()["paths"]
    assert set(index) == served
    for path, entry in index.items():
        assert entry["serverRelativeURL"].startswith(f"/openapi/v3/{path}?hash=")
        document = OpenApi().document(path)
        assert document is not None
        assert document["components"]["schemas"]


def test_what_is_not_served_has_none() -> None:
    assert OpenApi().document("apis/example.com/v1") is None


def _custom() -> OpenApi:
    kinds = Kinds([*builtin_kinds(), WIDGET])
    return OpenApi(lambda: custom_documents(kinds))


def test_a_custom_kind_has_a_document_of_its_own() -> None:
    document = _custom().document("apis/example.com/v1")
    assert document is not None
    schema = document["components"]["schemas"]["com.example.v1.Widget"]
    assert schema["x-kubernetes-group-version-kind"] == [
        {"group": "example.com", "kind": "Widget", "version": "v1"}
    ]
    assert set(schema["properties"]) == {"apiVersion", "kind", "metadata", "spec"}
    named = document["paths"]["/apis/example.com/v1/namespaces/{namespace}/widgets/{name}"]
    asked = {parameter["name"] for parameter in named["patch"]["parameters"]}
    assert {"dryRun", "fieldValidation"} <= asked
    assert "/apis/example.com/v1/namespaces/{namespace}/widgets/{name}/status" in document["paths"]


def test_a_custom_document_refers_to_nothing_that_it_does_not_hold() -> None:
    document = _custom().document("apis/example.com/v1")
    assert document is not None
    known = {f"#/components/schemas/{name}" for name in document["components"]["schemas"]}
    parts = json.dumps(document).split('"$ref": "')[1:]
    assert {part.partition('"')[0] for part in parts} <= known


def test_the_index_changes_with_a_custom_document() -> None:
    first = _custom().index()["paths"]["apis/example.com/v1"]
    assert first == _custom().index()["paths"]["apis/example.com/v1"]
    assert "apis/example.com/v1" not in OpenApi().index()["paths"]
