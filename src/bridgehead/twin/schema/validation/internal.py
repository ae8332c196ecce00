"""Structures as the server's own, unversioned types have them: refusals show those.

They have no names for JSON, so that every field is there under its name in Go.

Source: k8s.io/kubernetes/pkg/apis/{core,apps,policy}/types.go.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from bridgehead.twin.objects import Object

_FIELDS: Mapping[str, Sequence[tuple[str, str, Any]]] = {
    "Taint": (
        ("Key", "key", ""),
        ("Value", "value", ""),
        ("Effect", "effect", ""),
        ("TimeAdded", "timeAdded", None),
    ),
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
