"""The garbage collector: what has no owner any more goes, in the way its owner was deleted.

Background: dependents go after their owner. Foreground: an owner waits for those dependents that
block it. Orphan: dependents lose their reference and stay. References across namespaces mean
nothing: such an object has no owner.

Source: k8s.io/kubernetes/pkg/controller/garbagecollector (Kubernetes 1.37).
"""

from collections.abc import Sequence

from bridgehead.twin.controllers.events import record, reference
from bridgehead.twin.controllers.ownership import Graph, owners_of
from bridgehead.twin.errors import ApiError
from bridgehead.twin.kinds import Kind
from bridgehead.twin.objects import (
    Object,
    is_deleting,
    items,
    name_of,
    namespace_of,
    text,
    uid_of,
    with_field,
)
from bridgehead.twin.queue import WorkQueue
from bridgehead.twin.registry import FOREGROUND, ORPHAN, DeleteOptions, Registry
from bridgehead.twin.store import Change

COMPONENT = "garbage-collector-controller"


class GarbageCollector:
    """Follows owner references of every kind, custom ones too."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._graph = Graph(registry.kinds, registry.store)
        self._queue: WorkQueue[str] = WorkQueue(registry.clock, self._sync)
        self._told: dict[tuple[str, str], None] = {}
        """Which misplaced references were told of already."""

    def start(self) -> None:
        """Follow the store from now on, with what is there."""
        store = self._registry.store
        seen = set()
        for kind in self._registry.kinds:
            if kind.stored in seen or kind.plural == "events":
                continue
            seen.add(kind.stored)
            for obj in store.select(kind.stored):
                self._graph.apply(Change("ADDED", kind, obj, None, 0))
                if owners_of(obj) or _waits(obj):
                    self._queue.add(uid_of(obj))
        store.subscribe(self._changed)

    def _changed(self, change: Change) -> None:
        if change.kind.plural == "events":
            return
        if change.type == "MODIFIED" and _is_of_no_matter(change):
            return
        self._graph.apply(change)
        obj, uid = change.object, uid_of(change.object)
        if change.type == "DELETED":
            self._deleted(obj, uid)
            return
        before = owners_of(change.previous) if change.previous else ()
        after = owners_of(obj)
        if after and (change.type == "ADDED" or before != after):
            self._queue.add(uid)
        if before and before != after:
            self._unblocked(before)
        if is_deleting(obj) and _waits(obj):
            self._queue.add(uid)
            if FOREGROUND in items(obj, "metadata", "finalizers"):
                self._queue_dependents(uid)
                self._unblocked(after)

    def _deleted(self, obj: Object, uid: str) -> None:
        self._queue_dependents(uid)
        self._unblocked(owners_of(obj))

    def _queue_dependents(self, uid: str) -> None:
        for dependent in self._graph.dependents(uid):
            self._queue.add(dependent)

    def _unblocked(self, owners: Sequence[Object]) -> None:
        """Owners that wait for dependents look again."""
        for owner in owners:
            found = self._graph.find(owner.get("uid", ""))
            if found is not None and _deletes_dependents(found[1]):
                self._queue.add(uid_of(found[1]))

    def _sync(self, uid: str) -> None:
        found = self._graph.find(uid)
        if found is None:
            return
        kind, obj = found
        if is_deleting(obj):
            if ORPHAN in items(obj, "metadata", "finalizers"):
                self._orphan(kind, obj)
                return
            if _deletes_dependents(obj):
                self._finish_foreground(kind, obj)
            return
        self._judge(kind, obj)

    def _judge(self, kind: Kind, obj: Object) -> None:
        """Delete what has no owner left; drop references to those that are gone."""
        owners = owners_of(obj)
        if not owners:
            return
        solid, dangling, waiting = [], [], []
        for owner in owners:
            try:
                found = self._graph.owner(owner, namespace_of(obj))
            except LookupError:
                self._tell_misplaced(obj, owner)
                return
            if found is None:
                self._tell_misplaced(obj, owner)
                dangling.append(owner)
            elif _deletes_dependents(found[1]):
                waiting.append(owner)
            else:
                solid.append(owner)
        if solid:
            if dangling or waiting:
                changed = with_field(obj, ("metadata", "ownerReferences"), solid)
                self._registry.update(kind, changed)
            return
        dependents = self._graph.dependents(uid_of(obj)) if waiting else []
        if dependents:
            if any(self._is_deleting_dependents(uid) for uid in dependents):
                obj = self._unblock(kind, obj)
            self._delete(kind, obj, "Foreground")
            return
        finalizers = items(obj, "metadata", "finalizers")
        if ORPHAN in finalizers:
            self._delete(kind, obj, "Orphan")
        else:
            self._delete(kind, obj, "Foreground" if FOREGROUND in finalizers else "Background")

    def _delete(self, kind: Kind, obj: Object, propagation: str) -> None:
        options = DeleteOptions(
            propagation=propagation,  # type: ignore[arg-type]
            uid=uid_of(obj),
            resource_version=text(obj, "metadata", "resourceVersion"),
        )
        try:
            self._registry.delete(kind, namespace_of(obj), name_of(obj), options)
        except ApiError as error:
            if error.code != 404:
                raise

    def _finish_foreground(self, kind: Kind, obj: Object) -> None:
        """Let an owner go when no dependent that blocks it is left; else hurry those on."""
        uid = uid_of(obj)
        blocking = [
            dependent for dependent in self._graph.dependents(uid) if self._blocks(dependent, uid)
        ]
        if not blocking:
            self._drop_finalizer(kind, obj, FOREGROUND)
            return
        for dependent in blocking:
            found = self._graph.find(dependent)
            if found is not None and not is_deleting(found[1]):
                self._queue.add(dependent)

    def _blocks(self, dependent: str, owner: str) -> bool:
        found = self._graph.find(dependent)
        return found is not None and any(
            one.get("uid") == owner and one.get("blockOwnerDeletion") for one in owners_of(found[1])
        )

    def _is_deleting_dependents(self, uid: str) -> bool:
        found = self._graph.find(uid)
        return found is not None and _deletes_dependents(found[1])

    def _unblock(self, kind: Kind, obj: Object) -> Object:
        """In a ring of owners nobody may wait for the others."""
        owners = [
            {**one, "blockOwnerDeletion": False} if one.get("blockOwnerDeletion") else one
            for one in owners_of(obj)
        ]
        return self._registry.update(kind, with_field(obj, ("metadata", "ownerReferences"), owners))

    def _orphan(self, kind: Kind, obj: Object) -> None:
        uid = uid_of(obj)
        for dependent in self._graph.dependents(uid):
            found = self._graph.find(dependent)
            if found is not None:
                kept = [one for one in owners_of(found[1]) if one.get("uid") != uid]
                changed = with_field(found[1], ("metadata", "ownerReferences"), kept or None)
                self._registry.update(found[0], changed)
        self._drop_finalizer(kind, obj, ORPHAN)

    def _drop_finalizer(self, kind: Kind, obj: Object, finalizer: str) -> None:
        kept = [item for item in items(obj, "metadata", "finalizers") if item != finalizer]
        self._registry.update(kind, with_field(obj, ("metadata", "finalizers"), kept or None))

    def _tell_misplaced(self, obj: Object, owner: Object) -> None:
        """A reference names an object of another namespace: nobody can own from there."""
        uid = owner.get("uid", "")
        place = self._graph.place(uid)
        if place is None or (uid_of(obj), uid) in self._told:
            return
        self._told[uid_of(obj), uid] = None
        within = namespace_of(obj)
        named = (
            f"[{owner.get('apiVersion')}/{owner.get('kind')}, namespace: {within}, "
            f"name: {owner.get('name')}, uid: {uid}]"
        )
        about = reference(obj)
        about.pop("resourceVersion", None)
        record(
            self._registry,
            about,
            "Warning",
            "OwnerRefInvalidNamespace",
            f'ownerRef {named} does not exist in namespace "{within}"',
            component=COMPONENT,
        )


def _is_of_no_matter(change: Change) -> bool:
    """Whether a change leaves owners, finalizers and deletion as they were: most do."""
    before = change.previous["metadata"] if change.previous else {}
    after = change.object["metadata"]
    return bool(
        before.get("ownerReferences") == after.get("ownerReferences")
        and before.get("finalizers") == after.get("finalizers")
        and before.get("deletionTimestamp") == after.get("deletionTimestamp")
    )


def _deletes_dependents(obj: Object) -> bool:
    return is_deleting(obj) and FOREGROUND in items(obj, "metadata", "finalizers")


def _waits(obj: Object) -> bool:
    finalizers = items(obj, "metadata", "finalizers")
    return FOREGROUND in finalizers or ORPHAN in finalizers
