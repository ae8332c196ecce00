"""Namespaces that are being deleted: first their pods go, then everything else, then they.

Source: k8s.io/kubernetes/pkg/controller/namespace (Kubernetes 1.37).
"""

from collections.abc import Iterator

import msgspec

from bridgehead.twin.errors import ApiError
from bridgehead.twin.kinds import Kind, Stored
from bridgehead.twin.objects import Object, at, is_deleting, items, name_of, text, with_field
from bridgehead.twin.pods import is_finished
from bridgehead.twin.queue import WorkQueue
from bridgehead.twin.registry import DeleteOptions, Registry
from bridgehead.twin.store import Change
from bridgehead.twin.timestamps import seconds_of

NAMESPACES = Stored("", "namespaces")
FINALIZER = "kubernetes"
PATIENCE = 5.0
"""Seconds from a namespace's deletion to the first of its contents."""
WITH_FINALIZERS = 15
"""Seconds that objects with finalizers are expected to need."""

_FINE = {
    "NamespaceDeletionDiscoveryFailure": (
        "ResourcesDiscovered",
        "All resources successfully discovered",
    ),
    "NamespaceDeletionGroupVersionParsingFailure": (
        "ParsedGroupVersions",
        "All legacy kube types successfully parsed",
    ),
    "NamespaceDeletionContentFailure": (
        "ContentDeleted",
        "All content successfully deleted, may be waiting on finalization",
    ),
    "NamespaceContentRemaining": ("ContentRemoved", "All content successfully removed"),
    "NamespaceFinalizersRemaining": (
        "ContentHasNoFinalizers",
        "All content-preserving finalizers finished",
    ),
}
"""What each condition says when all is well, in their order."""


class _Left(msgspec.Struct):
    """What is left of a namespace's contents."""

    estimate: int = 0
    """Seconds until more of it has gone, as far as can be told."""
    errors: list[str] = msgspec.field(default_factory=list)
    resources: dict[str, int] = msgspec.field(default_factory=dict)
    finalizers: dict[str, int] = msgspec.field(default_factory=dict)


