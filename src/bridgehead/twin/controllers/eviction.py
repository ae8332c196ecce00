"""The eviction of a pod: a deletion that PodDisruptionBudgets can refuse.

Source: k8s.io/kubernetes/pkg/registry/core/pod/storage/eviction.go (Kubernetes 1.37).
"""

from bridgehead.twin.conditions import condition, with_pod_condition
from bridgehead.twin.controllers.disruption import BUDGETS
from bridgehead.twin.controllers.pods import is_ready
from bridgehead.twin.errors import ApiError
from bridgehead.twin.objects import (
    Object,
    at,
    fields,
    is_deleting,
    labels_of,
    name_of,
    namespace_of,
    text,
    with_field,
)
from bridgehead.twin.pods import PODS
from bridgehead.twin.registry import DeleteOptions, Registry
from bridgehead.twin.selection import selects

_REFUSED = "Cannot evict pod as it would violate the pod's disruption budget."
_TOO_MANY = (
    "This pod has more than one PodDisruptionBudget, "
    "which the eviction subresource does not support."
)


def evict(
    registry: Registry,
    namespace: str,
    name: str,
    options: DeleteOptions | None = None,
    dry_run: bool = False,
) -> None:
    """Delete a pod where its budget allows it, and spend what the budget allows.

    Raises ApiError: 404, 409 where a precondition does not hold, 429 where a budget allows no
    disruption now, 500 where there are several budgets.
    """
    options = options or DeleteOptions()
    pod = registry.get(registry.kinds.named(*PODS), namespace, name)
    if not _needs_budget(pod):
        _delete(registry, pod, options, dry_run=dry_run)
        return
    budgets = [
        budget
        for budget in registry.store.select(BUDGETS, namespace)
        if selects(budget["spec"].get("selector"), labels_of(pod))
    ]
    if len(budgets) > 1:
        raise ApiError(500, "", _TOO_MANY)
    if budgets and not _is_spared(pod, budgets[0]):
        _spend(registry, budgets[0], pod, dry_run=dry_run)
    _delete(registry, pod, options, dry_run=dry_run)


def _needs_budget(pod: Object) -> bool:
    """Whether its end would disrupt anything: not that of a pod that has ended or never began."""
    ended = text(pod, "status", "phase") in {"Succeeded", "Failed", "Pending"}
    return not ended and not is_deleting(pod)


def _is_spared(pod: Object, budget: Object) -> bool:
    """Whether a pod that is not ready may go at no cost."""
    if is_ready(pod):
        return False
    if at(budget, "spec", "unhealthyPodEvictionPolicy") == "AlwaysAllow":
        return True
    status = budget.get("status", {})
    desired = int(status.get("desiredHealthy", 0))
    return desired > 0 and int(status.get("currentHealthy", 0)) >= desired


def _spend(registry: Registry, budget: Object, pod: Object, *, dry_run: bool) -> None:
    """Take one disruption off a budget. Raises ApiError 429 where it has none."""
    status, name = budget.get("status", {}), name_of(budget)
    generation = int(at(budget, "metadata", "generation") or 0)
    if int(status.get("observedGeneration", 0)) < generation:
        message = f"The disruption budget {name} is still being processed by the server."
        raise _too_many_requests(message, retry_after=10)
    allowed = int(status.get("disruptionsAllowed", 0))
    if allowed <= 0:
        raise _too_many_requests(_why(budget))
    if dry_run:
        return
    stamp = registry.clock.timestamp()
    disrupted = {**fields(status, "disruptedPods"), name_of(pod): stamp}
    spent: Object = {**status, "disruptionsAllowed": allowed - 1, "disruptedPods": disrupted}
    if allowed == 1:
        known = condition(budget, "DisruptionAllowed") or {"type": "DisruptionAllowed"}
        now = {"status": "False", "reason": "InsufficientPods", "message": ""}
        spent["conditions"] = [{**known, **now, "lastTransitionTime": stamp}]
    kind = registry.kinds.named(*BUDGETS)
    registry.update(kind, with_field(budget, ("status",), spent), subresource="status")


def _why(budget: Object) -> str:
    status, name = budget.get("status", {}), name_of(budget)
    found = condition(budget, "DisruptionAllowed")
    healthy, desired = (int(status.get(key, 0)) for key in ("currentHealthy", "desiredHealthy"))
    refuses = f"The disruption budget {name} does not allow evicting pods currently"
    told = found.get("message", "") if found is not None and found["status"] == "False" else ""
    if found is not None and told and found["reason"] == "SyncFailed":
        return f"{refuses} because it failed sync: {told}"
    if healthy <= desired:
        return (
            f"The disruption budget {name} needs {desired} healthy pods and has {healthy} currently"
        )
    return f"{refuses} ({found['reason']}): {told}" if found is not None and told else refuses


def _too_many_requests(cause: str, *, retry_after: int = 0) -> ApiError:
    details: Object = {"causes": [{"reason": "DisruptionBudget", "message": cause}]}
    headers = {}
    if retry_after:
        details["retryAfterSeconds"] = retry_after
        headers["Retry-After"] = str(retry_after)
    return ApiError(429, "TooManyRequests", _REFUSED, details, headers=headers)


def _delete(registry: Registry, pod: Object, options: DeleteOptions, *, dry_run: bool) -> None:
    kind = registry.kinds.named(*PODS)
    if not dry_run:
        version = text(pod, "metadata", "resourceVersion")
        marked = registry.update(kind, _marked(registry, pod), subresource="status")
        if options.resource_version == version:
            options = DeleteOptions(
                grace=options.grace,
                propagation=options.propagation,
                uid=options.uid,
                resource_version=text(marked, "metadata", "resourceVersion"),
            )
    registry.delete(kind, namespace_of(pod), name_of(pod), options, dry_run=dry_run)


def _marked(registry: Registry, pod: Object) -> Object:
    """A pod that says why it goes."""
    reason = {"reason": "EvictionByEvictionAPI", "message": "Eviction API: evicting"}
    return disruption_target(registry, pod, **reason)


def disruption_target(registry: Registry, pod: Object, *, reason: str, message: str) -> Object:
    """A pod with the condition that tells of its disruption."""
    target = {
        "type": "DisruptionTarget",
        "status": "True",
        "reason": reason,
        "message": message,
    }
    return with_pod_condition(pod, target, registry.clock.timestamp())
