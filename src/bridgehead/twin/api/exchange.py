"""One request and its answer as values, so that no part of the API knows of sockets."""

from collections.abc import AsyncIterator, Awaitable, Mapping
from typing import Protocol

import msgspec


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """What a client asks."""

    method: str
    path: str
    """Decoded, without the query."""
    query: tuple[tuple[str, str], ...] = ()
    headers: Mapping[str, str] = {}
    """Names in lower case."""
    all_headers: tuple[tuple[str, str], ...] = ()
    """Each as it came, also those that came several times; empty where all came once."""
    body: bytes = b""


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """A whole answer."""

    status: int = 200
    body: bytes = b""
    content_type: str = "application/json"
    headers: Mapping[str, str] = {}
    warnings: tuple[str, ...] = ()
    """Said to the client beside the answer, each in a ``Warning`` header of its own."""


class Chunks(Protocol):
    """Bytes that come as time goes on; any asynchronous generator is such."""

    def __aiter__(self) -> AsyncIterator[bytes]: ...

    def __anext__(self) -> Awaitable[bytes]:
        """The next bytes, or StopAsyncIteration at the end."""
        ...

    def aclose(self) -> Awaitable[None]:
        """The client has gone, or the server ends; also where nothing was asked of it yet."""
        ...


class Stream(msgspec.Struct, frozen=True, kw_only=True):
    """An answer that goes on: a watch, a log that is followed."""

    chunks: Chunks
    content_type: str = "application/json"
    headers: Mapping[str, str] = {}
