"""A server of lists and watches, each watch scripted by the test."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

from aiohttp import web

from bridgehead.kube.objects.pod import Pod
from bridgehead.kube.watch import Reflector, WatchTiming
from bridgehead.kube.watch_store import Change
from tests.kube.scripted import Handler, ScriptedServer, until

QUICK = WatchTiming(silence=5.0, catch_up=0.01, back_off=(0.01, 0.05))


def pod(name: str, version: int, **spec: Any) -> dict[str, Any]:
    metadata = {
        "name": name,
        "namespace": "n",
        "uid": f"uid-{name}",
        "resourceVersion": str(version),
    }
    return {"metadata": metadata, "spec": spec}


def event(what: str, body: dict[str, Any]) -> bytes:
    return json.dumps({"type": what, "object": body}).encode() + b"\n"


def bookmark(version: int) -> bytes:
    return event("BOOKMARK", {"kind": "Pod", "metadata": {"resourceVersion": str(version)}})


class Cluster:
    """Serves lists and watches of pods; each watch is one function of the test's."""

    def __init__(self, server: ScriptedServer) -> None:
        self.server = server
        self.lists: list[list[dict[str, Any]]] = [[]]
        self.version = 100
        self.watches: list[Handler] = []
        server.handler = self.answer

    async def answer(self, request: web.Request) -> web.StreamResponse:
        if "watch" not in request.query:
            items = self.lists.pop(0) if len(self.lists) > 1 else self.lists[0]
            metadata = {"resourceVersion": str(self.version)}
            return web.json_response({"metadata": metadata, "items": items})
        handler = self.watches.pop(0) if self.watches else quiet
        return await handler(request)

    @property
    def watched_from(self) -> list[str]:
        """The resourceVersions that watches started from."""
        return [seen.query["resourceVersion"] for seen in self.server.seen if "watch" in seen.query]

    @property
    def listed(self) -> int:
        return sum("watch" not in seen.query for seen in self.server.seen)


def stream(
    *chunks: bytes,
    after: asyncio.Event | None = None,
    then: Callable[[web.Request], object] | None = None,
) -> Handler:
    """A watch that brings these bytes, when `after` is set, and ends, cleanly or by `then`."""

    async def handler(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        response.enable_chunked_encoding()
        await response.prepare(request)
        if after is not None:
            await after.wait()
        for chunk in chunks:
            await response.write(chunk)
        if then is not None:
            then(request)
            await asyncio.sleep(0)
        return response

    return handler


async def follow(pods: Reflector[Pod]) -> None:
    """Read on until the watch has failed."""
    since = -1
    while True:
        since = await pods.changed(since)


async def quiet(request: web.Request) -> web.StreamResponse:
    """A watch on which nothing happens until the client leaves."""
    response = web.StreamResponse()
    await response.prepare(request)
    await until(lambda: request.transport is None or request.transport.is_closing(), 60)
    return response


def reset(request: web.Request) -> None:
    assert request.transport is not None
    request.transport.abort()


class Log:
    """What a reflector reported, as `what name`."""

    def __init__(self) -> None:
        self.changes: list[str] = []

    def __call__(self, change: Change[Pod]) -> None:
        self.changes.append(f"{change.what} {change.object.metadata.name}")
