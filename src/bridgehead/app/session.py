"""What a use case works with: this process's client, clock, audience and stop."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Protocol, TypeVar

import msgspec

from bridgehead.app.loop import Onlooker, Stopped
from bridgehead.cluster.perform import STATE_NAMESPACE
from bridgehead.cluster.steady_clock import steady
from bridgehead.core.journal.entry import Entry
from bridgehead.core.rollout.limits import Limits
from bridgehead.kube.client import Kube

T = TypeVar("T")

Clock = Callable[[], float]
"""Seconds since the epoch."""


class Watcher(Onlooker, Protocol):
    """Who watches a run: told every record, and every turn of the loop."""

    def tell(self, entry: Entry) -> None:
        """A record was written."""
        ...

    def say(self, words: str) -> None:
        """Something worth knowing that is no record."""
        ...


class Session(msgspec.Struct, frozen=True, kw_only=True):
    """Everything of this process that a use case works with."""

    kube: Kube
    clock: Clock
    watcher: Watcher
    stop: asyncio.Event
    state_namespace: str = STATE_NAMESPACE
    host: str = "unknown"
    """This machine's name, for people who are told who holds a lock."""
    steady: Clock = steady
    """Seconds since any moment, without jumps; by it leases are judged."""
    explains_failures: bool = False
    """Whether a run that fails is diagnosed: for those whose endings are read by people."""
    limits: Limits = Limits()
    """What bounds this process as a runner, as far as it was asked for."""


async def unless_stopped(session: Session, waiting: Coroutine[None, None, T]) -> T:
    """What is waited for; Stopped as soon as the runner is told to stop."""
    task = asyncio.ensure_future(waiting)
    stop = asyncio.ensure_future(session.stop.wait())
    try:
        await asyncio.wait({task, stop}, return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise Stopped(parked=None)
        return await task
    finally:
        stop.cancel()
        task.cancel()
