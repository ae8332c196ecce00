"""Watches: what happens to the objects of a resource, from a version on, without gaps or doubles.

A watch is told of every write at once, inside the write, so that what it has been told and what it
has yet to hear never overlap: what was before its version is read from the store's history in the
moment it begins. Source: k8s.io/apiserver/pkg/storage/cacher (1.37).
"""

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Literal

from bridgehead.twin.api.encoding import encoded
from bridgehead.twin.api.options import ListOptions, Selection
from bridgehead.twin.kinds import Kind, Stored
from bridgehead.twin.objects import Object, namespace_of, with_field
from bridgehead.twin.store import Change, Store

SLOWEST = 20_000
"""Events that may wait for a client; one that is further behind is cut off and must come again."""

BOOKMARK_EVERY = 60.0
"""Seconds between bookmarks. Source: cacher.go, defaultBookmarkFrequency."""

EventType = Literal["ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR"]
Write = Callable[[EventType, Object], bytes]
"""An event as the client wants it."""


def event_of(selection: Selection, change: Change) -> tuple[EventType, Object] | None:
    """What a change means to somebody who sees a selection only."""
    if selection.namespace and namespace_of(change.object) != selection.namespace:
        return None
    before = change.previous is not None and selection.matches(change.previous)
    after = change.type != "DELETED" and selection.matches(change.object)
    if after:
        return ("MODIFIED" if before else "ADDED"), change.object
    if before and change.previous is not None:
        version = str(change.version)
        return "DELETED", with_field(change.previous, ("metadata", "resourceVersion"), version)
    return None


class Watch:
    """One watch: bytes for as long as it lasts (``exchange.Chunks``)."""

    def __init__(
        self, watches: "Watches", kind: Kind, options: ListOptions, write: Write, lasts: float
    ) -> None:
        """``lasts``: seconds of the event loop's time."""
        self.kind = kind
        self._watches = watches
        self._selection = options.selection
        self._bookmarks = options.bookmarks
        self._write = write
        self._pending: deque[bytes] = deque()
        self._loop = asyncio.get_running_loop()
        self._end = self._loop.time() + lasts
        self._next_bookmark = self._loop.time() + BOOKMARK_EVERY
        self._awake = asyncio.Event()
        self._ended = False
        self._timer: asyncio.TimerHandle | None = None
        self._after = 0

    def begin(self, events: list[tuple[EventType, Object]], after: int) -> None:
        """Say what was before; ``after``: the version up to which changes are of no interest."""
        self._after = after
        self._pending.extend(self._write(*event) for event in events)
        self._awake.set()

    def finish(self, status: Object) -> None:
        """End with an error."""
        self._pending.append(self._write("ERROR", status))
        self._end_now()

    def see(self, change: Change) -> None:
        """A write has happened."""
        if self._ended or change.version <= self._after:
            return
        event = event_of(self._selection, change)
        if event is None:
            return
        if len(self._pending) >= SLOWEST:
            self._end_now()
            return
        self._pending.append(self._write(*event))
        self._awake.set()

    def __aiter__(self) -> "Watch":
        return self

    async def __anext__(self) -> bytes:
        while not self._pending and not self._ended:
            await self._wait()
            now = self._loop.time()
            if now >= self._end:
                if self._bookmarks:
                    self._bookmark()
                self._end_now()
            elif self._bookmarks and now >= self._next_bookmark:
                self._bookmark()
        if not self._pending:
            raise StopAsyncIteration
        chunk = b"".join(self._pending)
        self._pending.clear()
        return chunk

    async def aclose(self) -> None:
        """The client has gone."""
        self._end_now()
        self._pending.clear()

    async def _wait(self) -> None:
        """Until there is something to say, to hear or to end."""
        self._awake.clear()
        until = min(self._end, self._next_bookmark) if self._bookmarks else self._end
        if self._timer is None or self._timer.when() != until:
            self._drop_timer()
            self._timer = self._loop.call_at(until, self._ring)
        await self._awake.wait()

    def _ring(self) -> None:
        self._timer = None  # the loop's time may still be a trifle before, and it must ring again
        self._awake.set()

    def _drop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _bookmark(self) -> None:
        """All that was written so far has been said, or stands before this."""
        self._pending.append(self._write("BOOKMARK", self._watches.bookmark(self.kind)))
        self._next_bookmark = self._loop.time() + BOOKMARK_EVERY

    def _end_now(self) -> None:
        if self._ended:
            return
        self._ended = True
        self._drop_timer()
        self._watches.forget(self)
        self._awake.set()


class Watches:
    """All watches that last."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._open: dict[Stored, dict[Watch, None]] = {}
        store.subscribe(self._see)

    def __len__(self) -> int:
        return sum(map(len, self._open.values()))

    def add(self, watch: Watch) -> None:
        """Tell a watch of every change from now on."""
        self._open.setdefault(watch.kind.stored, {})[watch] = None

    def forget(self, watch: Watch) -> None:
        """Tell a watch no more."""
        self._open.get(watch.kind.stored, {}).pop(watch, None)

    async def close(self) -> None:
        """End all watches, as a server does that stops."""
        for watches in list(self._open.values()):
            for watch in list(watches):
                await watch.aclose()

    def bookmark(self, kind: Kind, *, first: bool = False) -> Object:
        """The object of a bookmark: nothing but a version. ``first``: all that was is said."""
        metadata: Object = {"resourceVersion": str(self._store.version)}
        if first:
            metadata["annotations"] = {"k8s.io/initial-events-end": "true"}
        return {"kind": kind.kind, "apiVersion": kind.api_version, "metadata": metadata}

    def _see(self, change: Change) -> None:
        for watch in list(self._open.get(change.kind.stored, ())):
            watch.see(change)


def event_bytes(event: EventType, obj: bytes) -> bytes:
    """One line of a watch."""
    return b'{"type":"%b","object":%b}\n' % (event.encode(), obj)


def plain_event(event: EventType, obj: Object) -> bytes:
    """An event whose object is not one of the store."""
    return event_bytes(event, encoded(obj))
