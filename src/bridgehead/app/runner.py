"""One runner's way through a run: hold the lock, watch, loop, wait out an absent API server."""

import msgspec

from bridgehead.app.failure_diagnosis import FailureDiagnosis
from bridgehead.app.journal import Journal
from bridgehead.app.loop import Loop
from bridgehead.app.outage import Outages
from bridgehead.app.session import Session
from bridgehead.cluster.errors import StaleLockError
from bridgehead.cluster.feed import Kept, WorldFeed
from bridgehead.cluster.lock import Lock
from bridgehead.cluster.perform import Performer
from bridgehead.cluster.read import read_component
from bridgehead.cluster.record import Record
from bridgehead.cluster.store import RunStore
from bridgehead.core.diagnose.explained import Explained, explained_note
from bridgehead.core.journal.chain import Signature
from bridgehead.core.journal.entry import Draft, Entry
from bridgehead.core.model.json import JsonObject
from bridgehead.core.rollout.commands import LetGo
from bridgehead.core.rollout.decision import Decision, note
from bridgehead.core.rollout.run import Run
from bridgehead.core.rollout.state import Ending, RunState
from bridgehead.core.rollout.world import World
from bridgehead.kube.errors import KubeError

_FAILED = (3, 4)
"""Exit codes of endings that are explained."""


class Ended(msgspec.Struct, frozen=True, kw_only=True):
    """How a runner's part of a run ended."""

    run: Run
    ending: Ending
    head: str
    """Digest of the journal's last record."""
    explained: Explained | None = None
    """What a diagnosis says of the nodes that failed, where this runner saw them fail."""


async def drive(
    session: Session,
    store: RunStore,
    record: Record,
    run: Run,
    signature: Signature,
    *,
    lock: Lock,
    first: tuple[Draft, ...],
    takes_over: bool = False,
) -> Ended:
    """Take the run to an ending under the lock.

    ``store`` is the one that the run's state was read through: its first write fails if anybody has
    written since. ``record`` is the run's, as it was loaded or made.
    ``first`` is written before anything else: whoever held the run before can then write no more.
    An API server that is away for a while is waited for. Raises what Loop.drive raises, and
    ClaimedError where the component is another run's.
    """
    kept = Kept(record, session.state_namespace, run.state.requests)
    failures = FailureDiagnosis(session, record.plan.spec.component)
    runner = _Runner(session, signature, lock, store, kept, failures=failures)
    outages = Outages(session, store, lock)
    try:
        return await _until_ended(runner, outages, run, first, takes_over=takes_over)
    finally:
        failures.forget()


async def _until_ended(
    runner: "_Runner", outages: Outages, run: Run, first: tuple[Draft, ...], *, takes_over: bool
) -> Ended:
    """One holder after the other, until one of them sees the run's ending."""
    while True:
        try:
            return await runner.go(run, first, takes_over=takes_over)
        except (KubeError, StaleLockError) as error:
            state = await outages.waited_out(runner.run or run, error)
        if state.last_seq != run.state.last_seq:  # else even ``first`` did not arrive
            run = msgspec.structs.replace(run, state=state)
            first, takes_over = (held_by_next(state),), True


def held_by_next(state: RunState, adopted: JsonObject | None = None) -> Draft:
    """The record with which the next holder of a run begins; ``adopted`` as in the core."""
    return note("run", "held", detail={"holder": state.holder + 1, **(adopted or {})})


class _Runner:
    """One holder after the other of the same process."""

    def __init__(
        self,
        session: Session,
        signature: Signature,
        lock: Lock,
        store: RunStore,
        kept: Kept,
        *,
        failures: FailureDiagnosis,
    ) -> None:
        self._session = session
        self._failures = failures
        self._signature = signature
        self._lock = lock
        self._store = store
        self._kept = kept
        self.run: Run | None = None
        """The run as it was last known."""
        self._explained: Explained | None = None

    async def go(self, run: Run, first: tuple[Draft, ...], *, takes_over: bool) -> Ended:
        session = self._session
        journal = Journal(self._store, self._signature, session.clock, self._tell)
        self.run = run = await journal.write(run, first)
        performer = Performer(
            session.kube,
            run.name,
            run.plan,
            holder=run.state.holder,
            fence=self._lock.check,
            state_namespace=session.state_namespace,
            known=run.state.reached_generation or None,
        )
        if not await self._has_let_go(run):
            await performer.claim()
        async with WorldFeed(
            session.kube, run.plan, run.name, kept=self._kept, wall=session.clock
        ) as feed:
            loop = Loop(
                feed=feed,
                effects=performer,
                journal=journal,
                onlooker=self,
                clock=session.clock,
                stop=session.stop,
                late=self._lock.late,
                explain=self._explain,
            )
            try:
                done = await loop.drive(run, park_first=takes_over)
            finally:
                self.run = loop.run
        ending = done.state.ending
        if ending is None:  # Loop.drive returns only with an ending
            raise RuntimeError(f"run {run.name} stopped without an ending")
        return Ended(run=done, ending=ending, head=journal.head, explained=self._explained)

    def look(self, run: Run, world: World, decision: Decision) -> None:
        """One turn of the loop."""
        self._failures.look(world)
        self._session.watcher.look(run, world, decision)

    async def _explain(self, ending: Ending) -> tuple[Draft, ...]:
        """What a diagnosis says of a failure, for the journal; nothing of other endings."""
        if ending.exit not in _FAILED:
            return ()
        self._explained = await self._failures.explained()
        return () if self._explained is None else (explained_note(self._explained),)

    def _tell(self, entry: Entry) -> None:
        self._session.watcher.tell(entry)
        self._failures.tell(entry)

    async def _has_let_go(self, run: Run) -> bool:
        """Whether letting go took effect unheard: the component must not be marked again."""
        letting_go = any(isinstance(item, LetGo) for item in run.state.pending.values())
        if not letting_go and not run.state.let_go:
            return False
        component = await read_component(self._session.kube, run.plan.spec.component)
        return component is None or not component.anchor
