"""What is stored, and what happened to it: the twin's etcd and watch cache.

Every write gets the next version of one counter. Objects are replaced, never changed; a list is
sorted as etcd sorts keys. Listeners are told at once and in order; they must not write.
"""

from bisect import bisect_left, insort
from collections import deque
from collections.abc import Callable, Iterator
from typing import Literal

import msgspec

from bridgehead.twin.kinds import Kind, Stored
from bridgehead.twin.objects import Object, name_of, namespace_of, with_field

HISTORY = 20_000
"""Changes of a resource that a watch can catch up with, where nothing is compacted before."""

Key = tuple[str, str]
"""Namespace and name."""


class Change(msgspec.Struct, frozen=True):
    """One write."""

    type: Literal["ADDED", "MODIFIED", "DELETED"]
    kind: Kind
    object: Object
    """As it is after the write; a deleted one as it was last, under the version of its deletion."""
    previous: Object | None
    version: int


Listener = Callable[[Change], object]


class CompactedError(Exception):
    """Changes since a version are asked for that are no longer known."""

    def __init__(self, version: int, oldest: int) -> None:
        super().__init__(f"too old resource version: {version} ({oldest})")


class _Shelf:
    """All objects of one resource."""

    def __init__(self) -> None:
        self.objects: dict[Key, Object] = {}
        self.keys: list[Key] = []
        self.history: deque[Change] = deque()
        self.compacted = 0
        """The version up to which changes are forgotten."""
        self.indexes: dict[str, tuple[Callable[[Object], str], dict[str, dict[Key, Object]]]] = {}

    def put(self, key: Key, obj: Object | None) -> Object | None:
        """Replace, add or (None) remove; what was there before."""
        previous = self.objects.get(key)
        if obj is None:
            self.objects.pop(key)
            del self.keys[bisect_left(self.keys, key)]
        else:
            if previous is None:
                insort(self.keys, key)
            self.objects[key] = obj
        for value_of, entries in self.indexes.values():
            if previous is not None and (value := value_of(previous)):
                entries[value].pop(key, None)
                if not entries[value]:  # such as the uid of an owner that has gone
                    del entries[value]
            if obj is not None and (value := value_of(obj)):
                entries.setdefault(value, {})[key] = obj
        return previous


class Store:
    """All objects of a cluster."""

    def __init__(self) -> None:
        self.version = 0
        """Of the last write."""
        self._shelves: dict[Stored, _Shelf] = {}
        self._listeners: list[tuple[Listener, frozenset[Stored]]] = []
        self._told: dict[Stored, tuple[Listener, ...]] = {}
        """Who is told of a resource's changes, as far as somebody has asked."""

    def subscribe(self, listener: Listener, *only: Stored) -> Callable[[], None]:
        """Be told of every change from now on, or of some resources' only.

        Call what comes back to end that.
        """
        entry = (listener, frozenset(only))
        self._listeners.append(entry)
        self._told.clear()
        return lambda: self._unsubscribe(entry)

    def _unsubscribe(self, entry: tuple[Listener, frozenset[Stored]]) -> None:
        self._listeners.remove(entry)
        self._told.clear()

    def index(self, stored: Stored, name: str, value_of: Callable[[Object], str]) -> None:
        """Keep objects findable by a value (``by``); objects whose value is empty are left out.

        An index that is there already, by the same function, stays as it is.
        """
        shelf = self._shelf(stored)
        if name in shelf.indexes and shelf.indexes[name][0] is value_of:
            return
        entries: dict[str, dict[Key, Object]] = {}
        for key, obj in shelf.objects.items():
            if value := value_of(obj):
                entries.setdefault(value, {})[key] = obj
        shelf.indexes[name] = (value_of, entries)

    def by(self, stored: Stored, index: str, value: str) -> list[Object]:
        """The objects with that value, sorted."""
        entries = self._shelf(stored).indexes[index][1].get(value, {})
        return [entries[key] for key in sorted(entries)]

    def get(self, stored: Stored, namespace: str, name: str) -> Object | None:
        """One object."""
        shelf = self._shelves.get(stored)
        return shelf.objects.get((namespace, name)) if shelf else None

    def keys(self, stored: Stored, namespace: str = "") -> list[Key]:
        """Sorted keys, of one namespace or of all."""
        keys = self._shelf(stored).keys
        if not namespace:
            return list(keys)
        return keys[bisect_left(keys, (namespace, "")) : bisect_left(keys, (namespace + "\0", ""))]

    def select(self, stored: Stored, namespace: str = "") -> Iterator[Object]:
        """Sorted objects, of one namespace or of all."""
        objects = self._shelf(stored).objects
        return (objects[key] for key in self.keys(stored, namespace))

    def count(self, stored: Stored) -> int:
        """How many objects there are of a resource."""
        return len(self._shelf(stored).keys)

    def put(self, kind: Kind, obj: Object) -> Object:
        """Store an object, new or in the place of another; it comes back with its version."""
        self.version += 1
        obj = with_field(obj, ("metadata", "resourceVersion"), str(self.version))
        previous = self._shelf(kind.stored).put((namespace_of(obj), name_of(obj)), obj)
        self._tell(Change("MODIFIED" if previous else "ADDED", kind, obj, previous, self.version))
        return obj

    def remove(self, kind: Kind, obj: Object) -> Object:
        """Remove an object; it comes back as watches see it go."""
        self.version += 1
        previous = self._shelf(kind.stored).put((namespace_of(obj), name_of(obj)), None)
        last = with_field(obj, ("metadata", "resourceVersion"), str(self.version))
        self._tell(Change("DELETED", kind, last, previous, self.version))
        return last

    def since(self, stored: Stored, version: int) -> list[Change]:
        """All changes after a version, oldest first. Raises CompactedError."""
        shelf = self._shelf(stored)
        if version < shelf.compacted:
            raise CompactedError(version, shelf.compacted)
        found: list[Change] = []
        for change in reversed(shelf.history):
            if change.version <= version:
                break
            found.append(change)
        found.reverse()
        return found

    def undone(self, stored: Stored, version: int) -> dict[Key, Object | None]:
        """What stood in the place of today's objects at a version: None for what was not there.

        Objects that have not changed since are left out. Raises CompactedError.
        """
        return {
            (namespace_of(change.object), name_of(change.object)): change.previous
            for change in reversed(self.since(stored, version))
        }

    def compact(self) -> None:
        """Forget all changes: a watch that must catch up from before now is refused."""
        for shelf in self._shelves.values():
            shelf.history.clear()
            shelf.compacted = self.version

    def _shelf(self, stored: Stored) -> _Shelf:
        shelf = self._shelves.get(stored)
        if shelf is None:
            shelf = self._shelves[stored] = _Shelf()
        return shelf

    def _tell(self, change: Change) -> None:
        shelf = self._shelf(change.kind.stored)
        shelf.history.append(change)
        if len(shelf.history) > HISTORY:
            shelf.compacted = shelf.history.popleft().version
        stored = change.kind.stored
        told = self._told.get(stored)
        if told is None:
            told = tuple(call for call, only in self._listeners if not only or stored in only)
            self._told[stored] = told
        for listener in told:
            listener(change)
