"""Deployments: a ReplicaSet for each template, and the way from one to the next.

Source: k8s.io/kubernetes/pkg/controller/deployment (Kubernetes 1.37).
"""

from bridgehead.twin.conditions import condition
from bridgehead.twin.controllers.deployment_new import sync_revision
from bridgehead.twin.controllers.deployment_revisions import (
    DESIRED,
    by_age,
    is_rolling,
    max_unavailable,
    replicas_of,
)
from bridgehead.twin.controllers.deployment_status import (
    TIMED_OUT,
    deadline_left,
    deadline_of,
    is_complete,
    made,
    rollout_status_of,
    status_of,
    total,
    wanted,
    with_condition,
)
from bridgehead.twin.controllers.owners import claim, controlled_by, index_by_controller
from bridgehead.twin.controllers.proportions import proportional
from bridgehead.twin.controllers.replicasets import REPLICA_SETS
from bridgehead.twin.controllers.rollouts import DEPLOYMENTS, Rollout
from bridgehead.twin.objects import (
    Object,
    at,
    controller_of,
    is_deleting,
    labels_of,
    name_of,
    namespace_of,
    text,
)
from bridgehead.twin.pods import PODS, is_finished
from bridgehead.twin.queue import WorkQueue
from bridgehead.twin.registry import Registry
from bridgehead.twin.selection import selects
from bridgehead.twin.store import Change, Key


