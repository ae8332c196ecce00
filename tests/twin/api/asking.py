"""Asks an API without a server in between."""

import asyncio
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl

import msgspec

from bridgehead.twin.api.exchange import Answer, Chunks, Request, Stream
from bridgehead.twin.api.service import Api
from bridgehead.twin.clock import Clock
from bridgehead.twin.identifiers import Identifiers
from bridgehead.twin.kinds import Kinds
from bridgehead.twin.objects import Object
from bridgehead.twin.registry import DeleteOptions, Registry
from bridgehead.twin.schema.builtin import builtin_kinds
from bridgehead.twin.store import Store

JSON = "application/json"
MERGE = "application/merge-patch+json"
START = 1_800_000_000.0


def bare_registry(seed: int = 1) -> Registry:
    """A registry that lets everything in as it is; needs a running loop."""
    return Registry(
        Kinds(builtin_kinds()),
        Store(),
        Clock(start=START),
        Identifiers(seed),
        lambda attempt: attempt.object,
    )


def api_of(registry: Registry) -> Api:
    """An API whose evictions are deletions."""
    return Api(registry, evict=_evict)


def _evict(
    registry: Registry, namespace: str, name: str, options: DeleteOptions, dry_run: bool
) -> None:
    registry.delete(registry.kinds.named("", "pods"), namespace, name, options, dry_run=dry_run)


class Client:
    """What a test asks with."""

    def __init__(self, api: Api, token: str = "") -> None:
        self.api = api
        self._own = {"authorization": f"Bearer {token}"} if token else {}

    async def raw(
        self,
        method: str,
        url: str,
        body: bytes = b"",
        headers: Mapping[str, str] | None = None,
    ) -> Answer | Stream:
        """Whatever comes."""
        path, _, query = url.partition("?")
        return await self.api.handle(
            Request(
                method=method,
                path=path,
                query=tuple(parse_qsl(query, keep_blank_values=True)),
                headers={**self._own, **(headers or {})},
                body=body,
            )
        )

    async def ask(
        self,
        method: str,
        url: str,
        value: Any = None,
        *,
        content_type: str = JSON,
        accept: str = "",
    ) -> Object:
        """The decoded answer, a refusal included."""
        headers = {"content-type": content_type} if value is not None else {}
        if accept:
            headers["accept"] = accept
        body = value if isinstance(value, bytes) else msgspec.json.encode(value)
        answer = await self.raw(method, url, b"" if value is None else body, headers)
        assert isinstance(answer, Answer), url
        decoded: Object = msgspec.json.decode(answer.body)
        return decoded

    async def get(self, url: str) -> Object:
        """The decoded answer."""
        return await self.ask("GET", url)

    async def watch(self, url: str) -> Chunks:
        """A watch."""
        answer = await self.raw("GET", url)
        assert isinstance(answer, Stream), answer
        return answer.chunks


def events_of(chunk: bytes) -> list[Object]:
    """The events in bytes of a watch."""
    return [msgspec.json.decode(line) for line in chunk.splitlines()]


class Reader:
    """Reads a watch in the background."""

    def __init__(self, chunks: Chunks) -> None:
        self.chunks = chunks
        self.events: list[Object] = []
        self.task = asyncio.create_task(self._read())

    async def _read(self) -> None:
        async for chunk in self.chunks:
            self.events += events_of(chunk)

    async def close(self) -> None:
        """As a client that goes."""
        self.task.cancel()
        await asyncio.gather(self.task, return_exceptions=True)
        await self.chunks.aclose()


async def settle() -> None:
    """Let everybody read what is there."""
    for _ in range(5):
        await asyncio.sleep(0)
