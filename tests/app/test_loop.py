"""The app's own loop over the stand-in cluster: endings, stops, parking, giving up."""

import asyncio
from collections.abc import Callable, Sequence

import msgspec
import pytest

from bridgehead.app.journal import Journal
from bridgehead.app.loop import PATIENCE, Loop, OutOfSightError, Stopped
from bridgehead.cluster.errors import RemovedJournalError
from bridgehead.core.journal.chain import Head, Signature, check
from bridgehead.core.journal.entry import Draft, Entry, Phase
from bridgehead.core.model.component import RUN
from bridgehead.core.rollout.commands import (
    Command,
    CommandResult,
    Cordon,
    CreateOwnPod,
    DeletePod,
    Failed,
    Flip,
    Position,
    Purpose,
)
from bridgehead.core.rollout.decision import Decision, note
from bridgehead.core.rollout.run import Run
from bridgehead.core.rollout.state import Mode, RunState
from bridgehead.core.rollout.transition import fold
from bridgehead.core.rollout.world import World
from bridgehead.kube.errors import Unreachable
from tests.app.memory import Effects, Records, StandInFeed
from tests.core.standin.cluster import Cluster
from tests.core.standin.hand import Hand
from tests.core.standin.plans import plan_of
from tests.core.standin.versions import BAD, GOOD, Version

NODES = ("a1", "a2", "b1", "b2")
NAME = "test-1"
SIGNATURE = Signature(NAME, "team", "user")


class Onlooker:
    """Stops the run once ``when`` holds."""

    def __init__(self, stop: asyncio.Event, when: Callable[[Run, World], bool]) -> None:
        self.stop = stop
        self.when = when

    def look(self, run: Run, world: World, decision: Decision) -> None:
        if self.when(run, world):
            self.stop.set()


class Stage:
    """Everything of one runner."""

    def __init__(
        self,
        version: Version = GOOD,
        *,
        stop_when: Callable[[Run, World], bool] = lambda run, world: False,
        spoil: Callable[[Command], CommandResult | None] | None = None,
    ) -> None:
        self.cluster = Cluster(NODES, {"v2": version})
        self.plan = plan_of(NODES)
        component = self.cluster.daemonset
        assert component is not None
        component.annotations[RUN] = f"bridgehead/{NAME}/1"
        self.records = Records(Head(0, self.plan.change_digest))
        self.told: list[Entry] = []
        self.stop = asyncio.Event()
        self.feed = StandInFeed(self.cluster)
        self.journal = Journal(self.records, SIGNATURE, lambda: self.cluster.now, self.told.append)
        self.loop = Loop(
            feed=self.feed,
            effects=Effects(Hand(self.cluster, self.plan, NAME), spoil),
            journal=self.journal,
            onlooker=Onlooker(self.stop, stop_when),
            clock=lambda: self.cluster.now,
            stop=self.stop,
        )

    async def begun(self) -> Run:
        component = self.cluster.daemonset
        assert component is not None
        run = Run(name=NAME, plan=self.plan, state=RunState())
        detail = {"generation": component.generation}
        return await self.journal.write(run, (note("run", "began", detail=detail),))

    @property
    def standing(self) -> str:
        component = self.cluster.daemonset
        assert component is not None
        value = component.value(component.annotations)
        return value.images["plugin"].rpartition(":")[2]


def no_answer() -> Unreachable:
    return Unreachable("https://x", "timeout", "no answer", sent=False, retryable=True)


def after_first_deletion(run: Run, world: World) -> bool:
    return any(item.work and item.work.deleted_at for item in run.state.working) and (
        run.state.taken_over
    )


async def test_good_version_ends_with_exit_0_and_the_ending_is_in_the_journal() -> None:
    stage = Stage()
    done = await stage.loop.drive(await stage.begun())
    assert done.state.ending is not None
    assert done.state.ending.exit == 0
    assert fold(stage.records.entries).mode is Mode.ENDED
    assert stage.standing == "v2"


async def test_journal_holds_as_a_chain_and_is_told_as_written() -> None:
    stage = Stage()
    await stage.loop.drive(await stage.begun())
    assert check(stage.records.entries, stage.records.start) is None
    assert stage.told == stage.records.entries
    assert stage.journal.head == stage.records.entries[-1].digest


async def test_bad_version_is_taken_back_with_its_failure_in_the_ending() -> None:
    stage = Stage(BAD["never registers"])
    done = await stage.loop.drive(await stage.begun())
    ending = done.state.ending
    assert ending is not None
    assert (ending.exit, stage.standing) == (3, "v1")
    assert ending.failure is not None
    assert ending.failure.gate.value == "allocatable"


