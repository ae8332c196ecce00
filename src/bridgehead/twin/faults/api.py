"""Trouble between a client and the API: it comes before the API itself, which knows nothing of it.

Only what comes over HTTP has it; the twin's own controllers do not.
"""

import asyncio
import errno
import random
from collections.abc import Awaitable, Callable
from typing import Any

from bridgehead.twin.api.answers import refusal
from bridgehead.twin.api.exchange import Answer, Chunks, Request, Stream
from bridgehead.twin.errors import ApiError
from bridgehead.twin.faults.fault import ApiTrouble
from bridgehead.twin.objects import at, with_field
from bridgehead.twin.registry import Registry

_TOUCHED = ("metadata", "annotations", "twin.bridgehead.dev/written-by-somebody-else")
_NODES = "/api/v1/nodes/"

_REASONS = {
    429: ("TooManyRequests", "the server has received too many requests, please try again later"),
    500: ("InternalError", "an error on the server has prevented the request from succeeding"),
    503: ("ServiceUnavailable", "the server is currently unable to handle the request"),
    504: ("Timeout", "the server was unable to return a response in the time allotted"),
}

Handle = Callable[[Request], Awaitable[Answer | Stream]]


class TroubledApi:
    """An API with trouble in front of it."""

    def __init__(self, handle: Handle, registry: Registry, chance: random.Random) -> None:
        """``handle`` is the API's own; ``chance`` says whom a share of the requests meets."""
        self._handle = handle
        self._registry = registry
        self._chance = chance
        self._trouble = ApiTrouble()
        self._hung_up: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._away = False
        self._written = 0

    def begin(self, trouble: ApiTrouble) -> None:
        """Have this trouble from now on."""
        self._trouble = trouble
        if trouble.away is not None:
            lasts, after = trouble.away
            self._registry.clock.after(after, self._leave)
            self._registry.clock.after(after + lasts, self._return)

    def end(self) -> None:
        """Have no trouble any more."""
        self._trouble = ApiTrouble()
        self._return()

    def accept(self, protocol: Callable[[], asyncio.Protocol]) -> Callable[[], asyncio.Protocol]:
        """The server's end of new connections; refused while nobody listens."""

        def accepted() -> asyncio.Protocol:
            if self._away:
                raise ConnectionRefusedError(errno.ECONNREFUSED, "Connection refused")
            return protocol()

        return accepted

    async def handle(self, request: Request) -> Answer | Stream:
        """Answer, late or otherwise. Raises ConnectionResetError where it hangs up instead."""
        trouble = self._trouble
        if trouble.latency:
            await asyncio.sleep(trouble.latency / self._registry.clock.speed)
        if self._away:
            raise ConnectionResetError(errno.ECONNRESET, "Connection reset by peer")
        if trouble.error is not None and self._chance.random() < trouble.error.share:
            return refusal(_error(trouble.error.status), request)
        if trouble.conflict and self._chance.random() < trouble.conflict:
            self._write_before(request)
        answer = await self._handle(request)
        if isinstance(answer, Stream):
            lasts = trouble.watch_break / self._registry.clock.speed
            return Stream(
                chunks=_Breaking(answer.chunks, lasts, self._hung_up, self._broken),
                content_type=answer.content_type,
                headers=answer.headers,
            )
        return answer

    def _broken(self) -> None:
        if self._trouble.watch_gone:
            self._registry.store.compact()

    def _write_before(self, request: Request) -> None:
        """Somebody else writes the node that is about to be written."""
        if request.method not in {"PATCH", "PUT"} or not request.path.startswith(_NODES):
            return
        kind = self._registry.kinds.named("", "nodes")
        name = request.path.removeprefix(_NODES)
        node = self._registry.store.get(kind.stored, "", name)
        if node is not None:
            self._written += 1
            annotations = {**(at(node, *_TOUCHED[:2]) or {}), _TOUCHED[2]: str(self._written)}
            self._registry.update(kind, with_field(node, _TOUCHED[:2], annotations))

    def _leave(self) -> None:
        if self._trouble.away is not None and not self._away:  # else it has ended meanwhile
            self._away = True
            self._hung_up.set_result(None)

    def _return(self) -> None:
        if self._away:
            self._away = False
            self._hung_up = asyncio.get_running_loop().create_future()


class _Breaking:
    """A stream's bytes, until its connection breaks (``exchange.Chunks``)."""

    def __init__(
        self,
        chunks: Chunks,
        lasts: float,
        hung_up: asyncio.Future[None],
        broken: Callable[[], None],
    ) -> None:
        """``lasts``: seconds of the event loop's time, 0 for no end."""
        self._chunks = chunks
        self._loop = asyncio.get_running_loop()
        self._until = self._loop.time() + lasts if lasts else None
        self._hung_up = hung_up
        self._broken = broken

    def __aiter__(self) -> "_Breaking":
        return self

    async def __anext__(self) -> bytes:
        left = None if self._until is None else self._until - self._loop.time()
        coming = asyncio.ensure_future(_next(self._chunks))
        either: set[asyncio.Future[Any]] = {coming, self._hung_up}
        try:
            await asyncio.wait(either, timeout=left, return_when=asyncio.FIRST_COMPLETED)
        finally:
            if not coming.done():
                coming.cancel()
        if not coming.done():
            self._broken()
            raise ConnectionResetError(errno.ECONNRESET, "Connection reset by peer")
        chunk = coming.result()
        if chunk is None:
            raise StopAsyncIteration
        return chunk

    async def aclose(self) -> None:
        """The client has gone."""
        await self._chunks.aclose()


async def _next(chunks: Chunks) -> bytes | None:
    """The next bytes; None at the end, which an awaited task cannot tell otherwise."""
    try:
        return await anext(chunks)
    except StopAsyncIteration:
        return None


def _error(status: int) -> ApiError:
    reason, message = _REASONS.get(status, ("", "an error"))
    headers = {"Retry-After": "1"} if status == 429 else {}
    return ApiError(status, reason, message, headers=headers)
