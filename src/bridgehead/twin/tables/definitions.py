"""Rows of custom resources and of their definitions.

Source: k8s.io/apiextensions-apiserver/pkg/registry/customresource/tableconvertor (1.37).
"""

from collections.abc import Sequence
from typing import Any

from bridgehead.twin.kinds import Column
from bridgehead.twin.objects import Object, items, name_of, text
from bridgehead.twin.schema.recorded import recorded
from bridgehead.twin.tables.cells import word
from bridgehead.twin.tables.durations import since
from bridgehead.twin.tables.jsonpath import found, printed

AGE = Column(name="Age", type="date", json_path=".metadata.creationTimestamp")
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
        name_of(obj),
        word(obj, "spec", "scope"),
        ",".join(sorted(versions)),
        text(obj, "metadata", "creationTimestamp"),
        word(obj, "spec", "group"),
        word(obj, "spec", "names", "kind"),
        ",".join(items(obj, "spec", "names", "shortNames")),
        established,
    ]


def column_definitions(declared: Sequence[Column]) -> list[Object]:
    """The columns of a custom resource: its name, and what its definition declares."""
    name, age = recorded("columns")["v1/serviceaccounts"]
    columns = [name]
    for column in declared or (AGE,):
        default = f"Custom resource definition column (in JSONPath format): {column.json_path}"
        if column == AGE:
            default = age["description"]
        columns.append(
            {
                "name": column.name,
                "type": column.type,
                "format": column.format,
                "description": column.description or default,
                "priority": column.priority,
            }
        )
    return columns


def custom(obj: Object, declared: Sequence[Column], now: float) -> list[Any]:
    """The cells of a custom resource; what its path does not find is empty."""
    return [
        name_of(obj),
        *(_cell(obj, column, now) for column in declared or (AGE,)),
    ]


def _cell(obj: Object, column: Column, now: float) -> Any:
    values = found(obj, column.json_path)
    if not values:
        return None
    value = values[0]
    match column.type:
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
