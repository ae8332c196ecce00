"""What holds for every plan, every version and whatever others do meanwhile."""

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bridgehead.core.journal.chain import Head, check
from bridgehead.core.journal.entry import Entry, Phase
from bridgehead.core.model.device import Offer
from bridgehead.core.model.json import JsonObject, text
from bridgehead.core.plan.plan import Care, Plan
from bridgehead.core.plan.settings import OnFailure, Reaction, Workloads
from bridgehead.core.rollout.budget import came_up, in_gap
from bridgehead.core.rollout.commands import Command, CommandResult, Failed, Position, Purpose
from bridgehead.core.rollout.decision import note
from bridgehead.core.rollout.state import Ending, Mode, NodeState, NodeStatus
from bridgehead.core.rollout.transition import fold
from tests.core.standin.cluster import GPU, Cluster
from tests.core.standin.controller import ROLLING, hash_of, template_of
from tests.core.standin.hand import Hand
from tests.core.standin.plans import canary, plan_of, wave
from tests.core.standin.runner import Runner
from tests.core.standin.versions import GOOD, Version

NAMES = ("a1", "a2", "a3", "b1", "b2", "b3", "c1")
LATEST = 220
"""The turn of the loop by which all acts have come; an undisturbed run takes about so many."""

FAULTS = (
    Version(crash_after=0.0),
    Version(crash_after=1.0),
    Version(registers_after=None),
    Version(devices=0),
    Version(fewer=1),
    Version(unhealthy_after=2.0),
    Version(allocate_fails=True),
    Version(suffix="-x"),
    Version(log="panic: runtime error"),
    Version(refused="UnexpectedAdmissionError"),
    Version(pull_error=True),
)


CARES = (Care(), Care(), Care(Workloads.WAIT, 20.0), Care(Workloads.EVICT, 20.0))


@dataclass(frozen=True)
class Act:
    """Something that happens after so many turns of the loop."""

    turn: int
    what: str
    node: str


@dataclass(frozen=True)
class Story:
    """A plan, a version and what others do."""

    plan: Plan
    nodes: tuple[str, ...]
    version: Version
    drifted: str
    cordoned: str
    lag: float
    acts: tuple[Act, ...] = ()
    crashes: frozenset[int] = frozenset()
    asked_back: int = 0
    """Turn of the loop at which another runner takes it over to take it back; 0 for never."""


def _join(cluster: Cluster, node: str) -> None:
    if "a9" not in cluster.nodes:
        cluster.join("a9")


def _leave(cluster: Cluster, node: str) -> None:
    if node in cluster.nodes:
        cluster.leave(node)


def _ready(cluster: Cluster, node: str, *, ready: bool) -> None:
    if node in cluster.nodes:
        cluster.nodes[node].ready = ready


def _write(cluster: Cluster, **fields: JsonObject) -> None:
    if cluster.daemonset is not None:
        cluster.daemonset.write(cluster.now, "kubectl", **fields)


def _gone(cluster: Cluster, node: str) -> None:
    cluster.daemonset = None


def _stale(cluster: Cluster, node: str) -> None:
    cluster.stale = "" if cluster.stale else "the list of nodes"


def _dip(cluster: Cluster, node: str) -> None:
    """The kubelet restarts: for one report the node offers nothing."""
    if node in cluster.nodes:
        cluster.nodes[node].offers = {GPU: Offer(0, 0)}


def _lag(cluster: Cluster, node: str, *, lag: float) -> None:
    if cluster.daemonset is not None:
        cluster.daemonset.lag = lag


def _refuse(cluster: Cluster, node: str) -> None:
    """The next three effects meet another state than they expect."""
    cluster.refusals = 3


def _budget(cluster: Cluster, node: str, *, shut: bool) -> None:
    cluster.budget_is_shut = shut


