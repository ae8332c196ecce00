"""Simulated time: it passes only when nobody has anything to do, and no thread comes into it."""

import asyncio
import socket
import threading
import time

import pytest

from bridgehead.twin.virtual.loop import NothingLeftError, ThreadError, VirtualLoop, run_virtual
from tests.twin.virtually import START, virtually


@virtually
async def test_an_hour_passes_at_once() -> None:
    loop = asyncio.get_running_loop()
    began = time.monotonic()
    await asyncio.sleep(3600)
    assert loop.time() == 3600
    assert isinstance(loop, VirtualLoop)
    assert loop.now() == START + 3600
    assert time.monotonic() - began < 1


@virtually
async def test_sleepers_wake_in_the_order_of_their_time() -> None:
    woken: list[tuple[float, str]] = []

    async def sleeper(name: str, seconds: float) -> None:
        await asyncio.sleep(seconds)
        woken.append((asyncio.get_running_loop().time(), name))

    await asyncio.gather(sleeper("c", 86400.5), sleeper("a", 0.1), sleeper("b", 3))
    assert woken == [(0.1, "a"), (3, "b"), (86400.5, "c")]


@virtually
async def test_a_timeout_is_simulated_too() -> None:
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(600):
            await asyncio.Event().wait()
    assert asyncio.get_running_loop().time() == 600


@virtually
async def test_work_takes_no_time() -> None:
    for _ in range(1000):
        await asyncio.sleep(0)
    assert asyncio.get_running_loop().time() == 0


def test_waiting_for_what_never_comes_is_an_error_that_names_who_waits() -> None:
    async def forever() -> None:
        asyncio.current_task().set_name("the lonely one")  # type: ignore[union-attr]
        await asyncio.Event().wait()

    with pytest.raises(NothingLeftError, match="the lonely one"):
        run_virtual(forever(), start=START)


@virtually
async def test_threads_are_refused() -> None:
    with pytest.raises(ThreadError, match="a thread for"):
        await asyncio.to_thread(time.sleep, 0)


@virtually
async def test_nothing_comes_in_from_another_thread() -> None:
    loop = asyncio.get_running_loop()
    raised: list[BaseException] = []

    def intrude() -> None:
        try:
            loop.call_soon_threadsafe(print)
        except ThreadError as error:
            raised.append(error)

    thread = threading.Thread(target=intrude)
    thread.start()
    thread.join()
    assert len(raised) == 1


@virtually
async def test_a_real_socket_that_is_ready_comes_before_the_clock_jumps() -> None:
    loop = asyncio.get_running_loop()
    near, far = socket.socketpair()
    with near, far:
        near.setblocking(False)
        far.sendall(b"here")
        assert await asyncio.wait_for(loop.sock_recv(near, 10), 5) == b"here"
    assert loop.time() == 0


def test_a_result_comes_back_and_an_error_too() -> None:
    async def seven() -> int:
        await asyncio.sleep(1)
        return 7

    async def broken() -> None:
        raise ValueError("broken")

    assert run_virtual(seven(), start=0) == 7
    with pytest.raises(ValueError, match="broken"):
        run_virtual(broken(), start=0)
