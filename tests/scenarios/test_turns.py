"""Code that blocks takes turns with a loop of simulated time: nothing runs beside it."""

import asyncio

import pytest

from tests.scenarios.turns import by_turns, moment, pause, wait_for
from tests.twin.virtually import virtually


@virtually
async def test_pauses_take_simulated_time_and_others_go_on_meanwhile() -> None:
    order: list[str] = []

    def blocking() -> str:
        begin = moment()
        order.append("begin")
        pause(60.0)
        order.append("end")
        return f"{moment() - begin:.0f} s"

    async def other() -> None:
        await asyncio.sleep(30.0)
        order.append("other")

    beside = asyncio.create_task(other())
    assert await by_turns(blocking) == "60 s"
    await beside
    assert order == ["begin", "other", "end"]


@virtually
async def test_what_is_waited_for_comes_back_with_its_result_or_its_error() -> None:
    async def answer() -> int:
        await asyncio.sleep(1)
        return 7

    async def refuse() -> None:
        raise ValueError("no")

    assert await by_turns(lambda: wait_for(answer())) == 7
    with pytest.raises(ValueError, match="no"):
        await by_turns(lambda: wait_for(refuse()))


@virtually
async def test_two_of_them_interleave_by_time_alone() -> None:
    order: list[str] = []

    def steps(name: str, seconds: float) -> None:
        for _ in range(3):
            pause(seconds)
            order.append(name)

    await asyncio.gather(by_turns(steps, "a", 1.0), by_turns(steps, "b", 1.4))
    assert order == ["a", "b", "a", "b", "a", "b"]


@virtually
async def test_a_cancellation_reaches_the_code_and_ends_it() -> None:
    ended: list[bool] = []

    def blocking() -> None:
        try:
            pause(1000.0)
        finally:
            ended.append(True)

    task = asyncio.create_task(by_turns(blocking))
    await asyncio.sleep(1.0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert ended == [True]
