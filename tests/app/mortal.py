"""A run whose runner dies: the app's own loop, killed at counted moments, taken over each time.

A moment is a point between which and the next nothing reaches the cluster: before a record is
written (it is lost), after it (its effect is not tried), after an effect (its outcome is lost).
"""

import asyncio
import copy
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import msgspec

from bridgehead.app.journal import Journal
from bridgehead.app.loop import Loop
from bridgehead.app.open_run import over
from bridgehead.app.runner import held_by_next
from bridgehead.core.journal.chain import Head, Signature
from bridgehead.core.journal.entry import Draft, Entry, Phase
from bridgehead.core.model.component import RUN, Component
from bridgehead.core.plan.plan import Plan
from bridgehead.core.rollout.adopting import adopted
from bridgehead.core.rollout.commands import (
    Command,
    CommandResult,
    DeletePod,
    Flip,
    LetGo,
    Purpose,
    TakeOver,
    key,
)
from bridgehead.core.rollout.decision import Decision, note
from bridgehead.core.rollout.run import Run
from bridgehead.core.rollout.state import Ending, Mode, RunState
from bridgehead.core.rollout.transition import fold
from bridgehead.core.rollout.world import World
from tests.app.memory import Effects, Records, StandInFeed
from tests.core.standin.cluster import Cluster
from tests.core.standin.hand import Hand
from tests.core.standin.versions import GOOD, Version

NAME = "test-1"
NAMESPACE = "bridgehead"
SIGNATURE = Signature(NAME, "team", "user")
ASKED = "somebody asked for a rollback"
DELAYS = (1.0, 5.0, 40.0)
"""Seconds until another runner takes over; a lease is waited for longer than a timeout here."""


class Killed(BaseException):
    """The process is gone: nothing that belongs to it runs on."""


class Fuse:
    """Counts moments, and kills at the chosen ones."""

    def __init__(self, at: Collection[int], passing: Callable[[], None]) -> None:
        self.at = at
        self.passing = passing
        self.moments = 0
        self.dead = False

    def moment(self) -> None:
        self.moments += 1
        self.dead = self.dead or self.moments in self.at
        self.check()
        self.passing()

    def kill(self) -> None:
        self.dead = True
        self.check()

    def check(self) -> None:
        if self.dead:
            raise Killed


@dataclass(frozen=True)
class Story:
    """A plan, a version, and what happens meanwhile, by the record after which it does."""

    plan: Plan
    nodes: tuple[str, ...]
    version: Version = GOOD
    drifted: str = ""
    lag: float = 0.5
    during: Mapping[str, Callable[[Cluster], None]] = field(default_factory=dict)
    asked_back: str = ""
    """Record after which somebody asks for a rollback; ``held`` for: once the run holds."""


@dataclass(frozen=True)
class Performed:
    """An effect that reached the cluster, with the state that it rested on."""

    command: Command
    state: RunState


class MortalRecords(Records):
    """A journal whose writer may die before and after each write."""

    def __init__(self, start: Head, fuse: Fuse, written: Callable[[Entry], None]) -> None:
        super().__init__(start)
        self.fuse = fuse
        self.written = written
        self.state = RunState()

    async def append(
        self, run: str, drafts: Sequence[Draft], signature: Signature, now: float
    ) -> tuple[Entry, ...]:
        self.fuse.check()
        if drafts[0].phase is not Phase.OUTCOME:  # before an outcome is after its effect
            self.fuse.moment()
        entries = await super().append(run, drafts, signature, now)
        self.state = fold(entries, self.state)
        for entry in entries:
            self.written(entry)
        self.fuse.moment()
        return entries


class MortalEffects(Effects):
    """A hand whose owner may die after each effect."""

    def __init__(self, hand: Hand, fuse: Fuse, performed: Callable[[Command], None]) -> None:
        super().__init__(hand)
        self.fuse = fuse
        self.performed = performed

    async def perform(self, command: Command) -> CommandResult:
        self.fuse.check()
        self.performed(command)
        result = await super().perform(command)
        self.fuse.moment()
        return result


class Blind:
    """Nobody watches."""

    def look(self, run: Run, world: World, decision: Decision) -> None:
        return


