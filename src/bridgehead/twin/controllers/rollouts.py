"""One look at a Deployment and its ReplicaSets, and the writes that a rollout is made of."""

from collections.abc import Sequence

from bridgehead.twin.controllers.deployment_revisions import (
    by_age,
    find_new,
    is_rolling,
    max_surge,
    replicas_of,
    revision_of,
    size_annotations,
)
from bridgehead.twin.controllers.deployment_status import total, wanted
from bridgehead.twin.controllers.events import record
from bridgehead.twin.kinds import Stored
from bridgehead.twin.objects import (
    Object,
    at,
    fields,
    is_deleting,
    name_of,
    namespace_of,
    uid_of,
    with_field,
)
from bridgehead.twin.registry import Registry

DEPLOYMENTS = Stored("apps", "deployments")
COMPONENT = "deployment-controller"
UNLIMITED = 2**31 - 1


class Rollout:
    """A Deployment, its present ReplicaSet if there is one, and the older ones, oldest first."""

    def __init__(
        self, registry: Registry, deployment: Object, replica_sets: Sequence[Object]
    ) -> None:
        self.registry = registry
        self.kind = registry.kinds.named(*DEPLOYMENTS)
        self.replica_set_kind = registry.kinds.named("apps", "replicasets")
        self.deployment = deployment
        self.new = find_new(deployment, replica_sets)
        self.old = [one for one in by_age(replica_sets) if one is not self.new]

    @property
    def all(self) -> list[Object]:
        """All its ReplicaSets."""
        return [*self.old, self.new] if self.new else list(self.old)

    def replace(self, before: Object, after: Object) -> Object:
        """Write a ReplicaSet. Raises ApiError."""
        after = self.registry.update(self.replica_set_kind, after)
        if self.new is not None and uid_of(self.new) == uid_of(before):
            self.new = after
        self.old = [after if uid_of(one) == uid_of(before) else one for one in self.old]
        return after

    def scale(self, replica_set: Object, size: int, *, force: bool = False) -> bool:
        """Set a ReplicaSet's size, with ``force`` its annotations anyway; whether it has changed.

        Raises ApiError.
        """
        before = replicas_of(replica_set)
        if before == size and not force:
            return False
        annotations = {
            **fields(replica_set, "metadata", "annotations"),
            **size_annotations(self.deployment),
        }
        changed = with_field(replica_set, ("metadata", "annotations"), annotations)
        self.replace(replica_set, with_field(changed, ("spec", "replicas"), size))
        if before == size:
            return False
        direction = "up" if before < size else "down"
        self.tell_size(f"Scaled {direction} replica set {name_of(replica_set)}", before, size)
        return True

    def size_of_new(self, size: int) -> int:
        """How large a present ReplicaSet of this size may be now: as large as the surge allows."""
        replicas = replicas_of(self.deployment)
        if not is_rolling(self.deployment):
            return replicas
        room = replicas + max_surge(self.deployment) - wanted(self.all)
        return size + max(0, min(room, replicas - size))

    def clean(self) -> None:
        """Delete old ReplicaSets beyond the history that is kept, the lowest revision first."""
        limit = at(self.deployment, "spec", "revisionHistoryLimit")
        if limit is None or limit == UNLIMITED:
            return
        alive = sorted((one for one in self.old if not is_deleting(one)), key=revision_of)
        for one in alive[: max(0, len(alive) - int(limit))]:
            behind = int(at(one, "metadata", "generation") or 0) > int(
                at(one, "status", "observedGeneration") or 0
            )
            if not replicas_of(one) and not total([one], "replicas") and not behind:
                self.registry.delete(self.replica_set_kind, namespace_of(one), name_of(one))

    def write_status(self, status: Object) -> bool:
        """Write the Deployment's status where it differs; whether it did. Raises ApiError."""
        if status == self.deployment.get("status"):
            return False
        self.write(with_field(self.deployment, ("status",), status))
        return True

    def write(self, changed: Object) -> None:
        """Write the Deployment's status and annotations. Raises ApiError."""
        self.deployment = self.registry.update(self.kind, changed, subresource="status")

    def tell_size(self, what: str, before: int, size: int) -> None:
        """Tell the event of a ReplicaSet's new size."""
        record(
            self.registry,
            self.deployment,
            "Normal",
            "ScalingReplicaSet",
            f"{what} from {before} to {size}",
            component=COMPONENT,
        )
