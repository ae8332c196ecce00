"""THE loop: look, decide, record the intent, perform, record the outcome.

A rollout, its resumption after a crash, a rollback and an abort are this loop with another state.
"""

import asyncio
from collections.abc import Callable, Collection
from typing import Protocol

import msgspec

from bridgehead.app.journal import Journal
from bridgehead.core.journal.entry import Draft
from bridgehead.core.model.json import JsonObject
from bridgehead.core.rollout.commands import Command, CommandResult, Done, Failed, Flip, key
from bridgehead.core.rollout.decide import decide, interrupted, outcome
from bridgehead.core.rollout.decision import Decision, intent, note
from bridgehead.core.rollout.run import Run
from bridgehead.core.rollout.state import Ending
from bridgehead.core.rollout.tracking import follow, in_flight, under_watch
from bridgehead.core.rollout.transition import DONE, LAPSED, REFUSED
from bridgehead.core.rollout.world import World
from bridgehead.core.verify.track import Track

CLOSING = frozenset({0, 1, 3})
"""Exits after which the run is over; with the others it keeps its component."""

PARK_PATIENCE = 10.0
"""Seconds that a runner that was told to stop may take to park the former template."""

PATIENCE = 25
"""Failed attempts in a row, about a second apart, after which a person must look."""


class Feed(Protocol):
    """The cluster as it is seen; ``cluster.feed.WorldFeed`` is the real one."""

    async def refresh(self, in_flight: Collection[str], watched: Collection[str]) -> None:
        """Read what is read only of nodes in flight or under watch."""
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
    """The runner was told to stop; ``parked`` says whether the former template stands."""

    def __init__(self, *, parked: bool) -> None:
        super().__init__("stopped")
        self.parked = parked


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
    ) -> None:
        self._feed = feed
        self._effects = effects
        self._journal = journal
        self._onlooker = onlooker
        self._clock = clock
        self._stop = stop
        self._failures = 0
        self._trouble = ""

    async def drive(self, run: Run, *, park_first: bool = False) -> Run:
        """Go on until an ending, which is in the journal and in the state that is returned.

        ``park_first``: this runner takes over from another, which may have left the target
        standing: the former template is parked before any other write.

        Raises Stopped when told to stop, LostLockError or LostJournalError (cluster) when another
        runner took over, and KubeError when the cluster cannot be reached or forbids something.
        """
        tick = min(1.0, max(0.2, run.plan.timing.status_period / 4))
        tracks: dict[str, Track] = {}
        while not self._stop.is_set():
            names = {node.name for node in in_flight(run)}
            await self._feed.refresh(names, {node.name for node in under_watch(run)})
            world, now = self._feed.snapshot(), self._clock()
            tracks = dict(follow(run, world, tracks, now))
            decision = decide(run, world, tracks, now)
            if park_first and not run.state.pending and not world.stale:
                park_first = False
                decision = interrupted(run) or decision
            self._onlooker.look(run, world, decision)
            if decision.ending is not None:
                return await self._end(run, decision)
            if not decision:
                await self._feed.changed(tick)
                continue
            run = await self.carry_out(run, decision)
            if self._failures >= PATIENCE:
                return await self._end(run, Decision(ending=self._worn_out(run, decision)))
            if self._failures:
                await self._feed.changed(1.0)
        await self._park(run)
        raise Stopped(parked=True)

    async def carry_out(self, run: Run, decision: Decision) -> Run:
        """Record what is found and intended in one write, perform, record what came of it."""
        intents = [intent(command) for command in decision.commands]
        run = await self._journal.write(run, [*decision.notes, *intents])
        if not decision.commands:
            return run
        results = await asyncio.gather(
            *(self._effects.perform(command) for command in decision.commands)
        )
        failed = [result.message for result in results if isinstance(result, Failed)]
        self._failures = self._failures + 1 if failed else 0
        self._trouble = failed[0] if failed else ""
        drafts = [
            _outcome(command, result)
            for command, result in zip(decision.commands, results, strict=True)
        ]
        return await self._journal.write(run, drafts)

    def _worn_out(self, run: Run, decision: Decision) -> Ending:
        names = ", ".join(key(command) for command in decision.commands)
        return Ending(
            exit=4,
            summary=f"gave up after {PATIENCE} failed attempts at {names}: {self._trouble}; the "
            f"journal of run {run.name} holds every answer",
        )

    async def _park(self, run: Run) -> None:
        """Before leaving: newcomers and accidents shall get the proven version."""
        step = interrupted(run)
        if not step.commands:
            return
        try:
            run = await asyncio.wait_for(self.carry_out(run, step), PARK_PATIENCE)
        except TimeoutError:
            raise Stopped(parked=False) from None
        if interrupted(run).commands:
            raise Stopped(parked=False)

    async def _end(self, run: Run, decision: Decision) -> Run:
        ending = decision.ending
        if ending is None or run.state.ending == ending:
            return run
        closed = ending.exit in CLOSING
        detail = {
            "ending": msgspec.to_builtins(msgspec.structs.replace(ending, failure=None)),
            "closed": "true" if closed else "false",
        }
        notes = [*decision.notes, note("run", "ended", detail=detail)]
        run = await self._journal.write(run, notes)
        state = msgspec.structs.replace(run.state, ending=ending)
        return msgspec.structs.replace(run, state=state)


def _outcome(command: Command, result: CommandResult) -> Draft:
    match result:
        case Done(detail=detail):
            return outcome(key(command), DONE, {**_position(command), **detail})
        case Failed(reason=reason, message=message):
            verdict = REFUSED if reason == "refused" else LAPSED
            return outcome(key(command), verdict, {"reason": reason, "message": message})


def _position(command: Command) -> JsonObject:
    """For readers: which template stands after a flip."""
    return {"to": command.to.value} if isinstance(command, Flip) else {}
