"""A pod's RuntimeClass must be there, and says what it costs and where it runs.

Source: k8s.io/kubernetes/plugin/pkg/admission/runtimeclass/admission.go.
"""

from bridgehead.twin.errors import ApiError, forbidden
from bridgehead.twin.kinds import Kind, Stored
from bridgehead.twin.objects import Object, fields, items, name_of
from bridgehead.twin.store import Store

_CLASSES = Stored("node.k8s.io", "runtimeclasses")


def admit_runtime_class(kind: Kind, pod: Object, store: Store) -> None:
    """Fill in overhead, node selector and tolerations of a new pod. Raises ApiError 403."""
    spec = pod["spec"]
    overhead = spec.get("overhead")
    if (name := spec.get("runtimeClassName")) is None:
        if overhead:
            why = "Pod Overhead set without corresponding RuntimeClass defined Overhead"
            raise _refused(kind, pod, why)
        return
    found = store.get(_CLASSES, "", name)
    if found is None:
        raise _refused(kind, pod, f'RuntimeClass "{name}" not found')
    fixed = dict(fields(found, "overhead", "podFixed"))
    if overhead and overhead != fixed:
        why = "Pod's Overhead doesn't match RuntimeClass's defined Overhead"
        raise _refused(kind, pod, why)
    if fixed:
        spec["overhead"] = fixed
    _admit_scheduling(kind, pod, found)


def _admit_scheduling(kind: Kind, pod: Object, runtime_class: Object) -> None:
    spec = pod["spec"]
    selector = dict(spec.get("nodeSelector") or {})
    for key, value in fields(runtime_class, "scheduling", "nodeSelector").items():
        if selector.setdefault(key, value) != value:
            raise forbidden(
                kind,
                name_of(pod),
                f"conflict: runtimeClass.scheduling.nodeSelector[{key}] = {value}; "
                f"pod.spec.nodeSelector[{key}] = {selector[key]}",
            )
    if selector:
        spec["nodeSelector"] = selector
    tolerations = list(spec.get("tolerations") or ())
    added = [
        item
        for item in items(runtime_class, "scheduling", "tolerations")
        if item not in tolerations
    ]
    if added:
        spec["tolerations"] = [*tolerations, *added]


def _refused(kind: Kind, pod: Object, why: str) -> ApiError:
    return forbidden(kind, name_of(pod), f"pod rejected: {why}")
