"""ReplicaSets: as many pods of a template as were asked for.

Source: k8s.io/kubernetes/pkg/controller/replicaset (Kubernetes 1.37).
"""

from collections import Counter

from bridgehead.twin.conditions import condition, without
from bridgehead.twin.controllers.owners import claim, controlled_by, index_by_controller
from bridgehead.twin.controllers.pods import (
    available_in,
    create_pod,
    delete_pod,
    deletion_order,
    is_active,
    is_available,
    is_ready,
    is_terminating,
    is_terminating_namespace,
    pod_of,
)
from bridgehead.twin.errors import ApiError
from bridgehead.twin.kinds import Stored
from bridgehead.twin.objects import (
    Object,
    at,
    controller_of,
    is_deleting,
    items,
    labels_of,
    name_of,
    namespace_of,
    text,
    with_field,
)
from bridgehead.twin.pods import PODS
from bridgehead.twin.queue import WorkQueue
from bridgehead.twin.registry import Registry
from bridgehead.twin.selection import selects
from bridgehead.twin.store import Change, Key

REPLICA_SETS = Stored("apps", "replicasets")
COMPONENT = "replicaset-controller"
BURST = 500
"""Pods that one look creates or deletes at most."""


class ReplicaSetController:
    """Creates and deletes pods, adopts and releases them, and writes the status."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._store = registry.store
        self._kind = registry.kinds.named(*REPLICA_SETS)
        self._pod = registry.kinds.named(*PODS)
        self._queue: WorkQueue[Key] = WorkQueue(registry.clock, self._sync)

    def start(self) -> None:
        """Follow the store from now on."""
        index_by_controller(self._store, PODS)
        index_by_controller(self._store, REPLICA_SETS)
        self._store.subscribe(self._changed, REPLICA_SETS, PODS)
        for replica_set in self._store.select(REPLICA_SETS):
            self._queue.add((namespace_of(replica_set), name_of(replica_set)))

    def _changed(self, change: Change) -> None:
        if change.kind.plural == "replicasets":
            self._queue.add((namespace_of(change.object), name_of(change.object)))
        elif change.kind.plural == "pods":
            self._pod_changed(change)

    def _pod_changed(self, change: Change) -> None:
        namespace = namespace_of(change.object)
        seen = [change.object, *([change.previous] if change.previous else [])]
        owners = {
            owner["name"]: None
            for pod in seen
            if (owner := controller_of(pod)) and owner.get("kind") == "ReplicaSet"
        }
        for name in owners:
            self._queue.add((namespace, name))
        if controller_of(change.object) is None and change.type != "DELETED":
            for replica_set in self._store.select(REPLICA_SETS, namespace):
                if selects(replica_set["spec"].get("selector"), labels_of(change.object)):
                    self._queue.add((namespace, name_of(replica_set)))

    def _sync(self, key: Key) -> None:
        replica_set = self._store.get(REPLICA_SETS, *key)
        if replica_set is None:
            return
        claimed = claim(self._registry, self._kind, replica_set, self._pod)
        active = [pod for pod in claimed if is_active(pod)]
        terminating = sum(is_terminating(pod) for pod in claimed)
        failure: ApiError | None = None
        if not is_deleting(replica_set):
            try:
                self._scale(replica_set, active)
            except ApiError as error:
                failure = error
        self._write_status(replica_set, active, terminating, failure)
        if failure is not None:
            raise failure
        self._look_again(key, replica_set, active)

    def _scale(self, replica_set: Object, active: list[Object]) -> None:
        """Create or delete what is missing or too much. Raises ApiError of the first refusal."""
        surplus = len(active) - int(replica_set["spec"].get("replicas", 1))
        if surplus < 0:
            pod = pod_of(replica_set["spec"]["template"], self._kind, replica_set)
            for _ in range(min(-surplus, BURST)):
                try:
                    create_pod(self._registry, pod, replica_set, component=COMPONENT)
                except ApiError as error:
                    if is_terminating_namespace(error):
                        return
                    raise
        elif surplus > 0:
            now = self._registry.clock.now()
            ordered = deletion_order(active, self._crowd(replica_set), now)
            for pod in ordered[: min(surplus, BURST)]:
                delete_pod(self._registry, pod, replica_set, component=COMPONENT)

    def _crowd(self, replica_set: Object) -> dict[str, int]:
        """Active pods by node of all ReplicaSets with the same owner."""
        owner = controller_of(replica_set)
        kin = [replica_set]
        if owner is not None:
            reference = {"metadata": {"uid": owner.get("uid")}}
            kin = controlled_by(self._store, REPLICA_SETS, reference)
        return Counter(
            text(pod, "spec", "nodeName")
            for member in kin
            for pod in controlled_by(self._store, PODS, member)
            if is_active(pod)
        )

    def _write_status(
        self, replica_set: Object, active: list[Object], terminating: int, failure: ApiError | None
    ) -> None:
        spec, now = replica_set["spec"], self._registry.clock.now()
        labels = {"matchLabels": at(spec, "template", "metadata", "labels") or {}}
        min_ready = int(spec.get("minReadySeconds", 0))
        counts = {
            "fullyLabeledReplicas": sum(selects(labels, labels_of(pod)) for pod in active),
            "readyReplicas": sum(is_ready(pod) for pod in active),
            "availableReplicas": sum(is_available(pod, min_ready, now) for pod in active),
        }
        conditions = self._conditions(replica_set, len(active), failure)
        status: Object = {
            "replicas": len(active),
            **{key: count for key, count in counts.items() if count},
            "terminatingReplicas": terminating,
            **({"conditions": conditions} if conditions else {}),
            "observedGeneration": at(replica_set, "metadata", "generation"),
        }
        if status != replica_set.get("status"):
            fresh = self._store.get(REPLICA_SETS, namespace_of(replica_set), name_of(replica_set))
            if fresh is not None:
                self._registry.update(
                    self._kind, with_field(fresh, ("status",), status), subresource="status"
                )

    def _conditions(
        self, replica_set: Object, active: int, failure: ApiError | None
    ) -> list[Object]:
        conditions = list(items(replica_set, "status", "conditions"))
        known = condition(replica_set, "ReplicaFailure")
        if failure is None:
            return without(conditions, "ReplicaFailure")
        if known is not None:
            return conditions
        few = active < int(replica_set["spec"].get("replicas", 1))
        made = {
            "type": "ReplicaFailure",
            "status": "True",
            "lastTransitionTime": self._registry.clock.timestamp(),
            "reason": "FailedCreate" if few else "FailedDelete",
            "message": str(failure),
        }
        return [*conditions, made]

    def _look_again(self, key: Key, replica_set: Object, active: list[Object]) -> None:
        """Come back when the next ready pod counts as available."""
        min_ready = int(replica_set["spec"].get("minReadySeconds", 0))
        if not min_ready:
            return
        now = self._registry.clock.now()
        left = [wait for pod in active if (wait := available_in(pod, min_ready, now))]
        if left:
            self._queue.add_after(key, min(left))
