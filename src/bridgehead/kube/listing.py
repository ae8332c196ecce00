"""Reads lists page by page, decoding one page while the server prepares the next."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

import msgspec

from bridgehead.kube.decoding import collector_paused, decode
from bridgehead.kube.errors import Gone

T = TypeVar("T")

_RESTARTS = 2
"""Fresh starts after an expired continue token, before everything is asked for in one answer."""
_HEAD = 16_384
"""Bytes among which the items of a list begin; its metadata is far shorter."""


class Listing(msgspec.Struct, Generic[T], frozen=True):
    """All objects of one list, all of the same moment, which `resource_version` names."""

    items: tuple[T, ...]
    resource_version: str


class _ListMeta(
    msgspec.Struct,
    frozen=True,
    rename={"resource_version": "resourceVersion", "token": "continue"},
):
    resource_version: str = ""
    token: str = ""


class _Head(msgspec.Struct):
    metadata: _ListMeta | None = None


class Page(msgspec.Struct, Generic[T]):
    """Items of one answer."""

    items: list[T] | None = None


Fetch = Callable[[int, str], Awaitable[bytes]]
"""Fetches a page: at most so many items (0 = all), from this continue token on."""


U = TypeVar("U")


async def read_each(
    fetch: Fetch, each: Callable[[msgspec.Raw], U], *, page: int, named: str
) -> Listing[U]:
    """What ``each`` makes of the items, page by page: no more than a page is held as it came."""
    for size in (page,) * _RESTARTS:
        try:
            return await _read_pages(fetch, msgspec.Raw, size, named, each)
        except Gone as error:
            if error.request.verb != "list":
                raise
    return await _read_pages(fetch, msgspec.Raw, 0, named, each)


async def read_list(fetch: Fetch, kind: type[T], *, page: int, named: str) -> Listing[T]:
    """All items, in a consistent state.

    A continue token lives about five minutes (etcd compaction). The token that a 410 offers would
    mix two states of the cluster, so the list starts again; as client-go's pager does, in the end
    it is asked for whole.
    """
    for size in (page,) * _RESTARTS:
        try:
            return await _read_pages(fetch, kind, size, named, _itself)
        except Gone as error:
            if error.request.verb != "list":
                raise
    return await _read_pages(fetch, kind, 0, named, _itself)


def _itself(item: T) -> T:
    return item


async def _read_pages(
    fetch: Fetch, kind: type[T], size: int, named: str, each: Callable[[T], U]
) -> Listing[U]:
    items: list[U] = []
    body = await fetch(size, "")
    while True:
        head = _head(body, named)
        following = asyncio.ensure_future(fetch(size, head.token)) if head.token else None
        try:
            await asyncio.sleep(0)  # lets the next request leave before we decode
            with collector_paused():
                found: list[T] = decode(body, Page[kind], named).items or []  # type: ignore[valid-type]
                items.extend(map(each, found))
            if following is None:
                return Listing(tuple(items), head.resource_version)
            body = await following
        finally:
            if following is not None and not following.done():
                following.cancel()


def _head(body: bytes, named: str) -> _ListMeta:
    """Metadata of a list; Go writes it before the items, so that they need not be walked."""
    end = body.find(b'"items":', 0, _HEAD)
    head = None
    if end >= 0:
        with contextlib.suppress(msgspec.DecodeError):
            head = msgspec.json.decode(body[:end] + b'"items":[]}', type=_Head).metadata
    return head or decode(body, _Head, named).metadata or _ListMeta()
