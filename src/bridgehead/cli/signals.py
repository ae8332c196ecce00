"""Signals: the first one asks the runner to park and stop, the second one ends it at once."""

import asyncio
import signal
from collections.abc import Iterator
from contextlib import contextmanager

from bridgehead.cli.exits import Exit

_EXITS = {signal.SIGINT: Exit.INTERRUPTED, signal.SIGTERM: Exit.TERMINATED}


class Stop:
    """Set by the first signal; ``exit`` is the exit code that it stands for."""

    def __init__(self) -> None:
        self.event = asyncio.Event()
        self.exit = Exit.INTERRUPTED

    def _received(self, number: signal.Signals) -> None:
        self.exit = _EXITS[number]
        self.event.set()
        for other in _EXITS:  # a second signal meets the default action
            asyncio.get_running_loop().remove_signal_handler(other)


@contextmanager
def stop_on_signals() -> Iterator[Stop]:
    """Handle SIGINT and SIGTERM inside a running event loop."""
    stop = Stop()
    loop = asyncio.get_running_loop()
    for number in _EXITS:
        loop.add_signal_handler(number, stop._received, number)
    try:
        yield stop
    finally:
        for number in _EXITS:
            loop.remove_signal_handler(number)
