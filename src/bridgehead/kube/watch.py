"""A reflector: a list that stays current, through everything that happens to a connection.

It lists, then watches from the list's resourceVersion, and resumes from the last one that an event
or a bookmark named. When the server no longer knows that version (410, as an answer or as an event
inside the stream; Kubernetes documentation, "Efficient detection of changes"), it lists anew and
reports what vanished meanwhile as deleted.
"""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from types import MappingProxyType, TracebackType
from typing import Generic, Self, TypeVar

import msgspec

from bridgehead.kube.answers import Status, from_status
from bridgehead.kube.call import query
from bridgehead.kube.client import Kube
from bridgehead.kube.decoding import decode
from bridgehead.kube.errors import Gone, KubeError, Request, UnexpectedAnswer
from bridgehead.kube.objects.base import PartialObject
from bridgehead.kube.resources import Resource
from bridgehead.kube.watch_lines import LineSplitter
from bridgehead.kube.watch_store import Change, ObjectKey, Store, Watched

T = TypeVar("T", bound=Watched)


class WatchTiming(msgspec.Struct, frozen=True):
    """Bounds of a watch; all in seconds."""

    server_timeout: tuple[int, int] = (240, 300)
    """The server is asked to end the stream after a random time between these."""
    silence: float = 150.0
    """Without a byte for so long, a connection counts as dead. The API server sends a bookmark
    about once a minute (KEP-956; apiserver `cacher.go`, `defaultBookmarkFrequency`). Seen on
    1.37.2, on kinds without any change: the first after 60 to 120 s, then one every 60 s."""
    catch_up: float = 0.5
    """After a resumption the store stays stale for so long: what was missed arrives first."""
    back_off: tuple[float, float] = (0.2, 30.0)
    """First and longest wait before a new attempt; the wait doubles and is jittered."""
    healthy: float = 5.0
    """A stream that lived so long, or brought something, makes the next wait short again."""


class _Event(msgspec.Struct):
    type: str
    object: msgspec.Raw


