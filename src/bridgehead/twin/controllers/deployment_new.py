"""The ReplicaSet of a Deployment's present template: found, or made, and given its revision.

Source: k8s.io/kubernetes/pkg/controller/deployment/sync.go, getNewReplicaSet (Kubernetes 1.37).
"""

from bridgehead.twin.conditions import condition
from bridgehead.twin.controllers.deployment_revisions import (
    HASH_LABEL,
    REVISION,
    annotated,
    replicas_of,
    revision_of,
    same_template,
    template_hash,
)
from bridgehead.twin.controllers.deployment_status import deadline_of, made, with_condition
from bridgehead.twin.controllers.events import record
from bridgehead.twin.controllers.owners import controller_reference
from bridgehead.twin.controllers.pods import is_terminating_namespace
from bridgehead.twin.controllers.rollouts import COMPONENT, Rollout
from bridgehead.twin.errors import ApiError
from bridgehead.twin.objects import (
    Object,
    at,
    controller_of,
    fields,
    labels_of,
    name_of,
    namespace_of,
    uid_of,
    with_field,
)


def sync_revision(rollout: Rollout, *, create: bool) -> None:
    """Give the present ReplicaSet the highest revision; with ``create`` make it if it is missing.

    Raises ApiError.
    """
    revision = max((revision_of(one) for one in rollout.old), default=0) + 1
    if rollout.new is None:
        if create:
            _create(rollout, revision)
        return
    new, deployment = rollout.new, rollout.deployment
    wants = annotated(deployment, new, revision, exists=True)
    min_ready = at(deployment, "spec", "minReadySeconds") or None
    wants = with_field(wants, ("spec", "minReadySeconds"), min_ready)
    if wants != new:
        rollout.replace(new, wants)
        return
    current = None
    if deadline_of(deployment) is not None and not condition(deployment, "Progressing"):
        message = f'Found new replica set "{name_of(new)}"'
        clock = rollout.registry.clock
        current = made(clock, "Progressing", "True", "FoundNewReplicaSet", message)
    _write_revision(rollout, revision_of(new), current)


def _create(rollout: Rollout, revision: int) -> None:
    registry, deployment = rollout.registry, rollout.deployment
    new = _new_replica_set(rollout, revision)
    name, size = name_of(new), replicas_of(new)
    namespace = namespace_of(deployment)
    try:
        rollout.new = registry.create(rollout.replica_set_kind, new, namespace=namespace)
    except ApiError as error:
        if error.reason == "AlreadyExists":
            _collide(rollout, name)
        elif not is_terminating_namespace(error):
            _tell_failure(rollout, f'Failed to create new replica set "{name}": {error}')
        raise
    if size:
        rollout.tell_size(f"Scaled up replica set {name}", 0, size)
    current = None
    if deadline_of(deployment) is not None:
        message = f'Created new replica set "{name}"'
        current = made(registry.clock, "Progressing", "True", "NewReplicaSetCreated", message)
    _write_revision(rollout, revision, current)


def _new_replica_set(rollout: Rollout, revision: int) -> Object:
    deployment, spec = rollout.deployment, rollout.deployment["spec"]
    hashed = template_hash(spec["template"], at(deployment, "status", "collisionCount"))
    labels = {**labels_of(spec["template"]), HASH_LABEL: hashed}
    wanted_labels = {**fields(spec, "selector", "matchLabels"), HASH_LABEL: hashed}
    min_ready = spec.get("minReadySeconds")
    new: Object = {
        "metadata": {
            "name": f"{name_of(deployment)[: 252 - len(hashed)]}-{hashed}",
            "labels": labels,
            "ownerReferences": [controller_reference(rollout.kind, deployment)],
        },
        "spec": {
            "replicas": rollout.size_of_new(0),
            "selector": with_field(spec["selector"], ("matchLabels",), wanted_labels),
            "template": with_field(spec["template"], ("metadata", "labels"), labels),
            **({"minReadySeconds": min_ready} if min_ready else {}),
        },
    }
    return annotated(deployment, new, revision, exists=False)


def _collide(rollout: Rollout, name: str) -> None:
    """Another ReplicaSet has the name: the next attempt hashes to another one."""
    deployment = rollout.deployment
    store, kind = rollout.registry.store, rollout.replica_set_kind
    taken = store.get(kind.stored, namespace_of(deployment), name)
    owner = controller_of(taken) if taken else None
    if (
        taken is not None
        and owner is not None
        and owner.get("uid") == uid_of(deployment)
        and same_template(taken["spec"]["template"], deployment["spec"]["template"])
    ):
        return
    collisions = int(at(deployment, "status", "collisionCount") or 0) + 1
    rollout.write_status({**deployment.get("status", {}), "collisionCount": collisions})


def _write_revision(rollout: Rollout, revision: int, current: Object | None) -> None:
    deployment = rollout.deployment
    annotations = {**fields(deployment, "metadata", "annotations"), REVISION: str(revision)}
    changed = with_field(deployment, ("metadata", "annotations"), annotations)
    if current is not None:
        status = with_condition(deployment.get("status", {}), current)
        changed = with_field(changed, ("status",), status)
    if changed != deployment:
        rollout.write(changed)


def _tell_failure(rollout: Rollout, message: str) -> None:
    deployment, reason = rollout.deployment, "ReplicaSetCreateError"
    if deadline_of(deployment) is not None:
        failed = made(rollout.registry.clock, "Progressing", "False", reason, message)
        rollout.write_status(with_condition(deployment.get("status", {}), failed))
    registry = rollout.registry
    record(registry, rollout.deployment, "Warning", reason, message, component=COMPONENT)
