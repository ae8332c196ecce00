"""A controller's queue: changes close together are one, refused work comes again."""

import asyncio
from itertools import pairwise

from bridgehead.twin.clock import Clock
from bridgehead.twin.errors import bad_request
from bridgehead.twin.queue import FIRST_RETRY, WorkQueue
from tests.twin.virtually import START, virtually


@virtually
async def test_a_key_that_is_named_twice_is_worked_on_once() -> None:
    done: list[str] = []
    queue: WorkQueue[str] = WorkQueue(Clock(start=START), done.append)
    for key in ("b", "a", "b"):
        queue.add(key)
    assert done == []
    await asyncio.sleep(1)
    assert done == ["b", "a"]


@virtually
async def test_refused_work_is_done_again_later_and_later() -> None:
    clock = Clock(start=START)
    tried: list[float] = []

    def work(_key: str) -> None:
        tried.append(clock.now())
        if len(tried) < 5:
            raise bad_request("not yet")

    queue: WorkQueue[str] = WorkQueue(clock, work, latency=0.0)
    queue.add("key")
    await asyncio.sleep(60)
    waits = [after - before for before, after in pairwise(tried)]
    assert [round(wait / FIRST_RETRY) for wait in waits] == [1, 2, 4, 8]


@virtually
async def test_the_longest_wait_can_be_set() -> None:
    clock = Clock(start=START)
    tried: list[float] = []

    def work(_key: str) -> None:
        tried.append(clock.now())
        raise bad_request("never")

    queue: WorkQueue[str] = WorkQueue(clock, work, latency=0.0, last_retry=1.0)
    queue.add("key")
    await asyncio.sleep(30)
    assert round(tried[-1] - tried[-2], 6) == 1.0


@virtually
async def test_one_refusal_does_not_keep_others_waiting() -> None:
    done: list[str] = []

    def work(key: str) -> None:
        if key == "bad":
            raise bad_request("no")
        done.append(key)

    queue: WorkQueue[str] = WorkQueue(Clock(start=START), work)
    queue.add("bad")
    queue.add("good")
    await asyncio.sleep(0.1)
    assert done == ["good"]


@virtually
async def test_work_that_breaks_costs_no_other_key_its_turn() -> None:
    done: list[str] = []
    broken: list[object] = []
    asyncio.get_running_loop().set_exception_handler(
        lambda _, told: broken.append(told["exception"])
    )

    def work(key: str) -> None:
        if key == "broken":
            raise KeyError(key)
        done.append(key)

    queue: WorkQueue[str] = WorkQueue(Clock(start=START), work)
    for key in ("a", "broken", "b", "c"):
        queue.add(key)
    await asyncio.sleep(1)
    assert done == ["a", "b", "c"]
    assert len(broken) == 1
