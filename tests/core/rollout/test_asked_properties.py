"""What holds whatever people ask, whenever they ask it, and wherever a runner dies over it."""

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridgehead.core.journal.entry import Entry
from bridgehead.core.plan.plan import Plan
from bridgehead.core.rollout.approvals import points
from bridgehead.core.rollout.estimate import estimate
from bridgehead.core.rollout.limits import Limits
from bridgehead.core.rollout.state import Ending, Mode, NodeStatus
from bridgehead.core.rollout.transition import fold
from tests.core.rollout.asking import (
    Act,
    abort,
    approve,
    asking,
    pause,
    resume,
    retry,
    without,
)
from tests.core.rollout.test_properties import CALM, LATEST, Story, Telling, judge, stories
from tests.core.standin.cluster import Cluster
from tests.core.standin.controller import template_of
from tests.core.standin.plans import canary, plan_of, wave
from tests.core.standin.runner import Runner
from tests.core.standin.versions import GOOD, Version

WISHES: Mapping[str, Callable[[str], Act]] = {
    "pause": lambda node: pause,
    "resume": lambda node: resume,
    "without": without,
    "retry": retry,
    "abort": lambda node: abort,
}
OFTEN = ("pause", "pause", "resume", "without", "retry")
TRIES = 60


@dataclass(frozen=True)
class Wish:
    """A request that is filed after so many turns of the loop."""

    turn: int
    what: str
    node: str


@dataclass
class Asked(Telling):
    """A story in which people ask for things, and see to it that the run comes to an end."""

    wishes: tuple[Wish, ...] = ()
    hurried: bool = False
    """Whether each runner has the time of two nodes only."""
    waits: list[Ending] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._begin()

    def tell(self) -> Ending:
        for _ in range(TRIES):
            ending = self._try()
            self.runner._end(ending)
            if ending.exit == 4 and self.runner.state.mode is Mode.HOLD and len(self.waits) < TRIES:
                asked = len(self.cluster.control)
                self._answer()
                if len(self.cluster.control) > asked:
                    self._begin()
                    continue
            if ending.exit != 5:
                return ending
            self._parked()
            self.waits.append(ending)
            resume(self.cluster)
            for point in points(self.story.plan):
                approve(self.story.plan, point)(self.cluster)
            self._begin()
        raise AssertionError(f"no end after {TRIES} tries: {self.waits[-3:]}")

    def _begin(self) -> None:
        self.cluster.advance(3)
        self.runner = self._runner(self.runner.journal)
        if self.hurried:
            seconds = 2 * estimate(self.runner.run_value)
            self.runner.limits = Limits(until=self.cluster.now + seconds)

    def _try(self) -> Ending:
        while True:
            self.turns += 1
            assert self.turns < 9000, self.runner.waiting_for
            for wish in self.wishes:
                if wish.turn == self.turns:
                    WISHES[wish.what](wish.node)(self.cluster)
            if self.turns in self.story.crashes:
                self._begin()
            ending = self.runner.turn()
            self._check()
            if ending is not None:
                return ending

    def _answer(self) -> None:
        """Every second hold is answered by another try, the rest by leaving the nodes out."""
        failed = {NodeStatus.STUCK, NodeStatus.TAKEN_BACK}
        nodes = [n.name for n in self.runner.state.nodes.values() if n.status in failed]
        if len(self.cluster.control) < 8:
            (retry if len(self.cluster.control) % 2 else without)(*nodes)(self.cluster)

    def _parked(self) -> None:
        cluster, state = self.cluster, self.runner.state
        assert cluster.daemonset is not None
        assert cluster.daemonset.template == template_of("v1")
        assert state.working == ()
        unsound = {node.name for node in state.nodes.values() if node.unsound}
        left = {item.split()[0] for item in cluster.leftovers if "cordoned" in item}
        assert left <= unsound | {self.story.cordoned}
        assert not [item for item in cluster.leftovers if item.startswith("pod ")]
        assert not [item for item in cluster.leftovers if "marked" in item and not unsound]


