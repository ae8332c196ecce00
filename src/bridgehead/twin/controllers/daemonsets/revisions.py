"""ControllerRevisions: every template that a DaemonSet had, each once, numbered by its last use.

Source: k8s.io/kubernetes/pkg/controller/daemon/update.go (1.37).
"""

from collections.abc import Sequence
from typing import Any

from bridgehead.twin.controllers.daemonsets.template import HASH_LABEL
from bridgehead.twin.controllers.deployment_revisions import template_hash
from bridgehead.twin.controllers.owners import claim, controlled_by, controller_reference
from bridgehead.twin.errors import ApiError
from bridgehead.twin.kinds import Kind, Stored
from bridgehead.twin.objects import (
    Object,
    at,
    fields,
    labels_of,
    name_of,
    namespace_of,
    uid_of,
    with_field,
)
from bridgehead.twin.pods import PODS
from bridgehead.twin.registry import Registry

REVISIONS = Stored("apps", "controllerrevisions")


class History:
    """The revisions of one DaemonSet."""

    def __init__(self, registry: Registry, kind: Kind) -> None:
        """``kind``: that of DaemonSets."""
        self._registry = registry
        self._owner_kind = kind
        self._kind = registry.kinds.named(*REVISIONS)
        self.hashed = ""
        """The hash of the present template."""
        self.old: list[Object] = []
        """The others, the oldest first."""
        self._seen: tuple[Any, ...] = ()

    def bring_up_to_date(self, daemon_set: Object, *, adopt: bool) -> None:
        """Find or make the revision of the present template, and give it the highest number.

        ``adopt``: look for revisions that nobody owns. Raises ApiError.
        """
        found = self._own(daemon_set, adopt=adopt)
        seen = (daemon_set["spec"]["template"], found)
        if self._seen and self._seen[0] is seen[0] and self._seen[1] == found:
            return
        patch = _patch(daemon_set)
        labelled = [self._labelled(revision) for revision in found]
        current = [revision for revision in labelled if revision.get("data") == patch]
        self.old = sorted(
            (revision for revision in labelled if revision.get("data") != patch), key=_number
        )
        number = max((_number(revision) for revision in self.old), default=0) + 1
        if not current:
            present = self._create(daemon_set, patch, number)
        else:
            present = self._deduplicated(daemon_set, current)
            if _number(present) < number:
                present = self._registry.update(self._kind, {**present, "revision": number})
        self.hashed = labels_of(present)[HASH_LABEL]
        self._seen = (seen[0], self._own(daemon_set, adopt=False))

    def surplus(self, daemon_set: Object) -> int:
        """How many old ones there are beyond the limit."""
        limit = at(daemon_set, "spec", "revisionHistoryLimit")
        return len(self.old) - (10 if limit is None else int(limit))

    def clean(self, daemon_set: Object, live: Sequence[str]) -> None:
        """Delete the oldest ones beyond the limit; those that a pod still has are kept.

        ``live``: the hashes of all pods. Raises ApiError.
        """
        surplus = self.surplus(daemon_set)
        for revision in list(self.old):
            if surplus <= 0:
                return
            if labels_of(revision).get(HASH_LABEL) not in live:
                self._delete(revision)
                self.old.remove(revision)
                surplus -= 1

    def _own(self, daemon_set: Object, *, adopt: bool) -> list[Object]:
        if adopt:
            return claim(self._registry, self._owner_kind, daemon_set, self._kind)
        return controlled_by(self._registry.store, REVISIONS, daemon_set)

    def _labelled(self, revision: Object) -> Object:
        if HASH_LABEL in labels_of(revision):
            return revision
        path = ("metadata", "labels", HASH_LABEL)
        return self._registry.update(self._kind, with_field(revision, path, name_of(revision)))

    def _create(self, daemon_set: Object, patch: Object, number: int) -> Object:
        template = daemon_set["spec"]["template"]
        hashed = template_hash(template, at(daemon_set, "status", "collisionCount"))
        name = f"{name_of(daemon_set)}-{hashed}"
        annotations = fields(daemon_set, "metadata", "annotations")
        revision: Object = {
            "metadata": {
                "name": name,
                "labels": {**labels_of(template), HASH_LABEL: hashed},
                **({"annotations": dict(annotations)} if annotations else {}),
                "ownerReferences": [controller_reference(self._owner_kind, daemon_set)],
            },
            "data": patch,
            "revision": number,
        }
        namespace = namespace_of(daemon_set)
        try:
            return self._registry.create(self._kind, revision, namespace=namespace)
        except ApiError as error:
            if error.reason != "AlreadyExists":
                raise
            taken = self._registry.get(self._kind, namespace, name)
            if taken.get("data") == patch:
                return taken
            self._collide(daemon_set)
            raise

    def _collide(self, daemon_set: Object) -> None:
        """Another revision has the name: the next attempt hashes to another one."""
        collisions = int(at(daemon_set, "status", "collisionCount") or 0) + 1
        changed = with_field(daemon_set, ("status", "collisionCount"), collisions)
        self._registry.update(self._owner_kind, changed, subresource="status")

    def _deduplicated(self, daemon_set: Object, current: Sequence[Object]) -> Object:
        kept = max(reversed(current), key=_number)  # the later one of equals
        hashed = labels_of(kept)[HASH_LABEL]
        if len(current) == 1:
            return kept
        pods = self._registry.kinds.named(*PODS)
        for pod in controlled_by(self._registry.store, PODS, daemon_set):
            if labels_of(pod).get(HASH_LABEL) != hashed:
                path = ("metadata", "labels", HASH_LABEL)
                self._registry.update(pods, with_field(pod, path, hashed))
        for revision in current:
            if uid_of(revision) != uid_of(kept):
                self._delete(revision)
        return kept

    def _delete(self, revision: Object) -> None:
        self._registry.delete(self._kind, namespace_of(revision), name_of(revision))


def _patch(daemon_set: Object) -> Object:
    """What brings a DaemonSet back to this template, as a strategic merge patch."""
    return {"spec": {"template": {**daemon_set["spec"]["template"], "$patch": "replace"}}}


def _number(revision: Object) -> int:
    return int(revision.get("revision") or 0)
