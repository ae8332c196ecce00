"""THE loop: look, decide, record the intent, perform, record the outcome.

A rollout, its resumption after a crash, a rollback and an abort are this loop with another state.
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection
from typing import Protocol

import msgspec

from bridgehead.app.journal import Journal
from bridgehead.cluster.errors import RemovedJournalError, StaleLockError
from bridgehead.core.journal.entry import Draft
from bridgehead.core.model.json import JsonObject
from bridgehead.core.rollout.commands import (
    Command,
    CommandResult,
    Done,
    Failed,
    Flip,
    Position,
    key,
)
from bridgehead.core.rollout.decide import decide, interrupted, outcome
from bridgehead.core.rollout.decision import Decision, intent, note
from bridgehead.core.rollout.kept import maybe_cordoned, telling
from bridgehead.core.rollout.leaving import leaving
from bridgehead.core.rollout.run import Run
from bridgehead.core.rollout.state import Ending, Mode
from bridgehead.core.rollout.tracking import counted, follow, in_flight, under_watch
from bridgehead.core.rollout.transition import DONE, LAPSED, REFUSED
from bridgehead.core.rollout.world import World
from bridgehead.core.verify.track import Track
from bridgehead.kube.errors import KubeError

CLOSING = frozenset({0, 1, 3})
"""Exits after which the run is over; with the others it keeps its component."""

PARK_PATIENCE = 10.0
"""Seconds that a runner that leaves may take to park the former template."""

PATIENCE = 25
"""Failed attempts in a row, about a second apart, after which a person must look."""

BLIND_PATIENCE = 300.0
"""Seconds without an up-to-date view of the cluster after which a runner leaves."""


_LEAVABLE = (KubeError, StaleLockError)
"""Errors of one effect beside which what came of the others is still recorded."""


class Feed(Protocol):
    """The cluster as it is seen; ``cluster.feed.WorldFeed`` is the real one."""

    async def refresh(
        self,
        in_flight: Collection[str],
        watched: Collection[str],
        counted: Collection[str] | None = None,
    ) -> None:
        """Read what is read only of nodes in flight or under watch.

        ``counted`` are those in flight whose pods are read; None for all of them.
        """
        ...

    def snapshot(self) -> World:
        """What is known now."""
        ...

    async def changed(self, timeout: float) -> None:  # noqa: ASYNC109 - it is a wait, not a call
        """Wait for a change, no longer than ``timeout`` seconds."""
        ...


class Effects(Protocol):
    """The hand that changes the cluster; ``cluster.perform.Performer`` is the real one."""

    async def perform(self, command: Command) -> CommandResult:
        """Carry out one command."""
        ...


class Onlooker(Protocol):
    """Who watches: the terminal."""

    def look(self, run: Run, world: World, decision: Decision) -> None:
        """One turn of the loop."""
        ...


class Stopped(Exception):  # noqa: N818 - not an error: the user asked for it
    """The runner was told to stop.

    ``parked`` says whether the former template stands; None where the run had not been taken up.
    ``left`` is the run as it was left, ``head`` the digest of its last record; empty if not known.
    """

    def __init__(self, *, parked: bool | None, left: Run | None = None, head: str = "") -> None:
        super().__init__("stopped")
        self.parked = parked
        self.left = left
        self.head = head


class OutOfSightError(Exception):
    """The cluster could not be seen for so long that nothing could be decided."""


class Loop:
    """One runner at one run."""

    def __init__(
        self,
        *,
        feed: Feed,
        effects: Effects,
        journal: Journal,
        onlooker: Onlooker,
        clock: Callable[[], float],
        stop: asyncio.Event,
        late: Callable[[], str] = lambda: "",
        explain: Callable[[Ending], Awaitable[tuple[Draft, ...]]] | None = None,
    ) -> None:
        """``late`` says why nothing may be written now, or nothing; it is the lock's word.

        ``explain`` is asked for what is to be recorded with an ending, and raises nothing.
        """
        self._feed = feed
        self._effects = effects
        self._journal = journal
        self._onlooker = onlooker
        self._clock = clock
        self._stop = stop
        self._late = late
        self._explain = explain
        self._failures = 0
        self._trouble = ""
        self._blind_since: float | None = None
        self._seen_since: float | None = None

    async def drive(self, run: Run, *, park_first: bool = False) -> Run:
        """Go on until an ending, which is in the journal and in the state that is returned.

        ``park_first``: this runner takes over from another, which may have left the target
        standing: the former template is parked before any other write.

        Raises Stopped when told to stop, LostLockError or LostJournalError (cluster) when another
        runner took over, and KubeError, StaleLockError or OutOfSightError when the cluster cannot
        be reached or forbids something; whoever leaves so tries to park first, and the error says
        if that failed.
        """
        self.run = run
        try:
            ended = await self._go_on(park_first=park_first)
        except (KubeError, StaleLockError, OutOfSightError) as error:
            await self._take_leave(error)
            raise
        except RemovedJournalError as error:
            await self._leave_unrecorded(error)
            raise
        if not ended:
            parked = await self._leave()
            raise Stopped(parked=parked, left=self.run, head=self._journal.head)
        return self.run

    async def _go_on(self, *, park_first: bool) -> bool:
        """Turn after turn; whether it came to an ending, rather than being told to stop."""
        tick = min(1.0, max(0.2, self.run.plan.timing.status_period / 4))
        tracks: dict[str, Track] = {}
        self._seen_since = None
        while not self._stop.is_set():
            run = self.run
            flying = {node.name for node in in_flight(run)}
            watched = {node.name for node in under_watch(run)}
            await self._feed.refresh(flying, watched, counted(run, tracks, self._clock()))
            world, now = self._look(), self._clock()
            self._must_see(world, now)
            tracks = dict(follow(run, world, tracks, now))
            decision = decide(run, world, tracks, now)
            if park_first and not run.state.pending and not world.stale:
                park_first = False
                decision = interrupted(run) or decision
            self._onlooker.look(run, world, decision)
            if decision.ending is not None:
                await self._end(decision)
                return True
            if not decision:
                await self._feed.changed(tick)
                continue
            await self._carry_out(decision)
            if self._failures >= PATIENCE and await self._give_up(decision):
                return True
            if self._failures:
                await self._feed.changed(1.0)
        return False

    def _look(self) -> World:
        """What is seen now; while the lock is not renewed in time, nothing is decided on it."""
        world = self._feed.snapshot()
        stale = world.stale or self._late()
        self._seen_since = None if stale else self._seen_since or self._clock()
        return msgspec.structs.replace(world, stale=stale, seen_since=self._seen_since or 0.0)

    def _must_see(self, world: World, now: float) -> None:
        if not world.stale:
            self._blind_since = None
            return
        self._blind_since = self._blind_since or now
        if now - self._blind_since > BLIND_PATIENCE:
            raise OutOfSightError(
                f"{world.stale} could not be watched for {BLIND_PATIENCE:g} s; nothing was decided "
                "in that time"
            )

    async def _carry_out(self, decision: Decision) -> None:
        """Record what is found and intended in one write, perform, record what came of it.

        Where one effect raises, what came of the others is still recorded; its own intent stays
        open, and whoever goes on looks it up in the cluster.
        """
        intents = [intent(command) for command in decision.commands]
        self.run = await self._journal.write(self.run, [*decision.notes, *intents])
        if not decision.commands:
            return
        results = await asyncio.gather(
            *(self._effects.perform(command) for command in decision.commands),
            return_exceptions=True,
        )
        pairs = list(zip(decision.commands, results, strict=True))
        errors = [result for result in results if isinstance(result, BaseException)]
        lost = next((error for error in errors if not isinstance(error, _LEAVABLE)), None)
        if lost is not None:
            raise lost
        failed = [
            result.message
            for result in results
            # A budget that stays shut is no trouble of ours: the decision has a limit for it.
            if isinstance(result, Failed) and result.reason != "blocked"
        ]
        self._failures = self._failures + 1 if failed else 0
        self._trouble = failed[0] if failed else ""
        drafts = [
            outcome_of(command, result)
            for command, result in pairs
            if not isinstance(result, BaseException)
        ]
        self.run = await self._journal.write(self.run, drafts)
        if errors:
            raise errors[0]

    async def _give_up(self, decision: Decision) -> bool:
        """After too many failures: hold, so that nodes in flight are seen through, or end."""
        names = ", ".join(sorted({key(command).split("/")[0] for command in decision.commands}))
        why = f"gave up after {PATIENCE} failed attempts at {names}: {self._trouble}"
        self._failures = 0
        if self.run.state.mode is Mode.FORWARD:
            turn = note("turn", "hold", detail={"reason": why})
            self.run = await self._journal.write(self.run, [turn])
            return False
        parked = await self._leave()
        which = "the former template stands" if parked else "the NEW template stands"
        summary = f"{why}; {which}. The journal holds every answer"
        given_up = Decision(ending=Ending(exit=4, summary=summary))
        await self._end(telling(self.run, self._look(), given_up))
        return True

    async def _take_leave(self, error: Exception) -> None:
        """Leave because of an error: park if that is still possible, and say how it all stands."""
        try:
            parked = await self._leave()
        except _LEAVABLE:
            parked = False
        if not parked:
            error.add_note("The new template stands: newcomers get it until the run goes on.")
        _name_cordoned(self.run, error)

    async def _leave_unrecorded(self, error: RemovedJournalError) -> None:
        """Park without a record, as there can be none any more, and say how it stands.

        What was sent last may have taken effect or not, so the former template is put in whatever
        the state says, except where the target is to stay.
        """
        run = self.run
        parks = run.state.taken_over and not run.done and run.plan.parks
        flips = (Flip(to=Position.FORMER),) if parks else ()
        pods = tuple(item for item in leaving(run) if not isinstance(item, Flip))
        results = [await self._effects.perform(command) for command in (*flips, *pods)]
        failed = [item.message for item in results[: len(flips)] if isinstance(item, Failed)]
        if flips and not failed:
            error.add_note("The former template stands.")
        for why in failed:
            error.add_note(f"The former template could not be parked: {why}.")
        _name_cordoned(run, error)
        error.add_note(
            f"Give back what the run holds: bridgehead release {run.plan.spec.component}"
        )

    async def _leave(self) -> bool:
        """Park the former template and take our pods along; whether the former one stands."""
        commands = leaving(self.run)
        if commands:
            try:
                async with asyncio.timeout(PARK_PATIENCE):
                    await self._carry_out(Decision(commands=commands))
            except TimeoutError:
                return False
        return self.run.parked

    async def _end(self, decision: Decision) -> None:
        ending = decision.ending
        if ending is None or self.run.state.ending == ending:
            return
        detail: JsonObject = {
            "ending": msgspec.to_builtins(msgspec.structs.replace(ending, failure=None)),
            "closed": "true" if ending.exit in CLOSING or ending.over else "false",
        }
        told = await self._explain(ending) if self._explain is not None else ()
        notes = [*decision.notes, *told, note("run", "ended", detail=detail)]
        run = await self._journal.write(self.run, notes)
        state = msgspec.structs.replace(run.state, ending=ending)
        self.run = msgspec.structs.replace(run, state=state)


def _name_cordoned(run: Run, error: Exception) -> None:
    """Name the nodes that stay cordoned, or may be: of a cordon that was just sent nobody knows."""
    if names := maybe_cordoned(run):
        error.add_note(f"Still cordoned: {', '.join(names)}.")


def outcome_of(command: Command, result: CommandResult) -> Draft:
    """The record that follows a command."""
    match result:
        case Done(detail=detail):
            return outcome(key(command), DONE, {**_position(command), **detail})
        case Failed(reason=reason, message=message):
            verdict = REFUSED if reason == "refused" else LAPSED
            return outcome(key(command), verdict, {"reason": reason, "message": message})


def _position(command: Command) -> JsonObject:
    """For readers: which template stands after a flip."""
    return {"to": command.to.value} if isinstance(command, Flip) else {}