async def test_stop_while_the_target_stands_parks_the_former_template_and_keeps_the_run() -> None:
    stage = Stage(stop_when=after_first_deletion)
    with pytest.raises(Stopped) as stopped:
        await stage.loop.drive(await stage.begun())
    assert stopped.value.parked
    assert stage.standing == "v1"
    assert fold(stage.records.entries).mode is Mode.FORWARD


async def test_stop_between_flip_and_deletion_parks_and_deletes_nothing() -> None:
    def exposed(run: Run, world: World) -> bool:
        changing = any(item.work is not None for item in run.state.working)
        return changing and run.state.template is Position.TARGET

    stage = Stage(stop_when=exposed)
    with pytest.raises(Stopped) as stopped:
        await stage.loop.drive(await stage.begun())
    assert stopped.value.parked
    assert stage.standing == "v1"
    tested = [item.node for item in stage.cluster.deletions]
    assert tested == ["a1"]  # the restart test, before the flip
    assert not fold(stage.records.entries).pending


async def test_stopped_run_goes_on_to_the_same_ending() -> None:
    stage = Stage(stop_when=after_first_deletion)
    with pytest.raises(Stopped):
        await stage.loop.drive(await stage.begun())
    stage.stop.clear()
    stage.loop._onlooker = Onlooker(stage.stop, lambda run, world: False)
    run = Run(name=NAME, plan=stage.plan, state=fold(stage.records.entries))
    done = await stage.loop.drive(run, park_first=True)
    assert done.state.ending is not None
    assert (done.state.ending.exit, stage.standing) == (0, "v2")


async def test_stop_once_the_target_stands_for_good_does_not_say_that_the_former_stands() -> None:
    def finishing(run: Run, world: World) -> bool:
        return run.stage is None and run.state.template is Position.TARGET

    stage = Stage(stop_when=finishing)
    with pytest.raises(Stopped) as stopped:
        await stage.loop.drive(await stage.begun())
    assert stage.standing == "v2"
    assert stopped.value.parked is False


async def test_flip_without_an_answer_is_taken_back_by_whoever_leaves_for_that() -> None:
    def unanswered(command: Command) -> CommandResult | None:
        if isinstance(command, Flip) and command.to is Position.TARGET:
            stage.loop._effects.hand.perform(command)  # type: ignore[attr-defined]
            raise no_answer()
        return None

    stage = Stage(spoil=unanswered)
    with pytest.raises(Unreachable):
        await stage.loop.drive(await stage.begun())
    assert stage.standing == "v1"
    assert not fold(stage.records.entries).pending


async def test_stop_that_cannot_park_says_so() -> None:
    parked: list[Command] = []

    def refuse_parking(command: Command) -> CommandResult | None:
        if stage.stop.is_set():
            parked.append(command)
            return Failed("conflict", "no")
        return None

    stage = Stage(stop_when=after_first_deletion, spoil=refuse_parking)
    with pytest.raises(Stopped) as stopped:
        await stage.loop.drive(await stage.begun())
    assert parked
    assert not stopped.value.parked
    assert stage.standing == "v2"


async def test_effect_that_never_succeeds_holds_the_run_and_the_ending_says_why() -> None:
    tries: list[Command] = []

    def no_cordon(command: Command) -> CommandResult | None:
        if isinstance(command, Cordon):
            tries.append(command)
            return Failed("conflict", "somebody else writes it")
        return None

    stage = Stage(spoil=no_cordon)
    done = await stage.loop.drive(await stage.begun())
    ending = done.state.ending
    assert ending is not None
    assert ending.exit == 4
    assert "gave up" in ending.summary
    assert "somebody else writes it" in ending.summary
    assert len(tries) == PATIENCE


async def test_effect_that_never_succeeds_on_the_way_back_ends_saying_which_template_stands() -> (
    None
):
    def no_more_cordons(command: Command) -> CommandResult | None:
        taking_back = isinstance(command, Cordon) and command.purpose is Purpose.TAKE_BACK
        return Failed("conflict", "a webhook denies it") if taking_back else None

    stage = Stage(BAD["never registers"], spoil=no_more_cordons)
    done = await stage.loop.drive(await stage.begun())
    ending = done.state.ending
    assert ending is not None
    assert ending.exit == 4
    assert "a webhook denies it; the former template stands" in ending.summary
    assert "Still cordoned, as their devices are not proven: a1." in ending.summary


