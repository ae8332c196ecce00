"""The API over HTTP, by aiohttp: bytes to requests, answers to bytes.

aiohttp answers 500 by itself where a part of the twin fails, and goes on; a client that leaves ends
its request, and so its watch.
"""

import gzip
from typing import Protocol

import msgspec
from aiohttp import web
from multidict import CIMultiDict

from bridgehead.twin.api.answers import refusal
from bridgehead.twin.api.bodies import LARGEST, too_large
from bridgehead.twin.api.exchange import Answer, Request, Stream

_HEAD = 1 << 20
"""Bytes that a line of a request's head may have. Source: DefaultMaxHeaderBytes of net/http."""
_WORTH_GZIP = 128 * 1024
"""Bytes from which an answer is compressed for who asks. Source: responsewriters/writers.go."""
_LEVEL = 1


class Handles(Protocol):
    """Answers requests: an API, or what stands in front of one."""

    async def handle(self, request: Request) -> Answer | Stream:
        """The answer. Raises ConnectionError where there is none: the connection breaks."""


def server(api: Handles) -> web.Server:
    """Speaks HTTP for an API; call it for the protocol of a connection. Needs a running loop."""

    async def handle(message: web.BaseRequest) -> web.StreamResponse:
        return await _handle(api, message)

    # Bodies are taken as they come, as the real server does: a Content-Encoding means nothing.
    return web.Server(
        handle,
        handler_cancellation=True,
        access_log=None,
        auto_decompress=False,
        max_line_size=_HEAD,
        max_field_size=_HEAD,
    )


async def _handle(api: Handles, message: web.BaseRequest) -> web.StreamResponse:
    headers = tuple((name, _readable(value)) for name, value in message.headers.items())
    head = Request(
        method=message.method,
        path=message.path,
        query=tuple(message.query.items()),
        headers={name.lower(): value for name, value in headers},
        all_headers=headers,
    )
    body = await _body(message)
    if body is None:
        return _whole(message, refusal(too_large(), head))
    request = msgspec.structs.replace(head, body=body)
    try:
        answer = await api.handle(request)
    except ConnectionError:
        _hang_up(message)
        return web.Response()
    if isinstance(answer, Answer):
        return _whole(message, answer)
    return await _streamed(message, answer)


def _readable(value: str) -> str:
    """A header's value, with a question mark for every byte that is no character.

    aiohttp keeps such bytes as half characters, which no answer could repeat.
    """
    return value.encode("utf-8", "replace").decode()


async def _body(message: web.BaseRequest) -> bytes | None:
    """The body, or None where it is too large."""
    if not message.can_read_body:
        return b""
    found = bytearray()
    async for chunk in message.content.iter_any():
        found += chunk
        if len(found) > LARGEST:
            return None
    return bytes(found)


def _whole(message: web.BaseRequest, answer: Answer) -> web.Response:
    headers = CIMultiDict(answer.headers)
    headers["Content-Type"] = answer.content_type
    _warn(headers, answer.warnings)
    body = answer.body
    if len(body) > _WORTH_GZIP and "gzip" in message.headers.get("Accept-Encoding", ""):
        body = gzip.compress(body, _LEVEL, mtime=0)
        headers["Content-Encoding"] = "gzip"
        headers.add("Vary", "Accept-Encoding")
    response = web.Response(status=answer.status, body=body, headers=headers)
    if answer.status == 413:
        response.force_close()
    return response


def _warn(headers: CIMultiDict[str], warnings: tuple[str, ...]) -> None:
    for warning in warnings:
        quoted = warning.replace("\\", "\\\\").replace('"', '\\"')
        headers.add("Warning", f'299 - "{quoted}"')


async def _streamed(message: web.BaseRequest, stream: Stream) -> web.StreamResponse:
    headers = CIMultiDict(stream.headers)
    headers["Content-Type"] = stream.content_type
    response = web.StreamResponse(headers=headers)
    response.enable_chunked_encoding()
    try:
        await response.prepare(message)
        async for chunk in stream.chunks:
            await response.write(chunk)
        await response.write_eof()
    except ConnectionError:  # the client has gone, or the stream is meant to break
        _hang_up(message)
    finally:
        await stream.chunks.aclose()
    return response


def _hang_up(message: web.BaseRequest) -> None:
    if message.transport is not None:
        message.transport.abort()