class Reflector(Generic[T]):
    """Objects of one kind, kept current while the context is open.

    Entering waits for the first list and the first open stream, and raises what stands in the way
    (Forbidden for a missing `list` or `watch`). A later error that no repetition cures ends the
    watch and is raised by every property and by `changed()` from then on.

    `on_change` is called for every change, also for those found by comparing lists; `wake` is
    called whenever a reader should look again (changes, `stale`, an error), so that one loop can
    wait for several reflectors: give all of them the `set` of one `asyncio.Event`.
    """

    def __init__(
        self,
        kube: Kube,
        resource: Resource[T],
        namespace: str | None = None,
        label_selector: str | None = None,
        field_selector: str | None = None,
        *,
        on_change: Callable[[Change[T]], None] | None = None,
        wake: Callable[[], None] | None = None,
        timing: WatchTiming | None = None,
    ) -> None:
        self._kube = kube
        self._resource = resource
        self._namespace = namespace
        self._selectors = {"labelSelector": label_selector, "fieldSelector": field_selector}
        self._on_change = on_change
        self._wake = wake
        self._timing = timing or WatchTiming()
        self._request = Request("watch", resource.qualified, namespace or "")
        self._store: Store[T] = Store()
        self._version = ""
        self._stale = True
        self._failure: KubeError | None = None
        self._revision = 0
        self._changed = asyncio.Event()
        self._opened = asyncio.Event()
        self._eventful = False
        self._just_listed = False
        self._catching_up: asyncio.TimerHandle | None = None
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._run(), name=str(self._request))
        async with AsyncExitStack() as unless_open:
            unless_open.push_async_callback(self._stop)
            await self._opened.wait()
            self._raise_failure()
            unless_open.pop_all()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._stop()

    @property
    def objects(self) -> Mapping[ObjectKey, T]:
        """The objects as last heard; ask `stale` before trusting them."""
        self._raise_failure()
        return MappingProxyType(self._store.objects)

    @property
    def stale(self) -> bool:
        """Whether changes may be missing because no stream is open or it has just resumed.

        A connection that died silently is noticed after `WatchTiming.silence`.
        """
        self._raise_failure()
        return self._stale

    @property
    def resource_version(self) -> str:
        """The version up to which everything is known."""
        self._raise_failure()
        return self._version

    @property
    def revision(self) -> int:
        """Grows whenever objects or `stale` change; for `changed`."""
        self._raise_failure()
        return self._revision

    async def changed(self, since: int) -> int:
        """Wait until `revision` differs from `since`; returns the new one."""
        while self.revision == since:
            await self._changed.wait()
        return self.revision

    async def _run(self) -> None:
        try:
            await self._keep_current()
        except KubeError as error:
            self._failure = error
        finally:  # whatever ended the watch, no reader may wait for it any longer
            self._stale = True
            self._opened.set()
            self._announce()

    async def _keep_current(self) -> None:
        failures = 0
        clock = asyncio.get_running_loop().time
        while True:
            started = clock()
            self._eventful = False
            try:
                if not self._version:
                    await self._list()
                await self._watch()
            except Gone:
                self._version = ""
            except KubeError as error:
                if not error.retryable:
                    raise
            finally:
                self._mark_stale()
            lived = clock() - started
            failures = 0 if self._eventful or lived >= self._timing.healthy else failures + 1
            await asyncio.sleep(self._pause(failures))

    def _pause(self, failures: int) -> float:
        first, longest = self._timing.back_off
        wait = min(longest, first * 2.0 ** min(failures, 20))
        return wait * (0.5 + self._kube.chance.random() / 2)

    async def _list(self) -> None:
        listing = await self._kube.list(
            self._resource,
            self._namespace,
            self._selectors["labelSelector"],
            self._selectors["fieldSelector"],
        )
        self._version = listing.resource_version
        self._just_listed = True
        for change in self._store.replace(listing.items):
            self._report(change)
        self._announce()

    async def _watch(self) -> None:
        """One stream, until it ends."""
        options = query(
            resourceVersion=self._version,
            allowWatchBookmarks="true",
            timeoutSeconds=self._kube.chance.randint(*self._timing.server_timeout),
            **self._selectors,
        )
        stream = self._kube.watch_stream(
            self._resource, self._namespace, options, silence=self._timing.silence
        )
        async with stream as chunks:
            self._mark_open()
            splitter = LineSplitter()
            async for chunk in chunks:
                for line in splitter.feed(chunk):
                    self._take(line)

    def _take(self, line: bytes) -> None:
        event = decode(line, _Event, str(self._request))
        body = bytes(event.object)
        self._eventful = True
        if event.type == "ERROR":
            status = decode(body, Status, str(self._request))
            raise from_status(self._request, status.code, status)
        if event.type == "BOOKMARK":
            self._version = decode(body, PartialObject, "bookmark").metadata.resource_version
            return
        if event.type not in ("ADDED", "MODIFIED", "DELETED"):
            raise UnexpectedAnswer(f"{self._request}: an event of the unknown type {event.type!r}")
        item = decode(body, self._resource.type, str(self._request))
        self._version = item.metadata.resource_version
        removed = event.type == "DELETED"
        self._report(self._store.remove(item) if removed else self._store.put(item))
        self._announce()

    def _mark_open(self) -> None:
        if self._just_listed:
            self._mark_fresh()
        else:
            loop = asyncio.get_running_loop()
            self._catching_up = loop.call_later(self._timing.catch_up, self._mark_fresh)
        self._just_listed = False
        self._opened.set()

    def _mark_fresh(self) -> None:
        self._stale = False
        self._announce()

    def _mark_stale(self) -> None:
        self._just_listed = False
        if self._catching_up is not None:
            self._catching_up.cancel()
        if not self._stale:
            self._stale = True
            self._announce()

    def _report(self, change: Change[T]) -> None:
        if self._on_change is not None:
            self._on_change(change)

    def _announce(self) -> None:
        self._revision += 1
        self._changed.set()
        self._changed = asyncio.Event()
        if self._wake is not None:
            self._wake()

    def _raise_failure(self) -> None:
        if self._failure is not None:
            raise self._failure
        if self._task is not None and self._task.done():
            self._task.result()

    async def _stop(self) -> None:
        if self._task is None:
            return
        self._task.cancel()
        await asyncio.wait([self._task])
        if not self._task.cancelled() and (error := self._task.exception()) is not None:
            raise error