class NamespaceController:
    """Empties namespaces that are being deleted, and says in their conditions what is left."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._store = registry.store
        self._clock = registry.clock
        self._kind = registry.kinds.named(*NAMESPACES)
        self._queue: WorkQueue[str] = WorkQueue(registry.clock, self._sync, last_retry=60.0)

    def start(self) -> None:
        """Follow the store from now on."""
        self._store.subscribe(self._changed, NAMESPACES)
        for namespace in self._store.select(NAMESPACES):
            if is_deleting(namespace):
                self._queue.add_after(name_of(namespace), PATIENCE)

    def _changed(self, change: Change) -> None:
        if change.type == "DELETED":
            return
        if is_deleting(change.object):
            self._queue.add_after(name_of(change.object), PATIENCE)

    def _sync(self, name: str) -> None:
        namespace = self._store.get(NAMESPACES, "", name)
        if namespace is None or not is_deleting(namespace):
            return
        if text(namespace, "status", "phase") != "Terminating":
            changed = with_field(namespace, ("status", "phase"), "Terminating")
            namespace = self._registry.update(self._kind, changed, subresource="status")
        if not items(namespace, "spec", "finalizers"):
            return
        left = self._empty(namespace)
        if left.errors:
            raise ApiError(500, "InternalError", ", ".join(left.errors))
        if left.estimate:
            self._queue.add_after(name, left.estimate // 2 + 1)
            return
        fresh = self._registry.get(self._kind, "", name)
        kept = [item for item in items(fresh, "spec", "finalizers") if item != FINALIZER]
        finalized = with_field(fresh, ("spec", "finalizers"), kept or None)
        self._registry.update(self._kind, finalized, subresource="finalize")

    def _empty(self, namespace: Object) -> _Left:
        """Ask for the deletion of everything; pods first, and nothing else until they are gone."""
        left = _Left()
        pods = self._registry.kinds.named("", "pods")
        self._empty_of(pods, namespace, left)
        if left.resources:
            self._write(namespace, left, totals=False)
            return left
        for kind in self._contents():
            self._empty_of(kind, namespace, left)
        self._write(namespace, left, totals=True)
        return left

    def _contents(self) -> Iterator[Kind]:
        seen = {Stored("", "pods")}
        for kind in self._registry.kinds:
            if kind.namespaced and "delete" in kind.verbs and kind.stored not in seen:
                seen.add(kind.stored)
                yield kind

    def _empty_of(self, kind: Kind, namespace: Object, left: _Left) -> None:
        name = name_of(namespace)
        if not self._store.keys(kind.stored, name):
            return
        estimate = self._estimate(kind, namespace)
        options = DeleteOptions(propagation="Background")
        for obj in list(self._store.select(kind.stored, name)):
            try:
                self._registry.delete(kind, name, name_of(obj), options)
            except ApiError as error:
                if error.code != 404:
                    left.errors.append(str(error))
                    break
        remaining = list(self._store.select(kind.stored, name))
        if not remaining:
            return
        finalizers = [item for obj in remaining for item in items(obj, "metadata", "finalizers")]
        if not estimate and finalizers:
            estimate = WITH_FINALIZERS
        if not estimate:
            left.errors.append(
                f"unexpected items still remain in namespace: {name} "
                f"for gvr: {kind.api_version if kind.group else '/v1'}, Resource={kind.plural}"
            )
        left.estimate = max(left.estimate, estimate)
        left.resources[f"{kind.plural}.{kind.group}"] = len(remaining)
        for finalizer in finalizers:
            left.finalizers[finalizer] = left.finalizers.get(finalizer, 0) + 1

    def _estimate(self, kind: Kind, namespace: Object) -> int:
        """The longest grace of a pod, until that time is over."""
        if kind.stored != ("", "pods"):
            return 0
        longest = max(
            (
                int(at(pod, "spec", "terminationGracePeriodSeconds") or 0)
                for pod in self._store.select(kind.stored, name_of(namespace))
                if not is_finished(pod)
            ),
            default=0,
        )
        since = self._clock.now() - seconds_of(text(namespace, "metadata", "deletionTimestamp"))
        return 0 if since >= longest else longest

    def _write(self, namespace: Object, left: _Left, *, totals: bool) -> None:
        wanted = {name: ("False", *fine) for name, fine in _FINE.items()}
        if left.errors:
            message = (
                f"Failed to delete all resource types, {len(left.errors)} remaining: "
                f"{', '.join(sorted(left.errors))}"
            )
            wanted["NamespaceDeletionContentFailure"] = ("True", "ContentDeletionFailed", message)
        if totals and left.resources:
            told = sorted(f"{key} has {n} resource instances" for key, n in left.resources.items())
            message = f"Some resources are remaining: {', '.join(told)}"
            wanted["NamespaceContentRemaining"] = ("True", "SomeResourcesRemain", message)
        if totals and left.finalizers:
            told = sorted(f"{key} in {n} resource instances" for key, n in left.finalizers.items())
            message = f"Some content in the namespace has finalizers remaining: {', '.join(told)}"
            wanted["NamespaceFinalizersRemaining"] = ("True", "SomeFinalizersRemain", message)
        known = {found["type"]: found for found in items(namespace, "status", "conditions")}
        conditions = [self._condition(known.get(name), name, *now) for name, now in wanted.items()]
        if conditions != list(known.values()):
            changed = with_field(namespace, ("status", "conditions"), conditions)
            self._registry.update(self._kind, changed, subresource="status")

    def _condition(
        self, known: Object | None, name: str, status: str, reason: str, message: str
    ) -> Object:
        since = self._clock.timestamp()
        if known is not None and known["status"] == status:
            since = known["lastTransitionTime"]
        return {
            "type": name,
            "status": status,
            "lastTransitionTime": since,
            "reason": reason,
            "message": message,
        }
