"""A server that answers as a test says and records what arrived. Real sockets, real TLS."""

import asyncio
import json
import ssl
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Self

import msgspec
from aiohttp import web

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Seen(msgspec.Struct):
    """A request as it arrived."""

    method: str
    path: str
    query: dict[str, str]
    headers: Mapping[str, str]
    body: bytes
    peer_certificate: Mapping[str, Any] | None
    groups: list[str]

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def token(self) -> str | None:
        return self.headers.get("Authorization")

    @property
    def peer(self) -> str | None:
        """Common name of the client certificate."""
        if not self.peer_certificate:
            return None
        subject = dict(part[0] for part in self.peer_certificate["subject"])
        return str(subject["commonName"])


class ScriptedServer:
    """Answers every request with `handler`."""

    def __init__(self, tls: ssl.SSLContext | None = None, host: str = "127.0.0.1") -> None:
        self.seen: list[Seen] = []
        self.handler: Handler = version
        self._tls = tls
        self._host = host
        self._port = 0

    @property
    def url(self) -> str:
        return f"{'https' if self._tls else 'http'}://{self._host}:{self._port}"

    async def __aenter__(self) -> Self:
        self._runner = web.ServerRunner(web.Server(self._answer), shutdown_timeout=0.1)
        await self._runner.setup()
        await self.listen()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._runner.cleanup()

    async def listen(self) -> None:
        """Listen, on the same port as before if there was one."""
        self._site = web.TCPSite(self._runner, self._host, self._port, ssl_context=self._tls)
        await self._site.start()
        if not self._port:
            self._port = self._runner.addresses[0][1]

    async def deafen(self) -> None:
        """Stop listening; the port stays known."""
        await self._site.stop()

    async def _answer(self, request: web.BaseRequest) -> web.StreamResponse:
        transport = request.transport
        self.seen.append(
            Seen(
                method=request.method,
                path=request.path,
                query=dict(request.query),
                headers=request.headers,
                body=await request.read(),
                peer_certificate=transport.get_extra_info("peercert") if transport else None,
                groups=request.headers.getall("Impersonate-Group", []),
            )
        )
        return await self.handler(request)  # type: ignore[arg-type]


async def version(request: web.BaseRequest) -> web.StreamResponse:
    """The answer to `GET /version`, for tests that only want some answer."""
    return web.json_response({"major": "1", "minor": "37", "gitVersion": "v1.37.2"})


def status(code: int, reason: str, message: str, **details: Any) -> web.Response:
    """A refusal as the API server writes it."""
    body = {
        "kind": "Status",
        "apiVersion": "v1",
        "status": "Failure",
        "message": message,
        "reason": reason,
        "details": details,
        "code": code,
    }
    return web.json_response(body, status=code)


def script(*answers: web.Response | Handler) -> Handler:
    """Answers one after the other; the last one for ever."""
    left = list(answers)

    async def handler(request: web.Request) -> web.StreamResponse:
        answer = left.pop(0) if len(left) > 1 else left[0]
        if isinstance(answer, web.Response):
            # A response object serves one request only.
            return web.Response(status=answer.status, body=answer.body, headers=answer.headers)
        return await answer(request)

    return handler


async def hang_up(request: web.Request) -> web.StreamResponse:
    """Close the connection without an answer."""
    assert request.transport is not None
    request.transport.abort()
    await asyncio.sleep(0)
    return web.Response()


async def until(condition: Callable[[], bool], limit: float = 10.0) -> None:
    """Wait for a condition; a test fails when it does not come true in time."""
    async with asyncio.timeout(limit):
        while not condition():  # noqa: ASYNC110 - conditions of code that knows no event
            await asyncio.sleep(0.005)