WHAT: Mapping[str, Callable[[Cluster, str], object]] = {
    "delete-by-hand": Cluster.delete_by_hand,
    "join": _join,
    "leave": _leave,
    "fall-ill": partial(_ready, ready=False),
    "recover": partial(_ready, ready=True),
    "refuse-pod": Cluster.refuse_pod,
    "hold-devices": partial(Cluster.hold_devices, count=4),
    "hold-for-now": partial(Cluster.hold_devices, count=1, owner="Job"),
    "shut-budget": partial(_budget, shut=True),
    "open-budget": partial(_budget, shut=False),
    "stale": _stale,
    "dip": _dip,
    "slow-controller": partial(_lag, lag=50.0),
    "dead-controller": partial(_lag, lag=200.0),
    "quick-controller": partial(_lag, lag=0.5),
    "refuse-effects": _refuse,
    "foreign-former": lambda cluster, node: _write(cluster, template=template_of("v1")),
    "foreign-template": lambda cluster, node: _write(cluster, template=template_of("v3")),
    "foreign-target": lambda cluster, node: _write(cluster, template=template_of("v2")),
    "foreign-strategy": lambda cluster, node: _write(cluster, strategy=ROLLING),
    "delete-component": _gone,
}
RARE = (
    "dead-controller",
    "foreign-former",
    "foreign-template",
    "foreign-target",
    "foreign-strategy",
    "delete-component",
)
OFTEN = tuple(what for what in WHAT if what not in RARE)


@st.composite
def stories(draw: st.DrawFn, *, faults: bool = True, disturbed: bool = True) -> Story:
    nodes = tuple(sorted(draw(st.sets(st.sampled_from(NAMES), min_size=1, max_size=6))))
    kinds = list(dict.fromkeys(name[0] for name in nodes))
    canaries = [next(name for name in nodes if name[0] == kind) for kind in kinds]
    parallel = draw(st.integers(1, 3))
    stages = [canary("canary", canaries[0], soak=3.0)]
    if canaries[1:]:
        stages.append(canary("other canaries", *canaries[1:], parallel=parallel, soak=3.0))
    rest = [name for name in nodes if name not in canaries]
    cut = draw(st.integers(0, len(rest)))
    for number, part in enumerate((rest[:cut], rest[cut:]), 1):
        if part:
            unproven = draw(st.integers(1, 4))
            stages.append(wave(number, *part, parallel=parallel, unproven=unproven, soak=2.0))
    version = GOOD
    if faults and draw(st.booleans()):
        only_on = frozenset(draw(st.sets(st.sampled_from(nodes), min_size=1)))
        version = msgspec.structs.replace(draw(st.sampled_from(FAULTS)), only_on=only_on)
    act = st.builds(
        Act,
        turn=st.integers(1, LATEST),
        what=st.sampled_from((*OFTEN, *OFTEN, *RARE)),
        node=st.sampled_from(nodes),
    )
    return Story(
        plan=plan_of(
            nodes,
            stages=tuple(stages),
            settle=2.0,
            timeout=14.0,
            restart_tests=draw(st.booleans()),
            care=draw(st.sampled_from(CARES)),
            on_failure=OnFailure(
                canary=draw(st.sampled_from(Reaction)), wave=draw(st.sampled_from(Reaction))
            ),
        ),
        nodes=nodes,
        version=version,
        drifted=draw(st.sampled_from(("", "", "", *nodes))) if faults else "",
        cordoned=draw(st.sampled_from(("", *nodes))),
        lag=draw(st.sampled_from((0.5, 3.0, 20.0))),
        acts=tuple(draw(st.lists(act, max_size=5))) if disturbed else (),
        crashes=frozenset(draw(st.sets(st.integers(1, LATEST), max_size=2)))
        if disturbed
        else frozenset(),
        asked_back=draw(st.sampled_from((0, 0, 0, *range(20, LATEST, 20)))) if disturbed else 0,
    )


class Grudging(Hand):
    """A hand whose writes others get in the way of, now and then."""

    def perform(self, command: Command) -> CommandResult:
        if self.cluster.refusals:
            self.cluster.refusals -= 1
            return Failed("conflict", "somebody else wrote it first")
        return super().perform(command)


