"""An event loop whose clock jumps: when nobody has anything to do, it is the next timer's time.

An hour of waiting takes no time, and nothing depends on how fast the machine is. That holds only as
long as everything happens in this loop, so threads are refused.
"""

import asyncio
import gc
import selectors
import threading
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import contextmanager
from contextvars import Context
from typing import Any, NoReturn, TypeVar, TypeVarTuple, Unpack

Ts = TypeVarTuple("Ts")
T = TypeVar("T")


class NothingLeftError(Exception):
    """The simulation waits for something that can never come: no timer, no ready callback."""


class ThreadError(Exception):
    """Something in a simulation asked for a thread, whose timing nobody could repeat."""


class VirtualLoop(asyncio.SelectorEventLoop):
    """A loop with a clock of its own, which begins at 0.

    Real files and sockets work, and are looked at before the clock jumps; but when they are ready
    is then up to the machine.
    """

    def __init__(self, start: float) -> None:
        """``start``: seconds since the epoch at the loop's 0."""
        self._elapsed = 0.0
        self._start = start
        self._thread = threading.get_ident()
        super().__init__(_JumpingSelector(self._jump, self._waiting))

    def time(self) -> float:
        """Simulated seconds since the loop was made."""
        return self._elapsed

    def now(self) -> float:
        """Simulated seconds since the epoch."""
        return self._start + self._elapsed

    def run_in_executor(self, executor: object, func: object, *args: object) -> NoReturn:
        """Refused. Raises ThreadError; ``asyncio.to_thread`` and name resolution end up here."""
        raise ThreadError(f"a thread for {func!r} in a simulation ({executor=}, {args=})")

    def call_soon_threadsafe(
        self,
        callback: Callable[[Unpack[Ts]], object],
        *args: *Ts,
        context: Context | None = None,
    ) -> asyncio.Handle:
        """From this thread only, as signal handlers call it. Raises ThreadError from another."""
        if threading.get_ident() != self._thread:
            raise ThreadError(f"{callback!r} came into a simulation from another thread")
        return super().call_soon_threadsafe(callback, *args, context=context)

    def _jump(self, seconds: float) -> None:
        self._elapsed += seconds

    def _waiting(self) -> str:
        names = sorted(task.get_name() for task in asyncio.all_tasks(self))
        return f"no timer is set, and these tasks wait: {', '.join(names) or 'none'}"


class _JumpingSelector(selectors.BaseSelector):
    """Looks whether a file is ready; where none is, lets the time pass instead of waiting."""

    def __init__(self, jump: Callable[[float], None], waiting: Callable[[], str]) -> None:
        self._real = selectors.DefaultSelector()
        self._jump = jump
        self._waiting = waiting

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = self._real.select(0)
        if ready:
            return ready
        if timeout is None:
            if len(self._real.get_map()) <= 1:  # the loop's own pipe, through which signals come
                raise NothingLeftError(self._waiting())
            return self._real.select(None)
        self._jump(timeout)
        return []

    def register(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:
        return self._real.register(fileobj, events, data)

    def unregister(self, fileobj: Any) -> selectors.SelectorKey:
        return self._real.unregister(fileobj)

    def modify(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:
        return self._real.modify(fileobj, events, data)

    def close(self) -> None:
        self._real.close()

    def get_map(self) -> Mapping[Any, selectors.SelectorKey]:
        return self._real.get_map()


def run_virtual(coroutine: Coroutine[Any, Any, T], *, start: float) -> T:
    """Run to the end in simulated time that begins at ``start`` (seconds since the epoch).

    Like ``asyncio.run``: an interrupt cancels, and tasks that are left are cancelled at the end.
    Raises NothingLeftError where it would wait for ever.
    """
    with _seldom_collecting(), asyncio.Runner(loop_factory=lambda: VirtualLoop(start)) as runner:
        return runner.run(coroutine)


@contextmanager
def _seldom_collecting() -> Iterator[None]:
    """Let Python look for cycles of garbage less often.

    A simulated cluster is a million values that stay and hardly any cycles; at the usual pace a
    third of the time goes into looking at them in vain.
    """
    usual = gc.get_threshold()
    gc.set_threshold(20_000, 50, 100)
    try:
        yield
    finally:
        gc.set_threshold(*usual)
