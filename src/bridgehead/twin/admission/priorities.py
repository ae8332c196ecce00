"""A pod's priority comes from its PriorityClass, or from the one that is the default.

Source: k8s.io/kubernetes/plugin/pkg/admission/priority/admission.go.
"""

from typing import Any

from bridgehead.twin.errors import forbidden
from bridgehead.twin.kinds import Kind, Stored
from bridgehead.twin.objects import Object, name_of
from bridgehead.twin.store import Store

_CLASSES = Stored("scheduling.k8s.io", "priorityclasses")


def admit_priority(kind: Kind, pod: Object, store: Store) -> None:
    """Fill in number and preemption of a new pod. Raises ApiError 403."""
    spec = pod["spec"]
    found = _class(kind, pod, store)
    value, policy = found.get("value") or 0, found.get("preemptionPolicy")
    if found.get("metadata"):
        spec["priorityClassName"] = name_of(found)
    _agree(kind, pod, "integer", "priority", value)
    spec["priority"] = value
    if policy is not None:
        _agree(kind, pod, "string", "preemptionPolicy", policy)
        spec["preemptionPolicy"] = policy


def keep_priority(pod: Object, old: Object) -> None:
    """An update that leaves the numbers out means those of before."""
    for key in ("priority", "preemptionPolicy"):
        if key not in pod["spec"] and key in old["spec"]:
            pod["spec"][key] = old["spec"][key]


def check_default_class(kind: Kind, obj: Object, store: Store) -> None:
    """Refuse a second default. Raises ApiError 403."""
    if not obj.get("globalDefault"):
        return
    for other in store.select(_CLASSES):
        if other.get("globalDefault") and name_of(other) != name_of(obj):
            raise forbidden(
                kind,
                name_of(obj),
                f"PriorityClass {name_of(other)} is already marked as default. "
                "Only one default can exist",
            )


def _class(kind: Kind, pod: Object, store: Store) -> Object:
    if name := pod["spec"].get("priorityClassName"):
        found = store.get(_CLASSES, "", name)
        if found is None:
            raise forbidden(kind, name_of(pod), f"no PriorityClass with name {name} was found")
        return found
    defaults = [item for item in store.select(_CLASSES) if item.get("globalDefault")]
    if defaults:
        return min(defaults, key=lambda item: int(item.get("value") or 0))
    return {"value": 0, "preemptionPolicy": "PreemptLowerPriority"}


def _agree(kind: Kind, pod: Object, what: str, field: str, computed: Any) -> None:
    given = pod["spec"].get(field)
    if given is None or given == computed:
        return
    shown = "PreemptionPolicy" if field == "preemptionPolicy" else field
    raise forbidden(
        kind,
        name_of(pod),
        f"the {what} value of {shown} ({given}) must not be provided in pod spec; priority "
        f"admission controller computed {computed} from the given PriorityClass name",
    )