@dataclass
class Telling:
    """A story as it happens, with the checks that hold at every turn."""

    story: Story
    cluster: Cluster = field(init=False)
    runner: Runner = field(init=False)
    turns: int = 0

    def __post_init__(self) -> None:
        story = self.story
        self.cluster = Cluster(story.nodes, {"v2": story.version})
        if story.drifted:
            self.cluster.drifted[story.drifted] = Version(registers_after=None)
        if story.cordoned:
            self.cluster.nodes[story.cordoned].unschedulable = True
        assert self.cluster.daemonset is not None
        self.cluster.daemonset.lag = story.lag
        self.runner = self._runner([])

    def _runner(self, journal: list[Entry]) -> Runner:
        runner = Runner(self.cluster, self.story.plan, journal=journal)
        runner.hand = Grudging(self.cluster, self.story.plan, runner.hand.run)
        return runner

    def _taken_over(self) -> Runner:
        """Another runner, which parks before its first other write."""
        runner = self._runner(self.runner.journal)
        while runner.state.pending and runner.state.mode is not Mode.ENDED:
            assert runner.turn() is None
            self.cluster.stale = ""
        runner.interrupt()
        return runner

    def tell(self) -> Ending:
        while True:
            self.turns += 1
            assert self.turns < 4000, self.runner.waiting_for
            for act in self.story.acts:
                if act.turn == self.turns:
                    WHAT[act.what](self.cluster, act.node)
            if self.turns in self.story.crashes:
                self.cluster.advance(3)
                self.runner = self._taken_over()
            if self.turns == self.story.asked_back:
                self.runner = self._runner(self.runner.journal)
                self.runner.record(note("turn", "back", detail={"reason": "asked for"}))
            before = len(self.runner.journal)
            ending = self.runner.turn()
            self._check()
            if ending is None and len(self.runner.journal) == before:
                self._check_waiting()
            if ending is not None:
                return ending

    def _check(self) -> None:
        state = self.runner.state
        if self.turns % 40 == 0:
            self.cluster.stale = ""
        if state.mode is Mode.FORWARD:
            stages = self.story.plan.stages
            stage = stages[min(state.stage, len(stages) - 1)]
            tracks = self.runner.tracks
            ours = [item for item in state.working if item.held]
            gone = [item for item in ours if in_gap(item, tracks) and not came_up(state, item)]
            away = [item for item in gone if not self._back(item)]
            assert len(away) <= stage.parallel
            changing = [n for n in ours if n.work and n.work.purpose is Purpose.CHANGE]
            assert len(changing) <= max(stage.unproven, stage.parallel)

    def _check_waiting(self) -> None:
        """In soak the former template stands; a run that waits has said what for."""
        assert self.runner.waiting_for
        if " soaks " in self.runner.waiting_for:
            assert self.runner.state.template is Position.FORMER

    def _back(self, node: NodeState) -> bool:
        """Whether the devices are there, though a runner that just took over cannot know it."""
        seen = self.cluster.nodes.get(node.name)
        deleted = node.work is not None and node.work.deleted_at is not None
        full = seen is not None and sum(o.allocatable for o in seen.offers.values()) >= seen.devices
        return bool(self.story.crashes) and deleted and full


def judge(told: Telling, ending: Ending) -> None:
    """What must hold at every ending."""
    cluster, state = told.cluster, told.runner.state
    assert ending.summary
    _parked(told, ending)
    _spared(told)
    assert all(deletion.observed for deletion in cluster.deletions)
    assert cluster.unobserved_writes == []
    assert fold(told.runner.journal) == state
    assert check(told.runner.journal, Head(0, told.story.plan.change_digest)) is None
    left = [item for item in cluster.leftovers if item != f"{told.story.cordoned} cordoned"]
    assert not [item for item in left if item.startswith("pod ")]
    if ending.exit != 4:
        assert left == []
    kept = {
        node.name
        for node in state.nodes.values()
        if node.work is not None
        or node.unsound
        or node.status in {NodeStatus.FAILED, NodeStatus.STUCK}
        or (node.status is NodeStatus.PENDING and node.touched)
    }
    cordoned = {item.split()[0] for item in left if item.endswith(("cordoned", "marked"))}
    assert cordoned <= kept
    if told.story.cordoned in cluster.nodes:
        assert cluster.nodes[told.story.cordoned].unschedulable
    ready = {name for name, node in cluster.nodes.items() if node.ready}
    tags = {name: tag for name, tag in cluster.tags().items() if name in ready}
    if ending.exit == 0:
        assert set(tags.values()) <= {"v2"}
        assert not [name for name in ready & set(told.story.nodes) if _bad(told.story, name)]
        _offering(told, ready)
    if ending.exit in {1, 3} and cluster.daemonset is not None:
        assert set(tags.values()) <= {"v1"}

    if not any(act.what.startswith("foreign") for act in told.story.acts):
        assert cluster.rolled == []
    _purposeful(told)
    component = cluster.daemonset
    if ending.exit in {0, 1, 3} and component is not None:
        assert component.strategy == ROLLING
        assert component.template == template_of("v2" if ending.exit == 0 else "v1")