class DeploymentController:
    """Makes and scales ReplicaSets, keeps revisions, and writes the status."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._store = registry.store
        self._clock = registry.clock
        self._kind = registry.kinds.named(*DEPLOYMENTS)
        self._replica_set = registry.kinds.named(*REPLICA_SETS)
        self._queue: WorkQueue[Key] = WorkQueue(registry.clock, self._sync)

    def start(self) -> None:
        """Follow the store from now on."""
        index_by_controller(self._store, PODS)
        index_by_controller(self._store, REPLICA_SETS)
        self._store.subscribe(self._changed, DEPLOYMENTS, REPLICA_SETS, PODS)
        for deployment in self._store.select(DEPLOYMENTS):
            self._queue.add((namespace_of(deployment), name_of(deployment)))

    def _changed(self, change: Change) -> None:
        match change.kind.plural:
            case "deployments":
                self._queue.add((namespace_of(change.object), name_of(change.object)))
            case "replicasets":
                self._replica_set_changed(change)
            case "pods" if change.type == "DELETED":
                self._pod_deleted(change.object)

    def _replica_set_changed(self, change: Change) -> None:
        namespace = namespace_of(change.object)
        for seen in (change.object, change.previous):
            owner = controller_of(seen) if seen else None
            if owner and owner.get("kind") == "Deployment":
                self._queue.add((namespace, owner["name"]))
        if controller_of(change.object) is None and change.type != "DELETED":
            for deployment in self._store.select(DEPLOYMENTS, namespace):
                if selects(deployment["spec"].get("selector"), labels_of(change.object)):
                    self._queue.add((namespace, name_of(deployment)))

    def _pod_deleted(self, pod: Object) -> None:
        """A Deployment that recreates waits for the last old pod."""
        owner = controller_of(pod)
        if owner is None or owner.get("kind") != "ReplicaSet":
            return
        replica_set = self._store.get(REPLICA_SETS, namespace_of(pod), owner["name"])
        above = controller_of(replica_set) if replica_set else None
        if above is not None and above.get("kind") == "Deployment":
            self._queue.add((namespace_of(pod), above["name"]))

    def _sync(self, key: Key) -> None:
        deployment = self._store.get(DEPLOYMENTS, *key)
        if deployment is None:
            return
        replica_sets = claim(self._registry, self._kind, deployment, self._replica_set)
        rollout = Rollout(self._registry, deployment, replica_sets)
        if is_deleting(deployment):
            sync_revision(rollout, create=False)
            rollout.write_status(status_of(self._clock, deployment, rollout.new, rollout.old))
            return
        self._tell_pause(rollout)
        if at(deployment, "spec", "paused"):
            self._sync_size(rollout)
            return
        sync_revision(rollout, create=False)
        if self._is_scaling(rollout):
            self._sync_size(rollout)
        elif is_rolling(deployment):
            self._roll(rollout)
        else:
            self._recreate(rollout)

    # Pausing and scaling

    def _tell_pause(self, rollout: Rollout) -> None:
        """A paused rollout has no deadline."""
        deployment = rollout.deployment
        known = condition(deployment, "Progressing")
        reason = known.get("reason") if known else ""
        if deadline_of(deployment) is None or reason == TIMED_OUT:
            return
        paused = bool(at(deployment, "spec", "paused"))
        if paused == (reason == "DeploymentPaused"):
            return
        reason, message = (
            ("DeploymentPaused", "Deployment is paused")
            if paused
            else ("DeploymentResumed", "Deployment is resumed")
        )
        current = made(self._clock, "Progressing", "Unknown", reason, message)
        rollout.write_status(with_condition(deployment.get("status", {}), current))

    def _is_scaling(self, rollout: Rollout) -> bool:
        replicas = str(replicas_of(rollout.deployment))
        return any(
            text(one, "metadata", "annotations", DESIRED) not in {"", replicas}
            for one in rollout.all
            if replicas_of(one)
        )

    def _sync_size(self, rollout: Rollout) -> None:
        sync_revision(rollout, create=False)
        self._resize(rollout)
        if at(rollout.deployment, "spec", "paused"):
            rollout.clean()
        status = status_of(self._clock, rollout.deployment, rollout.new, rollout.old)
        rollout.write_status(status)

    def _resize(self, rollout: Rollout) -> None:
        """Bring a changed number of replicas to the ReplicaSets, in their present proportion."""
        replicas = replicas_of(rollout.deployment)
        active = [one for one in rollout.all if replicas_of(one)]
        if len(active) <= 1:
            candidates = active or ([rollout.new] if rollout.new else rollout.old[-1:])
            for latest in candidates:
                rollout.scale(latest, replicas)
            return
        if self._is_saturated(rollout):
            for one in rollout.old:
                rollout.scale(one, 0)
            return
        if is_rolling(rollout.deployment):
            for one, size in proportional(rollout.deployment, active):
                rollout.scale(one, size, force=True)

    def _is_saturated(self, rollout: Rollout) -> bool:
        new, replicas = rollout.new, replicas_of(rollout.deployment)
        return (
            new is not None
            and replicas_of(new) == replicas
            and text(new, "metadata", "annotations", DESIRED) == str(replicas)
            and total([new], "availableReplicas") == replicas
        )

    # Strategies

    def _roll(self, rollout: Rollout) -> None:
        sync_revision(rollout, create=True)
        moved = self._grow_new(rollout) or self._shrink_old(rollout)
        if not moved and is_complete(rollout.deployment, rollout.deployment.get("status", {})):
            rollout.clean()
        self._write_rollout_status(rollout)

    def _grow_new(self, rollout: Rollout) -> bool:
        if rollout.new is None:
            return False
        size, replicas = replicas_of(rollout.new), replicas_of(rollout.deployment)
        if size == replicas:
            return False
        target = replicas if size > replicas else rollout.size_of_new(size)
        return rollout.scale(rollout.new, target)

    def _shrink_old(self, rollout: Rollout) -> bool:
        """Take away old pods: first those that are not available, then as many as may be."""
        if not wanted(rollout.old) or rollout.new is None:
            return False
        least = replicas_of(rollout.deployment) - max_unavailable(rollout.deployment)
        missing = replicas_of(rollout.new) - total([rollout.new], "availableReplicas")
        left = wanted(rollout.all) - least - missing
        if left <= 0:
            return False
        shrunk = False
        for one in by_age(rollout.old):
            broken = replicas_of(one) - total([one], "availableReplicas")
            if (taken := min(left, broken)) > 0 and replicas_of(one):
                left -= taken
                shrunk |= rollout.scale(one, replicas_of(one) - taken)
        spare = total(rollout.all, "availableReplicas") - least
        for one in by_age(rollout.old):
            if (taken := min(spare, replicas_of(one))) > 0:
                spare -= taken
                shrunk |= rollout.scale(one, replicas_of(one) - taken)
        return shrunk

    def _recreate(self, rollout: Rollout) -> None:
        shrunk = [rollout.scale(one, 0) for one in rollout.old if replicas_of(one)]
        if not any(shrunk) and not self._old_pods_run(rollout):
            sync_revision(rollout, create=rollout.new is None)
            if rollout.new is not None:
                rollout.scale(rollout.new, replicas_of(rollout.deployment))
            if is_complete(rollout.deployment, rollout.deployment.get("status", {})):
                rollout.clean()
        self._write_rollout_status(rollout)

    def _old_pods_run(self, rollout: Rollout) -> bool:
        return total(rollout.old, "replicas") > 0 or any(
            not is_finished(pod)
            for one in rollout.old
            for pod in controlled_by(self._store, PODS, one)
        )

    # Status and events

    def _write_rollout_status(self, rollout: Rollout) -> None:
        deployment = rollout.deployment
        status = rollout_status_of(self._clock, deployment, rollout.new, rollout.old)
        if not rollout.write_status(status):
            left = deadline_left(self._clock, deployment, status)
            if left is not None:
                key = (namespace_of(deployment), name_of(deployment))
                self._queue.add_after(key, max(1.0, left + 1.0))
