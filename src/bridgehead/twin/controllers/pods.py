"""Pods as controllers see them: made of a template, active, ready, available; which one goes first.

Source: k8s.io/kubernetes/pkg/controller/controller_utils.go and pkg/api/v1/pod/util.go (1.37).
"""

import math
from collections.abc import Sequence

from bridgehead.twin.conditions import condition
from bridgehead.twin.controllers.events import record
from bridgehead.twin.controllers.owners import controller_reference
from bridgehead.twin.errors import ApiError
from bridgehead.twin.integers import int64
from bridgehead.twin.kinds import Kind
from bridgehead.twin.objects import (
    Object,
    at,
    fields,
    is_deleting,
    items,
    name_of,
    namespace_of,
    text,
    uid_of,
)
from bridgehead.twin.pods import is_finished
from bridgehead.twin.registry import Registry
from bridgehead.twin.timestamps import seconds_of

_PHASES = {"Pending": 0, "": 1, "Unknown": 1, "Running": 2}
_DELETION_COST = "controller.kubernetes.io/pod-deletion-cost"


def is_active(pod: Object) -> bool:
    """Whether it runs or will run, and nobody has asked for its deletion."""
    return not is_finished(pod) and not is_deleting(pod)


def is_terminating(pod: Object) -> bool:
    """Whether it is being deleted and has not ended yet."""
    return not is_finished(pod) and is_deleting(pod)


def ready_since(pod: Object) -> float | None:
    """Since when it is ready; None where it is not."""
    found = condition(pod, "Ready")
    if found is None or found.get("status") != "True":
        return None
    stamp = found.get("lastTransitionTime")
    return seconds_of(stamp) if stamp else 0.0


def is_ready(pod: Object) -> bool:
    """Whether its condition ``Ready`` is ``True``."""
    return ready_since(pod) is not None


def available_in(pod: Object, min_ready: int, now: float) -> float | None:
    """Seconds until a ready pod counts as available, 0 where it does; None for others."""
    since = ready_since(pod)
    if since is None:
        return None
    return max(0.0, since + min_ready - now) if min_ready else 0.0


def is_available(pod: Object, min_ready: int, now: float) -> bool:
    """Whether it has been ready for so many seconds."""
    return available_in(pod, min_ready, now) == 0.0


def pod_of(template: Object, owner_kind: Kind, owner: Object) -> Object:
    """The pod that a controller makes of its template; it still needs a name."""
    metadata: Object = {"generateName": f"{name_of(owner)}-"}
    for key in ("labels", "annotations"):
        if values := fields(template, "metadata", key):
            metadata[key] = dict(values)
    if finalizers := items(template, "metadata", "finalizers"):
        metadata["finalizers"] = list(finalizers)
    metadata["ownerReferences"] = [controller_reference(owner_kind, owner)]
    return {"metadata": metadata, "spec": template.get("spec", {})}


def create_pod(registry: Registry, pod: Object, owner: Object, *, component: str) -> Object:
    """Create a controller's pod and tell the owner's event. Raises ApiError."""
    kind = registry.kinds.named("", "pods")
    try:
        made = registry.create(kind, pod, namespace=namespace_of(owner))
    except ApiError as error:
        if not is_terminating_namespace(error):
            message = f"Error creating: {error}"
            record(registry, owner, "Warning", "FailedCreate", message, component=component)
        raise
    message = f"Created pod: {name_of(made)}"
    record(registry, owner, "Normal", "SuccessfulCreate", message, component=component)
    return made


def delete_pod(registry: Registry, pod: Object, owner: Object, *, component: str) -> None:
    """Delete a controller's pod and tell the owner's event; a pod that is gone is no error."""
    kind = registry.kinds.named("", "pods")
    try:
        registry.delete(kind, namespace_of(pod), name_of(pod))
    except ApiError as error:
        if error.code == 404:
            return
        message = f"Error deleting: {error}"
        record(registry, owner, "Warning", "FailedDelete", message, component=component)
        raise
    message = f"Deleted pod: {name_of(pod)}"
    record(registry, owner, "Normal", "SuccessfulDelete", message, component=component)


def is_terminating_namespace(error: ApiError) -> bool:
    """Whether a creation was refused because its namespace is about to go."""
    causes = items(error.status, "details", "causes")
    return any(cause.get("reason") == "NamespaceTerminating" for cause in causes)


def deletion_order(pods: Sequence[Object], crowd: dict[str, int], now: float) -> list[Object]:
    """Pods in the order in which a scale-down takes them.

    ``crowd``: pods of the same kin by node; of fuller nodes first.
    """

    def rank(pod: Object) -> tuple[object, ...]:
        since = ready_since(pod)
        ready = since is not None
        restarts, sidecars = _restarts(pod)
        return (
            bool(text(pod, "spec", "nodeName")),
            _PHASES.get(text(pod, "status", "phase"), 0),
            ready,
            _cost(pod),
            -crowd.get(text(pod, "spec", "nodeName"), 0),
            _age(since, now) if since is not None else 0,
            -restarts,
            -sidecars,
            _age(seconds_of(text(pod, "metadata", "creationTimestamp")), now),
            uid_of(pod),
        )

    return sorted(pods, key=rank)


def _age(since: float, now: float) -> int:
    """The order of magnitude of an age: pods of about the same age are taken by chance."""
    return int(math.log2((now - since) * 1e9)) if now > since else -1


def _cost(pod: Object) -> int:
    return int64(text(pod, "metadata", "annotations", _DELETION_COST)) or 0


def _restarts(pod: Object) -> tuple[int, int]:
    def most(key: str, names: frozenset[str] | None = None) -> int:
        counts = [
            int(status.get("restartCount") or 0)
            for status in items(pod, "status", key)
            if names is None or status.get("name") in names
        ]
        return max(counts, default=0)

    sidecars = frozenset(
        str(container.get("name"))
        for container in items(pod, "spec", "initContainers")
        if at(container, "restartPolicy") == "Always"
    )
    return most("containerStatuses"), most("initContainerStatuses", sidecars)
