"""One request and its answer as values, so that no part of the API knows of sockets."""

from collections.abc import AsyncIterator, Mapping

import msgspec


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """What a client asks."""

    method: str
    path: str
    """Decoded, without the query."""
    query: tuple[tuple[str, str], ...] = ()
    headers: Mapping[str, str] = {}
    """Names in lower case."""
    body: bytes = b""


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """A whole answer."""

    status: int = 200
    body: bytes = b""
    content_type: str = "application/json"
    headers: Mapping[str, str] = {}


class Stream(msgspec.Struct, frozen=True, kw_only=True):
    """An answer that goes on: a watch, a log that is followed."""

    chunks: AsyncIterator[bytes]
    content_type: str = "application/json"
