"""What a command meets beside its arguments: the time, the host, the network, an event loop.

Those of the machine, unless somebody plays the command inside a simulation (``within``).
"""

import asyncio
import platform
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from random import Random
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from bridgehead.cluster.steady_clock import steady

if TYPE_CHECKING:
    import aiohttp

T = TypeVar("T")


class Surroundings(msgspec.Struct, frozen=True, kw_only=True):
    """Where a command is run."""

    clock: Callable[[], float] = time.time
    """Seconds since the epoch."""
    steady: Callable[[], float] = steady
    """Seconds since any moment, without jumps."""
    host: Callable[[], str] = platform.node
    """The name under which runs are held."""
    connector: Callable[[], "aiohttp.BaseConnector | None"] = lambda: None
    """Another network than the system's; a new one for each client."""
    chance: Callable[[], Random | None] = lambda: None
    """Another source of chance than the system's."""
    run: Callable[[Coroutine[Any, Any, Any]], Any] = asyncio.run
    """Runs the work of a command to its end."""


_THE_MACHINE = Surroundings()
_HERE: ContextVar[Surroundings | None] = ContextVar("surroundings", default=None)


def here() -> Surroundings:
    """Where this command is run."""
    return _HERE.get() or _THE_MACHINE


def run_here(work: Coroutine[Any, Any, T]) -> T:
    """Run the work of a command to its end; its result."""
    result: T = here().run(work)
    return result


@contextmanager
def within(surroundings: Surroundings) -> Iterator[None]:
    """Run commands there, as long as this lasts."""
    token = _HERE.set(surroundings)
    try:
        yield
    finally:
        _HERE.reset(token)
