"""Signals: the first one asks the runner to park and stop, the second one ends it at once.

Both are answered: who gets no answer sends a second signal, and then has to know what is left.
"""

import asyncio
import signal
from collections.abc import Awaitable, Iterator
from contextlib import contextmanager
from typing import Protocol, TypeVar

from bridgehead.app.loop import Stopped
from bridgehead.cli.exits import Exit

T = TypeVar("T")

_EXITS = {signal.SIGINT: Exit.INTERRUPTED, signal.SIGTERM: Exit.TERMINATED}


class Told(Protocol):
    """Says what a signal does."""

    def first(self) -> None:
        """It stops in order."""
        ...

    def second(self) -> None:
        """It leaves at once."""
        ...


class Stop:
    """Set by the first signal; ``exit`` is the exit code that it stands for."""

    def __init__(self, told: Told) -> None:
        self.event = asyncio.Event()
        self.exit = Exit.INTERRUPTED
        self._told = told

    async def result_of(self, use_case: Awaitable[T]) -> T | tuple[Stopped, Exit]:
        """Its result, or that it stopped, with the exit code of the signal that asked for it."""
        try:
            return await use_case
        except Stopped as stopping:
            return stopping, self.exit

    def _received(self, number: signal.Signals) -> None:
        self.exit = _EXITS[number]
        if not self.event.is_set():
            self.event.set()
            self._told.first()
            return
        for other in _EXITS:  # a third signal meets the default action
            asyncio.get_running_loop().remove_signal_handler(other)
        self._told.second()
        raise SystemExit(self.exit)


@contextmanager
def stop_on_signals(told: Told) -> Iterator[Stop]:
    """Handle SIGINT and SIGTERM inside a running event loop."""
    stop = Stop(told)
    loop = asyncio.get_running_loop()
    for number in _EXITS:
        loop.add_signal_handler(number, stop._received, number)
    try:
        yield stop
    finally:
        for number in _EXITS:
            loop.remove_signal_handler(number)
