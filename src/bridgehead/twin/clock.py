"""Simulated time: it follows the event loop's own clock, faster or slower.

In a rehearsal the loop's clock is virtual (``twin.virtual``) and jumps; for a served twin it is the
machine's. Nothing in the twin asks any other clock, which is why one seed gives one run.
"""

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime
from functools import lru_cache

from bridgehead.twin.timestamps import written


class Clock:
    """Made inside a running event loop; its time begins at ``start``."""

    def __init__(self, *, start: float, speed: float = 1.0) -> None:
        """``start``: seconds since the epoch. ``speed``: simulated seconds in one of the loop's."""
        self._loop = asyncio.get_running_loop()
        self._zero = self._loop.time()
        self._start = start
        self.speed = speed

    def now(self) -> float:
        """Seconds since the epoch."""
        return self._start + (self._loop.time() - self._zero) * self.speed

    def timestamp(self, ahead: float = 0.0) -> str:
        """Now, or so many seconds later, as ``metav1.Time``: RFC 3339 in whole seconds."""
        return _in_whole_seconds(int(self.now() + ahead))

    def micro_timestamp(self) -> str:
        """Now as ``metav1.MicroTime``: RFC 3339 in microseconds, as leases have it."""
        return datetime.fromtimestamp(self.now(), UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")

    def after(self, seconds: float, call: Callable[[], object]) -> asyncio.TimerHandle:
        """Call something so many simulated seconds from now; cancel it by the handle."""
        return self._loop.call_later(max(0.0, seconds) / self.speed, call)

    def soon(self, call: Callable[[], object]) -> asyncio.Handle:
        """Call something as soon as the current step is done."""
        return self._loop.call_soon(call)


_in_whole_seconds = lru_cache(maxsize=64)(written)
