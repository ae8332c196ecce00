"""Following a run that another process may be at: its records, and whether that process lives."""

import asyncio
from enum import Enum

import msgspec

from bridgehead.app.runner import Ended
from bridgehead.app.session import Session, unless_stopped
from bridgehead.app.subject import OpenRun
from bridgehead.cluster.lease import Sighting
from bridgehead.cluster.lock_watch import Holding, LockWatch
from bridgehead.cluster.store import RunStore
from bridgehead.core.journal.entry import Entry
from bridgehead.core.rollout.run import Run
from bridgehead.core.rollout.state import Mode, RunState
from bridgehead.core.rollout.transition import fold

BETWEEN_LOOKS = 1.0
"""Seconds; a look costs three requests."""


class Answer(Enum):
    """How far a request has come."""

    FILED = "filed"
    """It is in the run's record."""
    NOTED = "noted"
    """A runner has written it into the journal, so it will act on it."""
    DONE = "done"
    """What was asked for is done, or the run has ended."""


class Sight(msgspec.Struct, frozen=True, kw_only=True):
    """A run as it was seen once."""

    state: RunState
    holding: Holding
    ended: bool
    """Whether its last record is the ending of a runner."""
    head: str

    def answer(self, number: int, *, parked_is_enough: bool) -> Answer:
        """How far the request of that number has come.

        ``parked_is_enough``: a runner that stays has paused once nothing is in flight.
        """
        if self.state.requests < number:
            return Answer.FILED
        quiet = not self.state.working and not self.state.pending
        forward = self.state.mode is not Mode.BACK  # a way back goes on whatever was asked
        paused = parked_is_enough and quiet and forward and self.state.paused is not None
        return Answer.DONE if self.ended or paused else Answer.NOTED


class Following:
    """One run, looked at again and again; its new records are told as they come."""

    def __init__(self, session: Session, found: OpenRun) -> None:
        self._session = session
        self.found = found
        """The run as it stood when it was looked for."""
        self._store = RunStore(session.kube, found.namespace)
        component = found.record.plan.spec.component
        self._lock = LockWatch(session.kube, found.namespace, component, session.steady)
        self._told = found.state.last_seq

    @property
    def lock_sighting(self) -> Sighting | None:
        """How its lock was last seen."""
        return self._lock.sighting

    async def look(self) -> Sight:
        """The run now. Raises KubeError and what reading a journal raises.

        The lock first: with nobody holding it, the records that follow are all that there are.
        """
        holding = await self._lock.look()
        entries = await self._store.entries(self.found.record.run)
        self._tell(entries)
        last = entries[-1] if entries else None
        return Sight(
            state=fold(entries),
            holding=holding,
            ended=last is not None and (last.step, last.result) == ("run", "ended"),
            head=last.digest if last is not None else "",
        )

    async def pause(self) -> None:
        """Until the next look. Raises Stopped."""
        await unless_stopped(self._session, asyncio.sleep(BETWEEN_LOOKS))

    def ended(self, sight: Sight) -> Ended | None:
        """The ending that another runner has written; None where it wrote none."""
        ending = sight.state.ending
        if ending is None or not sight.ended:
            return None
        record = self.found.record
        run = Run(name=record.run, plan=record.plan, state=sight.state, family=record.plan.family)
        return Ended(run=run, ending=ending, head=sight.head)

    def _tell(self, entries: tuple[Entry, ...]) -> None:
        for entry in entries[self._told :]:
            self._session.watcher.tell(entry)
        self._told = max(self._told, len(entries))
