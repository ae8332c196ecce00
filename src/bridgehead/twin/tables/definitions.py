"""Rows of custom resources and of their definitions.

Source: k8s.io/apiextensions-apiserver/pkg/registry/customresource/tableconvertor (1.37).
"""

from collections.abc import Sequence
from typing import Any

from bridgehead.twin.objects import Object, items, text
from bridgehead.twin.schema.recorded import recorded
from bridgehead.twin.tables.cells import word
from bridgehead.twin.tables.durations import since
from bridgehead.twin.tables.jsonpath import found, printed

AGE: Object = {"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"}
"""The one column of a definition that declares none."""


def definition(obj: Object, _now: float) -> list[Any]:
    """Name, Scope, Versions, Created At, Group, Kind, ShortNames, Established."""
    versions = [
        version["name"] + ("(storage)" if version.get("storage") else "")
        for version in items(obj, "spec", "versions")
        if version.get("served")
    ]
    established = any(
        condition["type"] == "Established" and condition["status"] == "True"
        for condition in items(obj, "status", "conditions")
    )
    return [
        obj["metadata"]["name"],
        word(obj, "spec", "scope"),
        ",".join(sorted(versions)),
        text(obj, "metadata", "creationTimestamp"),
        word(obj, "spec", "group"),
        word(obj, "spec", "names", "kind"),
        ",".join(items(obj, "spec", "names", "shortNames")),
        established,
    ]


def column_definitions(declared: Sequence[Object]) -> list[Object]:
    """The columns of a custom resource: its name, and what its definition declares."""
    docs = recorded("columns")["v1/serviceaccounts"]
    described = {"Age": docs[1]["description"]}
    columns = [docs[0]]
    for column in declared or (AGE,):
        default = f"Custom resource definition column (in JSONPath format): {column['jsonPath']}"
        if column is AGE or column == AGE:
            default = described["Age"]
        columns.append(
            {
                "name": column["name"],
                "type": column["type"],
                "format": column.get("format", ""),
                "description": column.get("description") or default,
                "priority": column.get("priority", 0),
            }
        )
    return columns


def custom(obj: Object, declared: Sequence[Object], now: float) -> list[Any]:
    """The cells of a custom resource; what its path does not find is empty."""
    return [
        obj["metadata"]["name"],
        *(_cell(obj, column, now) for column in declared or (AGE,)),
    ]


def _cell(obj: Object, column: Object, now: float) -> Any:
    values = found(obj, column["jsonPath"])
    if not values:
        return None
    value = values[0]
    match column["type"]:
        case "string":
            return printed(value)
        case "integer" if isinstance(value, int | float) and not isinstance(value, bool):
            return int(value)
        case "number" if isinstance(value, int | float) and not isinstance(value, bool):
            return value
        case "boolean" if isinstance(value, bool):
            return value
        case "date" if isinstance(value, str):
            try:
                return since(value, now)
            except ValueError:
                return "<invalid>"
        case _:
            return None
