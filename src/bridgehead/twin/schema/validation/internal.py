"""Structures as the server's own, unversioned types have them: refusals show those.

They have no names for JSON, so that every field is there under its name in Go, and none is left
out.

Source: k8s.io/kubernetes/pkg/apis/{core,apps,policy,rbac}/types.go.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from bridgehead.twin.objects import Object
from bridgehead.twin.schema.gotypes import fields_in_json, go_type
from bridgehead.twin.schema.recorded import recorded

_FIELDS: Mapping[str, Sequence[tuple[str, str, Any]]] = {
    "Taint": (
        ("Key", "key", ""),
        ("Value", "value", ""),
        ("Effect", "effect", ""),
        ("TimeAdded", "timeAdded", None),
    ),
    "RoleRef": (("APIGroup", "apiGroup", ""), ("Kind", "kind", ""), ("Name", "name", "")),
    "Strategy": (("Type", "type", ""), ("RollingUpdate", "rollingUpdate", None)),
    "Budget": (
        ("MinAvailable", "minAvailable", None),
        ("Selector", "selector", None),
        ("MaxUnavailable", "maxUnavailable", None),
        ("UnhealthyPodEvictionPolicy", "unhealthyPodEvictionPolicy", None),
    ),
}
"""Of each type its fields: name in Go, name in JSON, and what it is when nothing was said."""


def internal_form(name: str, value: Object) -> Object:
    """A value as the server shows it."""
    return {shown: value.get(key, empty) for shown, key, empty in _FIELDS[name]}


_ZEROS: Mapping[str, Any] = {
    "string": "",
    "bool": False,
    "int32": 0,
    "int64": 0,
    "Quantity": "0",
    "IntOrString": 0,
}

_OTHER_NAMES = {"DeprecatedServiceAccount": "serviceaccount"}
"""Fields whose names differ by more than their case."""


def internal_pod_spec(spec: Object) -> Object:
    """The spec of a pod as the server shows it."""
    return _struct(recorded("types")["podSpec"], spec)


def _struct(name: str, value: Object) -> Object:
    given = {key.lower(): inner for key, inner in value.items()}
    return {
        field.key: _value(field.type, given.get(_OTHER_NAMES.get(field.key, field.key.lower())))
        for field in fields_in_json(name)
    }


def _value(written: str, value: Any) -> Any:
    if written.startswith("*"):
        return None if value is None else _value(written[1:], value)
    if written.startswith("[]"):
        return [_value(written[2:], item) for item in value] if value else None
    if written.startswith("{}"):
        return {key: _value(written[2:], value[key]) for key in sorted(value)} if value else None
    if go_type(written) is not None:
        return _struct(written, value or {})
    return _ZEROS[written] if value is None else value
