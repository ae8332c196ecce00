"""One runner's way through a run: hold the lock, watch, loop, let go of the lock."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Protocol, TypeVar

import msgspec

from bridgehead.app.journal import Journal
from bridgehead.app.loop import Loop, Onlooker, Stopped
from bridgehead.cluster.feed import WorldFeed
from bridgehead.cluster.lock import Lock
from bridgehead.cluster.perform import STATE_NAMESPACE, Performer
from bridgehead.cluster.store import RunStore
from bridgehead.core.journal.chain import Signature
from bridgehead.core.journal.entry import Draft, Entry
from bridgehead.core.rollout.run import Run
from bridgehead.core.rollout.state import Ending
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


class Ended(msgspec.Struct, frozen=True, kw_only=True):
    """How a runner's part of a run ended."""

    run: Run
    ending: Ending
    head: str
    """Digest of the journal's last record."""


async def drive(
    session: Session,
    store: RunStore,
    run: Run,
    signature: Signature,
    lock: Lock,
    *,
    first: tuple[Draft, ...],
    takes_over: bool = False,
) -> Ended:
    """Take the run to an ending under the lock.

    ``store`` is the one that the run's state was read through: its first write fails if anybody has
    written since.
    ``first`` is written before anything else: whoever held the run before can then write no more.
    Raises what Loop.drive raises, and ClaimedError where the component is another run's.
    """
    journal = Journal(store, signature, session.clock, session.watcher.tell)
    run = await journal.write(run, first)
    performer = Performer(
        session.kube,
        run.name,
        run.plan,
        holder=run.state.holder,
        fence=lock.check,
        state_namespace=session.state_namespace,
    )
    await performer.claim()
    async with WorldFeed(session.kube, run.plan, run.name) as feed:
        loop = Loop(
            feed=feed,
            effects=performer,
            journal=journal,
            onlooker=session.watcher,
            clock=session.clock,
            stop=session.stop,
        )
        done = await loop.drive(run, park_first=takes_over)
    ending = done.state.ending
    if ending is None:  # Loop.drive returns only with an ending
        raise RuntimeError(f"run {run.name} stopped without an ending")
    return Ended(run=done, ending=ending, head=journal.head)
