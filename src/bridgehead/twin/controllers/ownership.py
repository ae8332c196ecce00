"""The graph of who owns what, over all kinds, kept as objects come and go.

Source: k8s.io/kubernetes/pkg/controller/garbagecollector/graph_builder.go (Kubernetes 1.37).
"""

from collections.abc import Sequence
from typing import NamedTuple

from bridgehead.twin.kinds import Kind, Kinds, Stored
from bridgehead.twin.objects import Object, items, name_of, namespace_of, uid_of
from bridgehead.twin.store import Change, Store


class Place(NamedTuple):
    """Where an object is kept."""

    group: str
    plural: str
    namespace: str
    name: str


class Graph:
    """Objects by their uids, and which of them name which others as owners."""

    def __init__(self, kinds: Kinds, store: Store) -> None:
        self._kinds = kinds
        self._store = store
        self._places: dict[str, Place] = {}
        self._dependents: dict[str, dict[str, None]] = {}

    def apply(self, change: Change) -> None:
        """Take a change in."""
        kind, uid = change.kind, uid_of(change.object)
        before = owners_of(change.previous) if change.previous else ()
        after = owners_of(change.object) if change.type != "DELETED" else ()
        if change.type == "DELETED":
            self._places.pop(uid, None)
        elif change.type == "ADDED":
            self._places[uid] = Place(
                kind.group, kind.plural, namespace_of(change.object), name_of(change.object)
            )
        if before == after:
            return
        for owner in before:
            self._forget(owner.get("uid", ""), uid)
        for owner in after:
            self._dependents.setdefault(owner.get("uid", ""), {})[uid] = None

    def place(self, uid: str) -> Place | None:
        """Where the object of a uid is kept; None where there is none."""
        return self._places.get(uid)

    def find(self, uid: str) -> tuple[Kind, Object] | None:
        """The object of a uid and its kind; None where there is none, or its kind has gone."""
        place = self._places.get(uid)
        if place is None or not self._kinds.has(place.group, place.plural):
            return None
        stored = Stored(place.group, place.plural)
        found = self._store.get(stored, place.namespace, place.name)
        if found is None or uid_of(found) != uid:
            return None
        return self._kinds.named(place.group, place.plural), found

    def dependents(self, uid: str) -> list[str]:
        """The uids of what names it as an owner, in the order in which they came."""
        return list(self._dependents.get(uid, ()))

    def owner(self, reference: Object, namespace: str) -> tuple[Kind, Object] | None:
        """What a reference means in a namespace: its object under its name and uid.

        Raises LookupError where its kind is not served, or is one of namespaces while the object
        that names it is not in any.
        """
        kind = self._kinds.of(reference.get("apiVersion", ""), reference.get("kind", ""))
        if kind is None:
            raise LookupError(reference.get("kind", ""))
        if kind.namespaced and not namespace:
            raise LookupError(namespace)
        within = namespace if kind.namespaced else ""
        found = self._store.get(kind.stored, within, reference.get("name", ""))
        if found is None or uid_of(found) != reference.get("uid"):
            return None
        return kind, found

    def _forget(self, owner: str, uid: str) -> None:
        dependents = self._dependents.get(owner)
        if dependents is not None:
            dependents.pop(uid, None)
            if not dependents:
                del self._dependents[owner]


def owners_of(obj: Object) -> Sequence[Object]:
    """``metadata.ownerReferences``."""
    return items(obj, "metadata", "ownerReferences")