def _offering(told: Telling, ready: set[str]) -> None:
    """Not knowing is never good: what the run calls done offers all its devices, or just did."""
    latest = max((a.turn for a in told.story.acts if a.what in {"dip", "recover"}), default=0)
    for node in told.runner.state.nodes.values():
        if node.status is NodeStatus.PASSED and node.name in ready and told.turns > latest + 8:
            offers = told.cluster.nodes[node.name].offers
            assert node.baseline is not None
            for name, offer in node.baseline.offers.items():
                assert offers[name].allocatable >= offer.allocatable, node.name


def _parked(told: Telling, ending: Ending) -> None:
    """The target stays only where the run got through; at every other ending it was put back."""
    state, component = told.runner.state, told.cluster.daemonset
    kinds = {act.what for act in told.story.acts}
    foreign = any(what.startswith("foreign") for what in kinds)
    through = state.stage >= len(told.story.plan.stages) or ending.exit == 0
    if component is not None and not foreign and not through:
        assert component.template == template_of("v1")


def _spared(told: Telling) -> None:
    """After a node failed, no node that the target has not reached loses its pod for it."""
    failed, reached = False, set()
    target = hash_of(template_of("v2"))
    on_target = {item.uid for item in told.cluster.deletions if item.revision == target}
    purposes: dict[str, str] = {}
    for entry in told.runner.journal:
        kind = (entry.step, entry.result or entry.phase.value)
        if kind in {("turn", "back"), ("turn", "hold")}:
            failed = True
        elif kind == ("turn", "forward"):
            failed = False
        elif kind == ("cordon", "intent"):
            purposes[entry.node] = text(entry.detail, "purpose")
        elif kind == ("node", "arrived"):
            reached.add(entry.node)
        elif kind == ("delete-pod", "intent"):
            unplanned = text(entry.detail, "uid") in on_target
            assert not failed or unplanned or entry.node in reached, entry.node
            if purposes.get(entry.node) == "change":
                reached.add(entry.node)


def _purposeful(told: Telling) -> None:
    """No pod is deleted that carries the wanted revision already, but for restart tests."""
    former, target = hash_of(template_of("v1")), hash_of(template_of("v2"))
    revisions = {deletion.uid: deletion.revision for deletion in told.cluster.deletions}
    purposes: dict[str, str] = {}
    for entry in told.runner.journal:
        if entry.step == "cordon" and entry.phase is Phase.INTENT:
            purposes[entry.node] = text(entry.detail, "purpose")
        if entry.step == "delete-pod" and entry.phase is Phase.INTENT:
            revision = revisions.get(text(entry.detail, "uid"))
            match purposes.get(entry.node):
                case "restart-test":
                    assert revision in {None, former}
                case "change":
                    assert revision != target
                case _:
                    assert revision != former


def _bad(story: Story, node: str) -> bool:
    """Whether the target is bad there; a node that had drifted before has no baseline to miss."""
    return node != story.drifted and story.version.on(node) != GOOD


CALM = settings(
    max_examples=150,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@CALM
@given(story=stories())
def test_whatever_happens_the_promises_hold(story: Story) -> None:
    told = Telling(story)
    judge(told, told.tell())


@pytest.mark.long
@settings(CALM, max_examples=5000)
@given(story=stories())
def test_they_hold_in_thousands_of_stories(story: Story) -> None:
    told = Telling(story)
    judge(told, told.tell())


@settings(CALM, max_examples=8)
@given(story=stories(faults=False, disturbed=False))
def test_a_good_version_that_nobody_disturbs_always_gets_through(story: Story) -> None:
    told = Telling(story)
    ending = told.tell()
    assert ending.exit == 0
    judge(told, ending)


@settings(CALM, max_examples=4)
@given(story=stories())
def test_the_same_story_has_the_same_journal(story: Story) -> None:
    one, two = Telling(story), Telling(copy.deepcopy(story))
    one.tell()
    two.tell()
    assert one.runner.journal == two.runner.journal


@settings(CALM, max_examples=3)
@given(story=stories())
def test_the_state_is_the_fold_of_the_journal_at_every_record(story: Story) -> None:
    told = Telling(story)

    def same(runner: Runner) -> None:
        assert fold(runner.journal) == runner.state

    told.runner.after_step = same
    told.tell()
