"""A controller's work queue: keys, each worked on once however often it was named meanwhile.

Work that the API refuses is done again, later and later.

Source: k8s.io/client-go/util/workqueue, default_rate_limiters.go (Kubernetes 1.37): 5 ms, doubled
with each failure, up to 1,000 s.
"""

from collections import deque
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

from bridgehead.twin.clock import Clock
from bridgehead.twin.errors import ApiError

K = TypeVar("K", bound=Hashable)

FIRST_RETRY = 0.005
"""Seconds until work that failed once is done again."""
LAST_RETRY = 1000.0
"""The longest time between two attempts."""


class WorkQueue(Generic[K]):
    """Calls ``work`` for each key, in the order in which keys came."""

    def __init__(
        self,
        clock: Clock,
        work: Callable[[K], None],
        *,
        latency: float = 0.01,
        last_retry: float = LAST_RETRY,
    ) -> None:
        """``latency``: simulated seconds from a change to the work on it.

        A real controller hears of a change through a watch, a few milliseconds later; what is
        written within that time is seen by it as one change.
        """
        self._clock = clock
        self._work = work
        self._latency = latency
        self._last_retry = last_retry
        self._waiting: dict[K, None] = {}
        self._failures: dict[K, int] = {}
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
        keys, self._waiting = deque(self._waiting), {}
        try:
            while keys:
                self._work_on(keys.popleft())
        finally:
            for key in keys:  # a defect that shows at one of them must not cost the others
                self.add(key)

    def _work_on(self, key: K) -> None:
        try:
            self._work(key)
        except ApiError:
            self._retry(key)
        else:
            self._failures.pop(key, None)

    def _retry(self, key: K) -> None:
        failures = self._failures.get(key, 0)
        self._failures[key] = failures + 1
        self.add_after(key, min(FIRST_RETRY * 2.0 ** min(failures, 30), self._last_retry))
