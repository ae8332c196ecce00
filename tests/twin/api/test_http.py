"""The API over real sockets: connections that break, bodies of any kind, forms of transport."""

import asyncio
import gzip
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import aiohttp
import msgspec
import pytest
from aiohttp import web

from bridgehead.twin.api.bodies import LARGEST
from bridgehead.twin.api.http import server
from bridgehead.twin.api.service import Api
from bridgehead.twin.twin import Twin
from tests.twin.api.asking import api_of, bare_registry
from tests.twin.virtually import START

MAPS = "/api/v1/namespaces/default/configmaps"
TOKEN = "of-the-administrator"
WATCH = f"GET {MAPS}?watch=1 HTTP/1.1\r\nHost: x\r\n\r\n".encode()


@asynccontextmanager
async def _served(*, guarded: bool = False) -> AsyncIterator[tuple[Api, int]]:
    api = api_of(bare_registry())
    if guarded:
        api = Twin(start=START, administrator=TOKEN).api
    runner = web.ServerRunner(server(api), shutdown_timeout=1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield api, runner.addresses[0][1]
    finally:
        await api.close()
        await runner.cleanup()


async def _until_watches(api: Api, number: int) -> None:
    async with asyncio.timeout(10):
        while len(api.watches) != number:  # noqa: ASYNC110 - it tells nobody
            await asyncio.sleep(0.01)


async def _is_alive(port: int) -> bool:
    async with aiohttp.ClientSession() as session:
        answer = await session.get(f"http://127.0.0.1:{port}/readyz")
        return await answer.text() == "ok"


async def test_a_watch_ends_when_its_client_half_closes_the_connection() -> None:
    async with _served() as (api, port):
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(WATCH)
        await _until_watches(api, 1)
        writer.write_eof()
        await _until_watches(api, 0)
        writer.close()
        assert await _is_alive(port)


async def test_watches_of_clients_that_vanish_do_not_stay() -> None:
    async with _served() as (api, port):
        writers = []
        for _ in range(50):
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(WATCH)
            writers.append(writer)
        await _until_watches(api, 50)
        for writer in writers:
            writer.transport.abort()
        await _until_watches(api, 0)
        assert await _is_alive(port)


async def test_a_watch_goes_on_while_its_client_is_there() -> None:
    async with _served() as (api, port), aiohttp.ClientSession() as session:
        url = f"http://127.0.0.1:{port}{MAPS}"
        async with session.get(f"{url}?watch=1") as watch:
            for number in range(3):
                await session.post(url, json={"metadata": {"name": f"m{number}"}})
                event = msgspec.json.decode(await watch.content.readline())
                assert event["object"]["metadata"]["name"] == f"m{number}"
        await _until_watches(api, 0)


async def test_the_end_of_the_server_ends_every_watch() -> None:
    async with _served() as (api, port), aiohttp.ClientSession() as session:
        watch = await session.get(f"http://127.0.0.1:{port}{MAPS}?watch=1")
        await _until_watches(api, 1)
        await api.close()
        assert await watch.content.read() == b""


BROKEN = [
    b"POST " + MAPS.encode() + b" HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{",
    b"POST " + MAPS.encode() + b" HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
    b"GET / HTTP/1.1\r\nHost: x\r\n" + b"X: " + b"y" * 100_000 + b"\r\n\r\n",
    b"GET\r\n\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc",
    b"POST " + MAPS.encode() + b" HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
    b"GET /%zz HTTP/1.1\r\nHost: x\r\n\r\n",
]


@pytest.mark.parametrize("sent", BROKEN)
async def test_what_is_no_request_ends_the_connection_and_nothing_else(sent: bytes) -> None:
    async with _served() as (_, port):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(sent)
        writer.write_eof()
        async with asyncio.timeout(10):
            await reader.read()
        writer.close()
        assert await _is_alive(port)


@pytest.mark.parametrize("header", ["Authorization: Bearer", "Impersonate-User:", "Content-Type:"])
async def test_bytes_in_a_header_that_are_no_text_are_answered_by_a_status(header: str) -> None:
    async with _served(guarded=True) as (_, port):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        extra = "" if header.startswith("Auth") else f"Authorization: Bearer {TOKEN}\r\n"
        usual = "Host: x\r\nConnection: close\r\nContent-Length: 2"
        head = f"POST {MAPS} HTTP/1.1\r\n{usual}\r\n{extra}{header} "
        writer.write(head.encode() + b"\xff\xfe\r\n\r\n{}")
        async with asyncio.timeout(10):
            answer = await reader.read()
        writer.close()
        status = msgspec.json.decode(answer.partition(b"\r\n\r\n")[2])
        assert (status["kind"], status["code"] // 100) == ("Status", 4)


@pytest.mark.parametrize("chunked", [False, True])
async def test_a_body_beyond_the_limit_is_refused_before_it_is_read_to_its_end(
    chunked: bool,
) -> None:
    async with _served() as (_, port):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        size = b"Transfer-Encoding: chunked" if chunked else b"Content-Length: 1000000000"
        writer.write(b"POST " + MAPS.encode() + b" HTTP/1.1\r\nHost: x\r\n" + size + b"\r\n\r\n")
        piece = b" " * 65_536
        for _ in range(LARGEST // len(piece) + 2):
            writer.write(b"%x\r\n%b\r\n" % (len(piece), piece) if chunked else piece)
        async with asyncio.timeout(10):
            head = await reader.readuntil(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 413 ")
        writer.close()
        assert await _is_alive(port)


async def test_big_answers_are_compressed_for_who_asks() -> None:
    async with _served() as (_, port):
        url = f"http://127.0.0.1:{port}{MAPS}"
        async with aiohttp.ClientSession(auto_decompress=False) as session:
            await session.post(url, json={"metadata": {"name": "m"}, "data": {"a": "x" * 200_000}})
            asked = await session.get(url, headers={"Accept-Encoding": "gzip"})
            plain = await session.get(url, headers={"Accept-Encoding": "identity"})
            small = await session.get(
                f"{url}?limit=1&labelSelector=no", headers={"Accept-Encoding": "gzip"}
            )
            assert asked.headers["Content-Encoding"] == "gzip"
            assert gzip.decompress(await asked.read()) == await plain.read()
            assert "Content-Encoding" not in small.headers


async def test_warnings_come_as_headers_and_head_has_no_body() -> None:
    async with _served() as (_, port), aiohttp.ClientSession() as session:
        root = f"http://127.0.0.1:{port}/api/v1"
        listed = await session.get(f"{root}/componentstatuses")
        assert listed.headers["Warning"] == '299 - "v1 ComponentStatus is deprecated in v1.19+"'
        head = await session.head(f"{root}/namespaces")
        assert (head.status, await head.read()) == (405, b"")


async def test_a_content_encoding_means_nothing_as_bodies_are_never_compressed() -> None:
    async with _served() as (_, port), aiohttp.ClientSession() as session:
        answer = await session.post(
            f"http://127.0.0.1:{port}{MAPS}",
            data=b"xx",
            headers={"Content-Encoding": "gzip", "Content-Type": "application/json"},
        )
        status = await answer.json()
        assert (answer.status, status["reason"]) == (400, "BadRequest")


async def test_long_paths_and_headers_are_answered_by_the_api_itself() -> None:
    async with _served() as (_, port), aiohttp.ClientSession() as session:
        long = "a" * 60_000
        answer = await session.get(f"http://127.0.0.1:{port}{MAPS}/{long}", headers={"X": long})
        assert (answer.status, (await answer.json())["reason"]) == (404, "NotFound")
