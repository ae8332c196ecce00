"""PodDisruptionBudgets: how many pods may be disrupted now.

Source: k8s.io/kubernetes/pkg/controller/disruption/disruption.go (Kubernetes 1.37).
"""

from typing import Any

from bridgehead.twin.conditions import condition
from bridgehead.twin.controllers.deployment_revisions import scaled
from bridgehead.twin.controllers.events import record
from bridgehead.twin.controllers.pods import is_ready
from bridgehead.twin.kinds import Stored
from bridgehead.twin.objects import (
    Object,
    at,
    controller_of,
    fields,
    is_deleting,
    items,
    labels_of,
    name_of,
    namespace_of,
    uid_of,
    with_field,
)
from bridgehead.twin.pods import PODS
from bridgehead.twin.queue import WorkQueue
from bridgehead.twin.registry import Registry
from bridgehead.twin.selection import selects
from bridgehead.twin.store import Change, Key
from bridgehead.twin.timestamps import seconds_of

BUDGETS = Stored("policy", "poddisruptionbudgets")
COMPONENT = "controllermanager"
PATIENCE = 120.0
"""Seconds after an eviction until a pod that is still there counts again."""

_SCALED = frozenset({"Deployment", "ReplicaSet", "StatefulSet", "ReplicationController"})


