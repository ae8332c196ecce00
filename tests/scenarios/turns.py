"""Code that waits by blocking, played in an event loop of simulated time.

What sets a stage, looks at it and disturbs it is written as people write it down, one step after
the other, and so is a command of bridgehead. On real nodes it runs in a thread beside the loop. In
a simulation nothing may run beside it: there a thread and the loop take turns, so that the thread
is a coroutine in all but name, and a run can be repeated bit for bit.
"""

import asyncio
import contextvars
import threading
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True)
class _Ended:
    """The code is done."""

    result: Any = None
    error: BaseException | None = None


@dataclass(frozen=True)
class _Hands:
    """The thread's end: it hands work over, and gets an outcome."""

    work: "SimpleQueue[Coroutine[Any, Any, Any] | _Ended]"
    outcomes: "SimpleQueue[_Ended]"
    now: Callable[[], float]


_HANDS: contextvars.ContextVar[_Hands | None] = contextvars.ContextVar("hands", default=None)


async def by_turns(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """The result of code that blocks; the loop stands still but for what the code waits for."""
    hands = _Hands(SimpleQueue(), SimpleQueue(), asyncio.get_running_loop().time)

    def body() -> None:
        _HANDS.set(hands)
        try:
            hands.work.put(_Ended(function(*args, **kwargs)))
        except BaseException as error:  # noqa: BLE001 - it is raised where the result is wanted
            hands.work.put(_Ended(error=error))

    thread = threading.Thread(target=contextvars.copy_context().run, args=(body,), daemon=True)
    thread.start()
    while not isinstance(work := hands.work.get(), _Ended):
        try:
            outcome = _Ended(await work)
        except BaseException as error:  # noqa: BLE001 - a cancellation, too, is the code's to end
            outcome = _Ended(error=error)
        hands.outcomes.put(outcome)
    thread.join()
    if work.error is not None:
        raise work.error
    result: T = work.result
    return result


def wait_for(work: Coroutine[Any, Any, T]) -> T:
    """Let the loop do something, and wait for it; only in code that takes turns with it."""
    hands = _HANDS.get()
    assert hands is not None
    hands.work.put(work)
    outcome = hands.outcomes.get()
    if outcome.error is not None:
        raise outcome.error
    result: T = outcome.result
    return result


def pause(seconds: float) -> None:
    """Sleep, in whichever time the code lives."""
    if _HANDS.get() is None:
        time.sleep(seconds)
    else:
        wait_for(asyncio.sleep(seconds))


def moment() -> float:
    """Seconds of that time since some fixed moment."""
    hands = _HANDS.get()
    return time.monotonic() if hands is None else hands.now()
