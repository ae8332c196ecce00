"""Client and server in one loop: whole answers, streams, breaks and refusals arrive as over TCP."""

import asyncio
import errno
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import aiohttp
import pytest
from aiohttp import web

from bridgehead.twin.virtual.connector import MemoryConnector
from tests.twin.virtually import virtually

BIG = bytes(range(256)) * 40_000


async def _answer(request: web.BaseRequest) -> web.StreamResponse:
    match request.path:
        case "/echo":
            return web.Response(body=await request.read())
        case "/big":
            return web.Response(body=BIG)
        case "/slow":
            await asyncio.sleep(120)
            return web.Response(text="late")
        case "/cut":
            stream = web.StreamResponse()
            await stream.prepare(request)
            await stream.write(b"half")
            assert request.transport is not None
            request.transport.abort()
            return stream
        case "/ticks":
            stream = web.StreamResponse()
            await stream.prepare(request)
            for number in range(3):
                await stream.write(b"%d\n" % number)
                await asyncio.sleep(10)
            return stream
    return web.Response(status=404)


@asynccontextmanager
async def _session(*, latency: float = 0.0) -> AsyncIterator[aiohttp.ClientSession]:
    server = web.Server(_answer, access_log=None)
    connector = MemoryConnector(server, latency=latency)
    async with aiohttp.ClientSession("http://twin", connector=connector) as session:
        yield session
    await server.shutdown()


@virtually
async def test_requests_are_answered_on_one_connection_after_the_other() -> None:
    async with _session() as session:
        for number in range(5):
            async with session.post("/echo", data=b"%d" % number) as response:
                assert await response.read() == b"%d" % number


@virtually
async def test_bodies_beyond_every_buffer_arrive_whole_both_ways() -> None:
    async with _session() as session:
        async with session.get("/big") as response:
            assert await response.read() == BIG
        async with session.post("/echo", data=BIG[: 1024 * 1024 - 1]) as response:
            assert await response.read() == BIG[: 1024 * 1024 - 1]


@virtually
async def test_a_reader_that_takes_its_time_gets_everything() -> None:
    async with _session() as session, session.get("/big") as response:
        got = 0
        async for chunk in response.content.iter_chunked(64 * 1024):
            await asyncio.sleep(1)
            got += len(chunk)
        assert got == len(BIG)


@virtually
async def test_a_stream_arrives_as_it_is_written() -> None:
    loop = asyncio.get_running_loop()
    async with _session() as session, session.get("/ticks") as response:
        seen = [(loop.time(), chunk) async for chunk in response.content.iter_any()]
    assert seen == [(0, b"0\n"), (10, b"1\n"), (20, b"2\n")]
    assert loop.time() == 30


@virtually
async def test_messages_take_their_time_where_the_network_is_slow() -> None:
    async with _session(latency=0.25) as session, session.get("/echo") as response:
        await response.read()
    assert asyncio.get_running_loop().time() >= 0.5


@virtually
async def test_a_timeout_ends_a_request_that_is_not_answered() -> None:
    loop = asyncio.get_running_loop()
    async with _session() as session:
        with pytest.raises(TimeoutError):
            async with session.get("/slow", timeout=aiohttp.ClientTimeout(total=30)):
                pass
        assert loop.time() == 30


@virtually
async def test_an_aborted_connection_is_an_error_in_the_middle_of_an_answer() -> None:
    async with _session() as session:
        with pytest.raises(aiohttp.ClientError):
            async with session.get("/cut") as response:
                await response.read()


@virtually
async def test_where_nobody_listens_the_connection_is_refused() -> None:
    def refuse() -> asyncio.Protocol:
        raise ConnectionRefusedError(errno.ECONNREFUSED, "Connection refused")

    async with aiohttp.ClientSession(connector=MemoryConnector(refuse)) as session:
        with pytest.raises(aiohttp.ClientConnectorError):
            await session.get("http://twin/")


@virtually
async def test_a_client_that_leaves_ends_the_servers_connection() -> None:
    gone = asyncio.Event()

    async def watch(request: web.BaseRequest) -> web.StreamResponse:
        stream = web.StreamResponse()
        await stream.prepare(request)
        try:
            while True:
                await stream.write(b"x")
                await asyncio.sleep(1)
        except ConnectionError:
            gone.set()
            raise

    server = web.Server(watch, access_log=None)
    async with aiohttp.ClientSession(connector=MemoryConnector(server)) as session:
        response = await session.get("http://twin/")
        assert await response.content.read(1) == b"x"
        response.close()
        await asyncio.wait_for(gone.wait(), 10)
    await server.shutdown()