@st.composite
def asked(draw: st.DrawFn, *, faults: bool = True) -> Asked:
    story = draw(stories(faults=faults, disturbed=False))
    crashes = frozenset(draw(st.sets(st.integers(1, LATEST), max_size=2)))
    spots = ("afterCanary", *(f"beforeWave:{n}" for n in (1, 2)))
    chosen = tuple(draw(st.lists(st.sampled_from(spots), max_size=2, unique=True)))
    wish = st.builds(
        Wish,
        turn=st.integers(1, LATEST),
        what=st.sampled_from((*OFTEN, *OFTEN, "abort") if faults else OFTEN[:3]),
        node=st.sampled_from(story.nodes),
    )
    story = Story(
        plan=asking(story.plan, approve=chosen),
        nodes=story.nodes,
        version=story.version,
        drifted=story.drifted,
        cordoned=story.cordoned,
        lag=story.lag,
        crashes=crashes,
    )
    wishes = tuple(draw(st.lists(wish, max_size=6)))
    # An estimate has room for a controller that takes a template up in seconds, and for a pull that
    # ends: one that stands in error is given up after longer than that.
    quick = story.lag < 10.0 and not story.version.pull_error
    hurried = draw(st.booleans()) and quick
    return Asked(story, wishes=wishes, hurried=hurried)


@settings(CALM, max_examples=15)
@given(told=asked())
def test_whatever_is_asked_the_promises_hold(told: Asked) -> None:
    ending = told.tell()
    judge(told, ending)
    noted = [entry for entry in told.runner.journal if entry.step == "control"]
    assert len(noted) == told.runner.state.requests <= len(told.cluster.control)


@settings(CALM, max_examples=5)
@given(told=asked(faults=False))
def test_a_good_version_gets_through_pauses_approvals_and_short_times(told: Asked) -> None:
    ending = told.tell()
    assert ending.exit == 0
    judge(told, ending)


# --- a runner that dies over a request ------------------------------------------------------------

NODES = ("a1", "a2", "a3")
BAD = Version(devices=3, only_on=frozenset({"a3"}))


def small_plan() -> Plan:
    stages = (canary("canary", "a1", soak=3.0), wave(1, "a2", "a3", parallel=2, soak=2.0))
    plan = plan_of(NODES, stages=stages, settle=2.0, timeout=12.0)
    return asking(plan, approve=("beforeWave:1",))


def consent(cluster: Cluster) -> None:
    approve(small_plan(), "beforeWave:1")(cluster)


def pause_and_resume(cluster: Cluster) -> None:
    pause(cluster)
    resume(cluster)


Crash = tuple[Cluster, list[Entry]]


class Rehearsal:
    """An undisturbed run in which things are asked, as it stood after each record and effect."""

    def __init__(self, version: Version, acts: Mapping[str, Act]) -> None:
        self.crashes: list[Crash] = []
        self.cluster = Cluster(NODES, {"v2": version})
        self.runner = Runner(self.cluster, small_plan(), during=acts)
        self.runner.after_step = self._remember
        self.ending = self.runner.run()
        self.asked = list(self.cluster.control)

    def _remember(self, runner: Runner) -> None:
        self.crashes.append((copy.deepcopy(runner.cluster), list(runner.journal)))

    def resumed(self, crash: Crash) -> tuple[Ending, Runner]:
        """Another runner; what had not been asked yet by then is asked before it begins."""
        cluster, journal = copy.deepcopy(crash[0]), list(crash[1])
        cluster.control += self.asked[len(cluster.control) :]
        cluster.advance(4.0)
        runner = Runner(cluster, small_plan(), journal=journal)
        return runner.run(), runner


@pytest.mark.parametrize(
    ("version", "acts", "exits"),
    [
        (GOOD, {"preflight passed": consent, "stage soaking": pause_and_resume}, {0}),
        (GOOD, {"preflight passed": consent, "delete-pod a2 done": abort}, {3}),
        (BAD, {"preflight passed": consent, "turn a3 hold": without("a3")}, {4}),
        (BAD, {"preflight passed": consent, "turn a3 hold": retry("a3")}, {4}),
    ],
    ids=["pause and resume", "abort", "without", "retry"],
)
def test_no_request_is_acted_upon_twice_wherever_a_runner_dies(
    version: Version, acts: Mapping[str, Act], exits: set[int]
) -> None:
    first = Rehearsal(version, acts)
    assert first.ending.exit in exits
    for number, crash in enumerate(first.crashes):
        ending, runner = first.resumed(crash)
        where = f"crash {number} after {crash[1][-1].step} {crash[1][-1].node}"
        assert ending.exit in exits, where
        noted = [entry for entry in runner.journal if entry.step == "control"]
        assert len(noted) == len(runner.cluster.control) or runner.state.mode is Mode.ENDED, where
        assert len(noted) <= len(first.asked), where
        assert fold(runner.journal) == msgspec.structs.replace(runner.state), where
        assert not [item for item in runner.cluster.leftovers if "cordoned" in item], where
