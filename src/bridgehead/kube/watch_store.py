"""What a watch knows of its objects, and how lists and events change it. Pure."""

from collections.abc import Iterable
from typing import Generic, Literal, NamedTuple, Protocol, TypeVar

import msgspec


class _Metadata(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def namespace(self) -> str: ...
    @property
    def uid(self) -> str: ...
    @property
    def resource_version(self) -> str: ...


class Watched(Protocol):
    """Anything that can be watched: it has metadata."""

    @property
    def metadata(self) -> _Metadata:
        """Names, uid and resourceVersion."""


T = TypeVar("T", bound=Watched)


class ObjectKey(NamedTuple):
    """Names an object among others of its kind; the namespace is empty for cluster-wide kinds."""

    namespace: str
    name: str


class Change(msgspec.Struct, Generic[T], frozen=True):
    """What became of one object; of a deleted one, its last known state."""

    what: Literal["added", "modified", "deleted"]
    object: T


class Store(Generic[T]):
    """Objects by key."""

    def __init__(self) -> None:
        self.objects: dict[ObjectKey, T] = {}

    def replace(self, items: Iterable[T]) -> list[Change[T]]:
        """Take over a whole list; what vanished or was recreated meanwhile shows as deleted."""
        former, self.objects = self.objects, {key_of(item): item for item in items}
        changes = []
        for key, old in former.items():
            new = self.objects.get(key)
            if new is None or new.metadata.uid != old.metadata.uid:
                changes.append(Change("deleted", old))
        for key, new in self.objects.items():
            known = former.get(key)
            if known is None or known.metadata.uid != new.metadata.uid:
                changes.append(Change("added", new))
            elif known.metadata.resource_version != new.metadata.resource_version:
                changes.append(Change("modified", new))
        return changes

    def put(self, item: T) -> Change[T]:
        """An ADDED or MODIFIED event; which of the two is told by what was known."""
        key = key_of(item)
        known = key in self.objects
        self.objects[key] = item
        return Change("modified" if known else "added", item)

    def remove(self, item: T) -> Change[T]:
        """A DELETED event."""
        self.objects.pop(key_of(item), None)
        return Change("deleted", item)


def key_of(item: Watched) -> ObjectKey:
    """The key under which an object is stored."""
    return ObjectKey(item.metadata.namespace, item.metadata.name)