class DisruptionController:
    """Counts the healthy pods of budgets and writes their status."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._store = registry.store
        self._kind = registry.kinds.named(*BUDGETS)
        self._queue: WorkQueue[Key] = WorkQueue(registry.clock, self._sync)

    def start(self) -> None:
        """Follow the store from now on."""
        self._store.subscribe(self._changed, BUDGETS, PODS)
        for budget in self._store.select(BUDGETS):
            self._queue.add((namespace_of(budget), name_of(budget)))

    def _changed(self, change: Change) -> None:
        if change.kind.plural == "poddisruptionbudgets":
            self._queue.add((namespace_of(change.object), name_of(change.object)))
        elif change.kind.plural == "pods" and _counts_anew(change):
            namespace = namespace_of(change.object)
            for budget in self._store.select(BUDGETS, namespace):
                selector = budget["spec"].get("selector")
                seen = [change.object, *([change.previous] if change.previous else [])]
                if any(selects(selector, labels_of(pod)) for pod in seen):
                    self._queue.add((namespace, name_of(budget)))

    def _sync(self, key: Key) -> None:
        budget = self._store.get(BUDGETS, *key)
        if budget is None:
            return
        selector = budget["spec"].get("selector")
        pods = [
            pod for pod in self._store.select(PODS, key[0]) if selects(selector, labels_of(pod))
        ]
        if not pods:
            self._tell(budget, "Normal", "NoPods", "No matching pods found")
        try:
            expected, desired = self._expected(budget, pods)
        except LookupError as error:
            message = f"Failed to calculate the number of expected pods: {error.args[0]}"
            self._tell(budget, "Warning", "CalculateExpectedPodCountFailed", message)
            self._fail(budget, error.args[0])
            return
        now = self._registry.clock.now()
        disrupted = {
            name: stamp
            for pod in pods
            if (name := name_of(pod)) in fields(budget, "status", "disruptedPods")
            and not is_deleting(pod)
            and seconds_of(stamp := budget["status"]["disruptedPods"][name]) + PATIENCE > now
        }
        healthy = sum(
            is_ready(pod) for pod in pods if not is_deleting(pod) and name_of(pod) not in disrupted
        )
        allowed = max(0, healthy - desired) if expected > 0 else 0
        status: Object = {
            **({"disruptedPods": disrupted} if disrupted else {}),
            "disruptionsAllowed": allowed,
            "currentHealthy": healthy,
            "desiredHealthy": desired,
            "expectedPods": expected,
            "observedGeneration": at(budget, "metadata", "generation"),
        }
        status["conditions"] = [self._allowed(budget, allowed)]
        self._write(budget, status)
        if disrupted:
            first = min(seconds_of(stamp) for stamp in disrupted.values())
            self._queue.add_after(key, first + PATIENCE - now)

    def _expected(self, budget: Object, pods: list[Object]) -> tuple[int, int]:
        """How many pods there should be, and how many of them healthy. Raises LookupError."""
        spec = budget["spec"]
        most, least = spec.get("maxUnavailable"), spec.get("minAvailable")
        if most is not None:
            expected = self._scale(budget, pods)
            return expected, max(0, expected - scaled(most, expected, up=True))
        if isinstance(least, str):
            expected = self._scale(budget, pods)
            return expected, scaled(least, expected, up=True)
        return (len(pods), int(least)) if least is not None else (0, 0)

    def _scale(self, budget: Object, pods: list[Object]) -> int:
        """What the controllers of pods are asked for, in sum. Raises LookupError."""
        scales: dict[str, int] = {}
        unmanaged = False
        for pod in pods:
            owner = controller_of(pod)
            if owner is None:
                unmanaged = True
            elif owner["uid"] not in scales:
                uid, scale = self._scale_of(owner, pod)
                scales[uid] = scale
        if unmanaged:
            self._tell(budget, "Warning", "UnmanagedPods", _unmanaged(budget))
        return sum(scales.values())

    def _scale_of(self, owner: Object, pod: Object) -> tuple[str, int]:
        found = self._find(owner, namespace_of(pod))
        if found is not None and found.get("kind") == "ReplicaSet":
            above = controller_of(found)
            if above is not None:
                found = self._find(above, namespace_of(pod)) or found
        if found is None or not self._has_scale(found):
            raise LookupError(f'found no controllers for pod "{name_of(pod)}"')
        return uid_of(found), int(at(found, "spec", "replicas") or 0)

    def _has_scale(self, owner: Object) -> bool:
        if owner.get("kind") in _SCALED:
            return True
        kind = self._registry.kinds.of(owner.get("apiVersion", ""), owner.get("kind", ""))
        return kind is not None and kind.subresource("scale") is not None

    def _find(self, owner: Object, namespace: str) -> Object | None:
        kind = self._registry.kinds.of(owner.get("apiVersion", ""), owner.get("kind", ""))
        if kind is None:
            return None
        found = self._store.get(kind.stored, namespace, owner.get("name", ""))
        return found if found is not None and uid_of(found) == owner.get("uid") else None

    def _fail(self, budget: Object, message: str) -> None:
        status = {**budget.get("status", {}), "disruptionsAllowed": 0}
        for count in ("currentHealthy", "desiredHealthy", "expectedPods"):
            status.setdefault(count, 0)
        failed = self._condition(budget, "False", "SyncFailed", message)
        failed["observedGeneration"] = status.get("observedGeneration", 0)
        if not failed["observedGeneration"]:
            del failed["observedGeneration"]
        status["conditions"] = [failed]
        self._write(budget, status)

    def _allowed(self, budget: Object, allowed: int) -> Object:
        if allowed:
            return self._condition(budget, "True", "SufficientPods", "")
        return self._condition(budget, "False", "InsufficientPods", "")

    def _condition(self, budget: Object, status: str, reason: str, message: str) -> Object:
        known = condition(budget, "DisruptionAllowed")
        since = self._registry.clock.timestamp()
        if known is not None and known["status"] == status:
            since = known["lastTransitionTime"]
        return {
            "type": "DisruptionAllowed",
            "status": status,
            "observedGeneration": at(budget, "metadata", "generation"),
            "lastTransitionTime": since,
            "reason": reason,
            "message": message,
        }

    def _write(self, budget: Object, status: Object) -> None:
        if status != budget.get("status"):
            changed = with_field(budget, ("status",), status)
            self._registry.update(self._kind, changed, subresource="status")

    def _tell(self, budget: Object, type: Any, reason: str, message: str) -> None:  # noqa: A002
        record(self._registry, budget, type, reason, message, component=COMPONENT)


def _counts_anew(change: Change) -> bool:
    """Whether a change of a pod can change a count."""
    before, now = change.previous, change.object
    if change.type != "MODIFIED" or before is None:
        return True
    return (
        is_ready(before) != is_ready(now)
        or is_deleting(before) != is_deleting(now)
        or labels_of(before) != labels_of(now)
        or items(before, "metadata", "ownerReferences") != items(now, "metadata", "ownerReferences")
    )


def _unmanaged(budget: Object) -> str:
    return (
        f"Pods selected by this PodDisruptionBudget (selector: {_printed(budget)}) were found to "
        "be unmanaged. As a result, the status of the PDB cannot be calculated correctly, which "
        'may result in undefined behavior. To account for these pods please set ".spec.'
        'minAvailable" field of the PDB to an integer value.'
    )


def _printed(budget: Object) -> str:
    """A label selector as the generated String() of the Go type prints it."""
    selector = budget["spec"].get("selector")
    labels = "".join(f"{k}: {v}," for k, v in sorted(fields(selector, "matchLabels").items()))
    expressions = "".join(
        f"LabelSelectorRequirement{{Key:{one.get('key', '')},Operator:{one.get('operator', '')},"
        f"Values:[{' '.join(one.get('values') or ())}],}},"
        for one in items(selector, "matchExpressions")
    )
    return (
        f"&LabelSelector{{MatchLabels:map[string]string{{{labels}}},"
        f"MatchExpressions:[]LabelSelectorRequirement{{{expressions}}},}}"
    )
