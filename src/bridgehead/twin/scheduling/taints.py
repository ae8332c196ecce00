"""Taints and tolerations.

Source: k8s.io/api/core/v1/toleration.go, k8s.io/component-helpers/scheduling/corev1 (1.37; the
operators Lt and Gt are behind a gate that is off).
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from bridgehead.twin.objects import items

Taint = Mapping[str, Any]
Toleration = Mapping[str, Any]

KEEPS_OUT: frozenset[str] = frozenset({"NoSchedule", "NoExecute"})
"""Effects that keep a new pod off a node."""
DRIVES_OUT: frozenset[str] = frozenset({"NoExecute"})
"""The effect that ends pods which run already."""
DISCOURAGES: frozenset[str] = frozenset({"PreferNoSchedule"})
"""The effect that makes a node the second choice."""

UNSCHEDULABLE: Taint = {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}
"""What a cordoned node has, or is treated as having."""


def tolerates(toleration: Toleration, taint: Taint) -> bool:
    """Whether one toleration accepts one taint."""
    effect, key = toleration.get("effect"), toleration.get("key")
    if effect and effect != taint.get("effect"):
        return False
    if key and key != taint.get("key"):
        return False
    operator = toleration.get("operator") or "Equal"
    if operator == "Exists":
        return True
    return operator == "Equal" and (toleration.get("value") or "") == (taint.get("value") or "")


def tolerated(taint: Taint, tolerations: Iterable[Toleration]) -> bool:
    """Whether any toleration accepts a taint."""
    return any(tolerates(toleration, taint) for toleration in tolerations)


def untolerated(
    node: Mapping[str, Any], tolerations: Sequence[Toleration], effects: Collection[str]
) -> int:
    """How many taints of a node with one of these effects no toleration accepts."""
    return sum(
        taint.get("effect") in effects and not tolerated(taint, tolerations)
        for taint in items(node, "spec", "taints")
    )
