"""A controller's work queue: keys, each worked on once however often it was named meanwhile.

Source: k8s.io/client-go/util/workqueue; without its rate limits, since nothing here fails by
chance.
"""

from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

from bridgehead.twin.clock import Clock

K = TypeVar("K", bound=Hashable)


class WorkQueue(Generic[K]):
    """Calls ``work`` for each key, in the order in which keys came."""

    def __init__(self, clock: Clock, work: Callable[[K], None], *, latency: float = 0.01) -> None:
        """``latency``: simulated seconds from a change to the work on it.

        A real controller hears of a change through a watch, a few milliseconds later; what is
        written within that time is seen by it as one change.
        """
        self._clock = clock
        self._work = work
        self._latency = latency
        self._waiting: dict[K, None] = {}
        self._scheduled = False

    def add(self, key: K) -> None:
        """Work on a key soon."""
        self._waiting[key] = None
        if not self._scheduled:
            self._scheduled = True
            self._clock.after(self._latency, self._run)

    def add_after(self, key: K, seconds: float) -> None:
        """Work on a key when so many simulated seconds have passed."""
        self._clock.after(seconds, lambda: self.add(key))

    def _run(self) -> None:
        self._scheduled = False
        keys, self._waiting = list(self._waiting), {}
        for key in keys:
            self._work(key)