async def test_error_of_the_cluster_parks_and_names_cordoned_nodes_before_it_ends_the_runner() -> (
    None
):
    broken = False

    def forbidden_once(command: Command) -> CommandResult | None:
        nonlocal broken
        if isinstance(command, DeletePod) and stage.standing == "v2" and not broken:
            broken = True
            raise no_answer()
        return None

    stage = Stage(spoil=forbidden_once)
    with pytest.raises(Unreachable) as raised:
        await stage.loop.drive(await stage.begun())
    assert stage.standing == "v1"
    assert raised.value.__notes__ == ["Still cordoned: a1."]
    assert fold(stage.records.entries).pending


async def test_error_that_also_prevents_parking_says_that_the_new_template_stands() -> None:
    def gone(command: Command) -> CommandResult | None:
        if stage.standing == "v2":
            raise no_answer()
        return None

    stage = Stage(spoil=gone)
    with pytest.raises(Unreachable) as raised:
        await stage.loop.drive(await stage.begun())
    assert "The new template stands" in raised.value.__notes__[0]


async def test_what_came_of_sibling_effects_is_recorded_when_one_of_them_raises() -> None:
    def second_raises(command: Command) -> CommandResult | None:
        if isinstance(command, CreateOwnPod) and command.node == "b1":
            raise no_answer()
        return None

    stage = Stage(spoil=second_raises)
    with pytest.raises(Unreachable):
        await stage.loop.drive(await stage.begun())
    first = [
        item.result
        for item in stage.records.entries
        if (item.step, item.node) == ("create-own-pod", "a1") and item.phase is Phase.OUTCOME
    ]
    assert first == ["done"]


async def test_cluster_that_stays_out_of_sight_ends_the_runner() -> None:
    stage = Stage()
    run = await stage.begun()
    stage.feed.blind = True
    with pytest.raises(OutOfSightError):
        await stage.loop.drive(run)


async def test_stop_takes_our_pods_along() -> None:
    stage = Stage(stop_when=lambda run, world: bool(world.own))
    with pytest.raises(Stopped):
        await stage.loop.drive(await stage.begun())
    assert all(pod.deleting is not None for pod in stage.cluster.own.values())


async def test_only_nodes_in_flight_are_read_closely() -> None:
    stage = Stage()
    await stage.loop.drive(await stage.begun())
    first = stage.plan.stages[0]
    widest = max(stage.plan.stages, key=lambda item: item.unproven)
    assert max(map(len, stage.feed.asked)) <= max(widest.unproven, len(first.nodes))


async def test_ending_is_written_once() -> None:
    stage = Stage()
    done = await stage.loop.drive(await stage.begun())
    again = await stage.loop.drive(msgspec.structs.replace(done))
    ended = [item for item in stage.records.entries if (item.step, item.result) == ("run", "ended")]
    assert len(ended) == 1
    assert again.state.ending == done.state.ending


async def test_journal_that_somebody_deleted_parks_without_a_record_and_says_how_it_stands() -> (
    None
):
    stage = Stage()
    begun = await stage.begun()
    kept = stage.records.append

    async def append(
        run: str, drafts: Sequence[Draft], signature: Signature, now: float
    ) -> tuple[Entry, ...]:
        if stage.standing == "v2" and stage.cluster.nodes["a1"].unschedulable:
            raise RemovedJournalError("somebody has deleted the journal")
        return await kept(run, drafts, signature, now)

    stage.records.append = append  # type: ignore[method-assign]
    with pytest.raises(RemovedJournalError) as raised:
        await stage.loop.drive(begun)
    assert stage.standing == "v1"
    assert raised.value.__notes__ == [
        "The former template stands.",
        "Still cordoned: a1.",
        "Give back what the run holds: bridgehead release daemonset/plugins/plugin",
    ]


async def test_time_in_which_nothing_could_be_seen_is_told_apart_from_time_that_was_watched() -> (
    None
):
    seen: list[tuple[str, float]] = []

    def look(run: Run, world: World) -> bool:
        seen.append((world.stale, world.seen_since))
        stage.feed.blind = len(seen) == 1
        return len(seen) == 3

    stage = Stage(stop_when=look)
    begun = stage.cluster.now
    with pytest.raises(Stopped):
        await stage.loop.drive(await stage.begun())
    stale, since = zip(*seen, strict=True)
    assert [bool(item) for item in stale] == [False, True, False]
    assert since[0] == begun
    assert since[1] == 0.0
    assert since[2] > begun
