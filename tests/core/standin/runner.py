"""The loop of the app over the stand-in: look, decide, record, perform, record."""

from collections.abc import Callable, Mapping

import msgspec

from bridgehead.core.journal.chain import Head, Signature, append
from bridgehead.core.journal.entry import Draft, Entry
from bridgehead.core.model.component import RUN
from bridgehead.core.model.json import JsonObject
from bridgehead.core.plan.plan import Plan
from bridgehead.core.rollout.commands import Command, CommandResult, Done, key
from bridgehead.core.rollout.decide import decide, interrupted, outcome
from bridgehead.core.rollout.decision import Decision, intent, note
from bridgehead.core.rollout.limits import Limits
from bridgehead.core.rollout.noticing import last_write
from bridgehead.core.rollout.run import Run
from bridgehead.core.rollout.state import Ending, RunState
from bridgehead.core.rollout.tracking import follow
from bridgehead.core.rollout.transition import DONE, LAPSED, REFUSED, fold, transition
from bridgehead.core.rollout.world import World
from bridgehead.core.verify.track import Track
from tests.core.standin.cluster import Cluster
from tests.core.standin.hand import Hand

NAME = "test-1"
SIGNATURE = Signature(NAME, "team", "user")
LONGEST = 3600.0
"""Virtual seconds after which a run that has not ended is taken for stuck."""

TICK = 1.0
SOAK_TICK = 2.0
"""Virtual seconds between two looks: less often where nothing is in flight."""

CLOSING = frozenset({0, 1, 3})


class StuckError(AssertionError):
    """The run does not end."""


class Runner:
    """One runner of a run; ``after_step`` is called after each record and each effect."""

    def __init__(
        self,
        cluster: Cluster,
        plan: Plan,
        *,
        journal: list[Entry] | None = None,
        limits: Limits = Limits(),  # noqa: B008 - a frozen value
        after_step: Callable[["Runner"], None] | None = None,
        watch: Callable[["Runner"], None] | None = None,
        during: Mapping[str, Callable[[Cluster], None]] | None = None,
    ) -> None:
        self.cluster = cluster
        self.plan = plan
        self.limits = limits
        self.journal: list[Entry] = [] if journal is None else journal
        self.state = fold(self.journal)
        self.hand = Hand(cluster, plan, NAME, self.state.reached_generation)
        self.tracks: Mapping[str, Track] = {}
        self.after_step = after_step
        self.watch = watch
        self.during = dict(during or {})
        self.waiting_for = ""
        self.seen_since = 0.0
        if not self.journal:
            self._begin()

    def _begin(self) -> None:
        component = self.cluster.daemonset
        assert component is not None
        component.annotations[RUN] = f"bridgehead/{NAME}/1"
        written = last_write(component.value(component.annotations))
        detail: JsonObject = {"generation": component.generation, "written": written}
        self.record(note("run", "began", detail=detail))

    @property
    def run_value(self) -> Run:
        return Run(name=NAME, plan=self.plan, state=self.state, limits=self.limits)

    def run(self) -> Ending:
        """Until the ending."""
        end = self.cluster.now + LONGEST
        while self.cluster.now < end:
            if self.watch is not None:
                self.watch(self)
            ending = self.turn()
            if ending is not None:
                self._end(ending)
                return ending
        raise StuckError(f"{self.waiting_for!r} after {LONGEST:g} s: {self.steps_text[-6:]}")

    def until(self, condition: Callable[["Runner"], bool]) -> None:
        """Turns until the condition holds."""
        end = self.cluster.now + LONGEST
        while not condition(self):
            ending = self.turn()
            assert ending is None, ending
            assert self.cluster.now < end, self.waiting_for

    def turn(self) -> Ending | None:
        """One turn of the loop."""
        world = self._look()
        run = self.run_value
        self.tracks = follow(run, world, self.tracks, self.cluster.now)
        decision = decide(run, world, self.tracks, self.cluster.now)
        if decision.ending is not None:
            return decision.ending
        if not decision:
            self.waiting_for = decision.waiting_for
            soaking = self.state.soak_since is not None
            self.cluster.advance(SOAK_TICK if soaking else TICK)
            return None
        self.carry_out(decision)
        return None

    def _look(self) -> World:
        world = self.cluster.world()
        self.seen_since = 0.0 if world.stale else self.seen_since or self.cluster.now
        return msgspec.structs.replace(world, seen_since=self.seen_since)

    def carry_out(self, decision: Decision) -> None:
        for draft in decision.notes:
            self.record(draft)
        for command in decision.commands:
            self.record(intent(command))
        results = [(command, self._perform(command)) for command in decision.commands]
        failed = False
        for command, result in results:
            if isinstance(result, Done):
                self.record(outcome(key(command), DONE, result.detail))
                continue
            failed = True
            verdict = REFUSED if result.reason == "refused" else LAPSED
            self.record(outcome(key(command), verdict, {"message": result.message}))
        if failed:
            self.cluster.advance(TICK)

    def interrupt(self) -> None:
        """The runner is told to stop: it parks and leaves."""
        step = interrupted(self.run_value)
        if step.commands:
            self.carry_out(step)

    def _perform(self, command: Command) -> CommandResult:
        result = self.hand.perform(command)
        self._step()
        return result

    def record(self, draft: Draft) -> None:
        head = Head(0, self.plan.change_digest)
        if self.journal:
            head = Head(self.journal[-1].seq, self.journal[-1].digest)
        entry = append(head, draft, SIGNATURE, self.cluster.now)
        self.journal.append(entry)
        self.state = transition(self.state, entry)
        if (draft.step, draft.result) == ("run", "held"):  # it claims only after that
            self.hand = Hand(self.cluster, self.plan, NAME, self.state.reached_generation)
        self._step()
        act = self.during.pop(_place(entry), None)
        if act is not None:
            act(self.cluster)

    def _step(self) -> None:
        if self.after_step is not None:
            self.after_step(self)

    def _end(self, ending: Ending) -> None:
        closed = "true" if ending.exit in CLOSING or ending.over else "false"
        plain = msgspec.to_builtins(msgspec.structs.replace(ending, failure=None))
        told = self.state.ending
        if told is None or (told.exit, told.summary) != (ending.exit, ending.summary):
            self.record(note("run", "ended", detail={"ending": plain, "closed": closed}))

    @property
    def steps_text(self) -> list[str]:
        """The journal, one short line a record."""
        return [_place(entry) for entry in self.journal]

    def replayed(self) -> RunState:
        """The state that another runner would find."""
        return fold(self.journal)


def _place(entry: Entry) -> str:
    words = (entry.step, entry.node, entry.result or entry.phase.value)
    return " ".join(word for word in words if word)
