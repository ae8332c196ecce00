"""Conditions of a status: one of each type, in the order in which they were set."""

from collections.abc import Mapping
from typing import Any

from bridgehead.twin.objects import Object, items, with_field


def condition(value: Mapping[str, Any], type: str) -> Object | None:  # noqa: A002 - the field's name
    """The condition of that type in an object's status."""
    for found in items(value, "status", "conditions"):
        if found.get("type") == type:
            return dict(found)
    return None


def without(conditions: list[Any], type: str) -> list[Any]:  # noqa: A002 - the field's name
    """The others."""
    return [found for found in conditions if found["type"] != type]


def with_pod_condition(pod: Object, new: Mapping[str, Any], now: str) -> Object:
    """A pod with a condition set; the time of its last change stays where its status does.

    Source: UpdatePodCondition of k8s.io/kubernetes/pkg/api/v1/pod/util.go (1.37).
    """
    old = condition(pod, new["type"])
    since = now
    if old is not None and old.get("status") == new["status"]:
        since = old.get("lastTransitionTime") or now
    whole = {"lastProbeTime": None, "lastTransitionTime": since, **new}
    if whole == old:
        return pod
    kept = items(pod, "status", "conditions")
    if old is None:
        conditions = [*kept, whole]
    else:
        conditions = [whole if each.get("type") == new["type"] else each for each in kept]
    return with_field(pod, ("status", "conditions"), conditions)
