"""Who manages which fields: ``metadata.managedFields`` read and written.

Source: k8s.io/apimachinery/pkg/util/managedfields/internal/managedfields.go (1.37).
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any, Literal, NamedTuple

import msgspec

from bridgehead.twin.objects import Object, at, items
from bridgehead.twin.patches.field_set import ITSELF, FieldSet, encoded

Operation = Literal["Apply", "Update"]


class Who(NamedTuple):
    """What tells managers apart. Those who apply are the same in every version."""

    manager: str
    operation: Operation
    api_version: str
    """Empty for one who applies."""
    subresource: str


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """The fields of one manager."""

    api_version: str
    fields: FieldSet
    time: str | None = None


Managed = dict[Who, Entry]


def who(manager: str, operation: Operation, api_version: str, subresource: str) -> Who:
    """A manager as it is told from others."""
    version = "" if operation == "Apply" else api_version
    return Who(manager or "unknown", operation, version, subresource)


class EntriesError(Exception):
    """``managedFields`` that say nothing."""


def read(entries: Iterable[Any]) -> Managed:
    """What an object says of its managers. Raises EntriesError where it is not well formed."""
    managed: Managed = {}
    for position, entry in enumerate(entries):
        operation, version = entry.get("operation"), entry.get("apiVersion")
        if operation not in {"Apply", "Update"}:
            raise EntriesError("operation must be `Apply` or `Update`")
        if not version:
            raise EntriesError("apiVersion must not be empty")
        if entry.get("fieldsType") != "FieldsV1":
            told = entry.get("fieldsType")
            missing = f"missing fieldsType in managed fields entry {position}"
            raise EntriesError(
                f'invalid fieldsType "{told}" in managed fields entry {position}'
                if told
                else missing
            )
        manager = Who(
            entry.get("manager", ""),
            operation,
            "" if operation == "Apply" else version,
            entry.get("subresource", ""),
        )
        managed[manager] = Entry(
            api_version=version, fields=entry.get("fieldsV1") or {}, time=entry.get("time")
        )
    return managed


def canonical(fields: Any) -> FieldSet:
    """Fields as somebody else wrote them, in the one form that sets are compared in.

    Raises EntriesError.
    """
    if not isinstance(fields, dict):
        raise EntriesError("fieldsV1 must be an object")
    result: FieldSet = {}
    for key, node in fields.items():
        if key == ITSELF:
            result[ITSELF] = {}
            continue
        if key[:2] not in {"f:", "k:", "v:", "i:"}:
            raise EntriesError(f"unknown path element {key}")
        if key[0] in "kv":
            try:
                value = json.loads(key[2:])
            except ValueError as reason:
                raise EntriesError(str(reason)) from reason
            if isinstance(value, dict):
                value = dict(sorted(value.items()))
            key = key[:2] + encoded(value)  # noqa: PLW2901 - the same key, in its one form
        result[key] = canonical(node)
    return {} if result == {ITSELF: {}} else result


def of(obj: Object | None) -> Managed:
    """The managers of a stored object; none where it says nothing sensible."""
    try:
        return read(items(obj, "metadata", "managedFields"))
    except EntriesError:
        return {}


def same_but_times(one: Object, other: Object) -> bool:
    """Whether two objects differ in nothing but when managers wrote: such a write is none.

    Source: k8s.io/apiserver/pkg/endpoints/handlers/fieldmanager/equality.go (1.37).
    """

    def timeless(obj: Object) -> dict[Who, tuple[str, FieldSet]]:
        return {who: (entry.api_version, entry.fields) for who, entry in of(obj).items()}

    if with_managed(one, {}) != with_managed(other, {}):
        return False
    return timeless(one) == timeless(other)


def with_managed(obj: Object, managed: Managed) -> Object:
    """An object with these managers, in the server's order: appliers first, then by time."""
    metadata: dict[str, Any] = dict(at(obj, "metadata") or {})
    if managed:
        metadata["managedFields"] = [
            _written(manager, managed[manager]) for manager in sorted(managed, key=_rank(managed))
        ]
    else:
        metadata.pop("managedFields", None)
    return {**obj, "metadata": metadata}


def _rank(managed: Managed) -> Any:
    def rank(manager: Who) -> tuple[str, ...]:
        entry = managed[manager]
        time = entry.time or ""
        return manager.operation, time, manager.manager, entry.api_version, manager.subresource

    return rank


def _written(manager: Who, entry: Entry) -> Mapping[str, Any]:
    written: dict[str, Any] = {
        "manager": manager.manager,
        "operation": manager.operation,
        "apiVersion": entry.api_version,
    }
    if entry.time:
        written["time"] = entry.time
    written |= {"fieldsType": "FieldsV1", "fieldsV1": entry.fields}
    if manager.subresource:
        written["subresource"] = manager.subresource
    return written