class Telling:
    """A story as it happens, over as many runners as it takes.

    With ``keep`` it holds on to what would be left if the runner died, moment by moment.
    """

    def __init__(self, story: Story, *, kills: Collection[int] = (), keep: bool = False) -> None:
        self.story = story
        self.cluster = Cluster(story.nodes, {"v2": story.version})
        if story.drifted:
            self.cluster.drifted[story.drifted] = Version(registers_after=None)
        self.fuse = Fuse(kills, self._keep if keep else lambda: None)
        self.records = MortalRecords(Head(0, story.plan.change_digest), self.fuse, self._written)
        self.performed: list[Performed] = []
        self.deaths = 0
        self.over_budget: list[str] = []
        self.remains: list[Telling] = []
        self._due = dict(story.during)
        self._asked = False
        component = self.cluster.daemonset
        assert component is not None
        component.lag = story.lag
        component.annotations[RUN] = f"{NAMESPACE}/{NAME}/1"

    def _keep(self) -> None:
        left = Telling(self.story)
        left.cluster = copy.deepcopy(self.cluster)
        left.records.entries = list(self.records.entries)
        left.records.state = self.records.state
        left.performed = list(self.performed)
        left.over_budget = list(self.over_budget)
        left.fuse.moments = self.fuse.moments
        left.deaths = self.deaths
        left._due, left._asked = dict(self._due), self._asked
        self.remains.append(left)

    @property
    def state(self) -> RunState:
        """What a runner that takes over would find."""
        return self.records.state

    @property
    def exposed(self) -> bool:
        """Whether the target is known to stand: who takes over parks before any other write."""
        run = Run(name=NAME, plan=self.story.plan, state=self.state)
        return run.exposed and not self.state.pending

    def tell(self) -> Ending:
        """Until an ending that nobody goes on from."""
        return asyncio.run(self._tell())

    def taken_over(self, *, kills: Collection[int] = ()) -> Ending:
        """The same from what is left of a runner that died here."""
        self.fuse.at = kills
        self._die()
        return self.tell()

    def _die(self) -> None:
        self.deaths += 1
        self.fuse.dead = False
        self.cluster.advance(DELAYS[self.fuse.moments % len(DELAYS)])

    async def _tell(self) -> Ending:
        for _ in range(9):
            try:
                ending = await self._one_runner()
            except Killed:
                self._die()
                continue
            if self._asked or self.story.asked_back != "held" or ending.exit != 4:
                return ending
            self._asked = True
        raise AssertionError("runner after runner")

    async def _one_runner(self) -> Ending:
        clock = lambda: self.cluster.now  # noqa: E731 - the stand-in's clock
        journal = Journal(self.records, SIGNATURE, clock, lambda entry: None)
        state = self.state
        run = Run(name=NAME, plan=self.story.plan, state=state)
        if state.mode is Mode.ENDED and state.ending is not None:
            return state.ending
        if (ending := over(NAMESPACE, NAME, state, self._component())) is not None:
            detail = {"ending": msgspec.to_builtins(ending), "closed": "true"}
            await journal.write(run, (note("run", "ended", detail=detail),))
            return ending
        first: list[Draft] = []
        takes_over = bool(self.records.entries)
        if takes_over:
            first.append(held_by_next(state, adopted(run, self._component())))
        else:
            assert self.cluster.daemonset is not None
            generation = self.cluster.daemonset.generation
            first.append(note("run", "began", detail={"generation": generation}))
        if self._asked and state.turned_for != ASKED:
            first.append(note("turn", "back", detail={"reason": ASKED}))
        run = await journal.write(run, first)
        loop = Loop(
            feed=StandInFeed(self.cluster),
            effects=MortalEffects(
                Hand(self.cluster, self.story.plan, NAME, run.state.reached_generation),
                self.fuse,
                self._perform,
            ),
            journal=journal,
            onlooker=Blind(),
            clock=clock,
            stop=asyncio.Event(),
        )
        done = await loop.drive(run, park_first=takes_over)
        assert done.state.ending is not None
        return done.state.ending

    def _component(self) -> Component | None:
        found = self.cluster.daemonset
        return found.value(found.annotations) if found is not None else None

    def _written(self, entry: Entry) -> None:
        place = place_of(entry)
        act = self._due.pop(place, None)
        if act is not None:
            act(self.cluster)
        if place == self.story.asked_back and not self._asked:
            self._asked = True
            self.fuse.kill()

    def _perform(self, command: Command) -> None:
        done = Performed(command, self.state)
        self.performed.append(done)
        if isinstance(command, DeletePod):
            self._within_budget(command.node, done.state)

    def _within_budget(self, name: str, state: RunState) -> None:
        """Judged by what the nodes offer, not by what the run thinks; failed nodes do not count."""
        plan = self.story.plan
        stage = plan.stages[min(state.stage, len(plan.stages) - 1)]
        failing = {item.name for item in state.nodes.values() if item.failure is not None}
        if name in failing:
            return
        gap = {item for item in self.cluster.nodes if item == name or self.cluster.away(item)}
        gap -= failing
        cohort = plan.cohort_of(name)
        kin = gap & set(cohort.nodes if cohort else (name,))
        limit = max(1, len(cohort.nodes) // 4) if cohort else 1
        if len(gap) > stage.parallel or len(kin) > limit:
            self.over_budget.append(f"{sorted(gap)} are away, {stage.parallel} and {limit} may be")

    @property
    def deletions(self) -> list[tuple[DeletePod, Purpose]]:
        """Which pods were deleted, and why, in order."""
        return [
            (done.command, work.purpose)
            for done in self.performed
            if isinstance(done.command, DeletePod)
            and (work := done.state.node(done.command.node).work) is not None
        ]

    def counted(self, kind: type[Command]) -> int:
        """How often effects of a kind reached the cluster."""
        return sum(isinstance(done.command, kind) for done in self.performed)

    @property
    def twice(self) -> list[str]:
        """Effects that were sent although they had happened: pods by uid, all else in a row."""
        uids = [d.command.uid for d in self.performed if isinstance(d.command, DeletePod)]
        flips = [d.command.to for d in self.performed if isinstance(d.command, Flip)]
        again = [uid for uid in set(uids) if uids.count(uid) > 1]
        again += [f"flip to {a.value}" for a, b in pairwise(flips) if a is b]
        once = [key(d.command) for d in self.performed if isinstance(d.command, TakeOver | LetGo)]
        return again + [name for name in set(once) if once.count(name) > 1]

    @property
    def holds_change(self) -> bool:
        """Whether the change is held: it failed, and was taken back."""
        state = self.state
        return state.mode is Mode.ENDED and not state.refused and state.failure is not None


def place_of(entry: Entry) -> str:
    """A record in a word or three: step, node, result or phase."""
    words = (entry.step, entry.node, entry.result or entry.phase.value)
    return " ".join(word for word in words if word)
