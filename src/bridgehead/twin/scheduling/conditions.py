"""Conditions of a pod, written as k8s.io/kubernetes/pkg/api/v1/pod/util.go writes them (1.37)."""

from collections.abc import Mapping
from typing import Any

from bridgehead.twin.objects import Object, items, with_field


def condition_of(pod: Mapping[str, Any] | None, name: str) -> Mapping[str, Any]:
    """A condition by its type; an empty one where there is none."""
    for condition in items(pod, "status", "conditions"):
        if condition.get("type") == name:
            found: Mapping[str, Any] = condition
            return found
    return {}


def is_true(pod: Mapping[str, Any] | None, name: str) -> bool:
    """Whether a condition holds."""
    return condition_of(pod, name).get("status") == "True"


def with_condition(pod: Object, condition: Mapping[str, Any], now: str) -> Object:
    """A pod with a condition set; the time of its last change stays where its status does."""
    old = condition_of(pod, condition["type"])
    since = now
    if old and old.get("status") == condition["status"]:
        since = old.get("lastTransitionTime") or now
    new = {"lastProbeTime": None, "lastTransitionTime": since, **condition}
    if old and new == dict(old):
        return pod
    kept = items(pod, "status", "conditions")
    conditions = [new if each is old else each for each in kept] if old else [*kept, new]
    return with_field(pod, ("status", "conditions"), conditions)
