"""Runs a test in simulated time: ``@virtually`` above an ``async def``, in place of pytest-asyncio.

Sleeping for an hour takes no time there, and a test that waits for something that never comes
fails at once. Fixtures that are coroutines do not work with it; ordinary ones do.
"""

import functools
from collections.abc import Callable, Coroutine
from typing import Any, ParamSpec

from bridgehead.twin.virtual.loop import run_virtual

P = ParamSpec("P")

START = 1_767_225_600.0
"""2026-01-01T00:00:00Z: when simulated time begins in tests."""


def virtually(test: Callable[P, Coroutine[Any, Any, None]]) -> Callable[P, None]:
    """The test as an ordinary function."""

    @functools.wraps(test)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        run_virtual(test(*args, **kwargs), start=START)

    return run
