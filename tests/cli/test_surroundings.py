"""Commands meet the machine, or a simulation where they are played in one."""

import time
from collections.abc import Coroutine
from typing import Any

from bridgehead.cli.surroundings import Surroundings, here, run_here, within


async def _answer() -> float:
    return here().clock()


def test_without_more_it_is_the_machine() -> None:
    before = time.time()
    assert before <= run_here(_answer()) <= time.time()
    assert here().connector() is None


def test_inside_a_simulation_its_clock_and_loop_hold_and_only_there() -> None:
    ran: list[Coroutine[Any, Any, Any]] = []

    def run(work: Coroutine[Any, Any, Any]) -> Any:
        ran.append(work)
        work.close()
        return 42.0

    with within(Surroundings(clock=lambda: 7.0, run=run)):
        assert here().clock() == 7.0
        assert run_here(_answer()) == 42.0
    assert len(ran) == 1
    assert here().clock() > 7.0
