"""Requests to runs whose runner is gone: whoever asks parks, goes on, or takes back by itself."""

import asyncio
import time
from typing import Any

import msgspec
import pytest

from bridgehead.app.abort import abort
from bridgehead.app.approve import NotAwaited, what_is_awaited
from bridgehead.app.asking import Asked, Asker
from bridgehead.app.component_ref import RunName
from bridgehead.app.following import Answer
from bridgehead.app.going_on import Ways, go_on
from bridgehead.app.loop import Stopped
from bridgehead.app.pause import Parked, park, pause
from bridgehead.app.release import release
from bridgehead.app.resume import resume
from bridgehead.app.rollback import NothingToTakeBack, rollback
from bridgehead.app.rollout import Busy, Options
from bridgehead.app.runner import Ended
from bridgehead.app.session import Session
from bridgehead.app.status import status
from bridgehead.app.subject import NothingOpen, component_of
from bridgehead.cluster.component_writes import ON_DELETE
from bridgehead.cluster.errors import NoSuchRunError
from bridgehead.cluster.lease import lease_object, lease_spec
from bridgehead.cluster.names import lease_name
from bridgehead.cluster.perform import Performer
from bridgehead.cluster.record import Record
from bridgehead.cluster.store import RunStore
from bridgehead.core.journal.chain import Signature
from bridgehead.core.journal.entry import Draft
from bridgehead.core.model.component import template_digest
from bridgehead.core.plan.plan import Timing
from bridgehead.core.plan.settings import ComponentRef, LockSettings
from bridgehead.core.rollout.commands import Command, Done, Flip, Position, TakeOver, key
from bridgehead.core.rollout.decide import outcome
from bridgehead.core.rollout.decision import intent, note
from bridgehead.core.rollout.limits import Limits
from bridgehead.core.rollout.state import RunState
from bridgehead.core.rollout.transition import DONE, fold
from bridgehead.kube.errors import NotFound
from bridgehead.kube.resources import LEASES, NAMESPACES
from tests.cluster.components import OnCluster
from tests.cluster.use_cases import session

pytestmark = pytest.mark.cluster

RUN = "change-1"
ASKER = Asker(actor="ann", reason="lunch")


class Killed:
    """A run whose runner was killed with the target standing, between two of its records."""

    def __init__(self, component: OnCluster) -> None:
        spec = msgspec.structs.replace(component.plan.spec, lock=LockSettings(duration=9))
        timing = Timing(settle=1.0, status_period=1.0, timeout=3.0)
        self.plan = msgspec.structs.replace(component.plan, spec=spec, timing=timing)
        self.component = component
        self.session: Session = session(component.kube, component.namespace)
        self._hand = Performer(
            component.kube,
            RUN,
            self.plan,
            1,
            lambda: None,
            state_namespace=component.namespace,
        )

    @property
    def ref(self) -> ComponentRef:
        return self.plan.spec.component

    async def begin(self) -> None:
        record = Record(run=RUN, owner="", spec="", plan=self.plan)
        await RunStore(self.component.kube, self.component.namespace).create(record)
        await self.write(
            note("run", "began", detail={"generation": self.plan.generation}),
            note("preflight", "passed"),
        )
        await self._hand.claim()

    async def do(self, command: Command, *, heard: bool = True) -> None:
        await self.write(intent(command))
        result = await self._hand.perform(command)
        assert isinstance(result, Done), result
        if heard:
            await self.write(outcome(key(command), DONE, result.detail))

    async def write(self, *drafts: Draft) -> None:
        store = RunStore(self.component.kube, self.component.namespace)
        signature = Signature(run=RUN, owner="", identity="me")
        await store.append(RUN, drafts, signature, time.time())

    async def state(self) -> RunState:
        return fold(await RunStore(self.component.kube, self.component.namespace).entries(RUN))

    async def stands(self) -> Position:
        now = await self.component.now()
        former = now.template_digest == template_digest(self.plan.former_template)
        return Position.FORMER if former else Position.TARGET


@pytest.fixture
async def begun(component: OnCluster) -> Killed:
    """A run that has taken the component over, and whose runner has left."""
    run = Killed(component)
    await run.begin()
    await run.do(TakeOver())
    return run


@pytest.fixture
async def killed(begun: Killed) -> Killed:
    """Its runner was killed after the flip took effect and before that was written."""
    await begun.do(Flip(to=Position.TARGET), heard=False)
    lease: dict[str, Any] = lease_object(
        lease_name(begun.ref),
        begun.component.namespace,
        begun.ref,
        lease_spec("killed", 3, time.time(), 0),
    )
    await begun.component.kube.create(LEASES, lease)
    return begun


async def test_pause_parks_what_a_killed_runner_left(killed: Killed) -> None:
    assert await killed.stands() is Position.TARGET

    result = await pause(killed.session, killed.ref, ASKER)

    assert isinstance(result, Ended)
    assert result.ending.exit == 5
    assert "paused by ann (so claimed, as" in result.ending.summary
    assert await killed.stands() is Position.FORMER
    state = await killed.state()
    assert state.paused is not None
    assert state.paused.reason == "lunch"
    assert (await killed.component.now()).strategy == ON_DELETE


async def test_the_last_step_of_a_pipeline_parks_and_pauses_nothing(killed: Killed) -> None:
    result = await park(killed.session, killed.ref)

    assert isinstance(result, Ended)
    assert result.ending.exit == 5
    assert await killed.stands() is Position.FORMER
    assert (await killed.state()).paused is None
    again = await park(killed.session, killed.ref)
    assert isinstance(again, Parked)
    assert not again.alive


async def test_abort_takes_back_what_a_killed_runner_left(killed: Killed) -> None:
    before = killed.plan.former_strategy

    result = await abort(killed.session, killed.plan.spec, ASKER)

    assert isinstance(result, Ended)
    assert result.ending.exit == 3
    assert await killed.stands() is Position.FORMER
    now = await killed.component.now()
    assert (now.strategy, now.anchor) == (before, "")


async def test_a_run_that_nobody_is_at_is_not_taken_over_to_be_paused(begun: Killed) -> None:
    last = (await begun.state()).last_seq

    result = await pause(begun.session, RunName(RUN), ASKER)

    assert isinstance(result, Asked)
    assert (result.answer, result.alive) == (Answer.FILED, False)
    assert (await begun.state()).last_seq == last
    (shown,) = await status(begun.component.kube, begun.component.namespace, begun.ref, time.time())
    assert [item.reason for item in shown.wishes.filed] == ["lunch"]


async def test_a_pause_that_is_only_filed_stops_whoever_goes_on(begun: Killed) -> None:
    await pause(begun.session, begun.ref, ASKER)
    record = await RunStore(begun.component.kube, begun.component.namespace).load(RUN)

    result = await resume(begun.session, record, await begun.component.now(), "me")

    assert isinstance(result, Ended)
    assert result.ending.exit == 5
    assert "paused by ann" in result.ending.summary


async def test_resume_lifts_a_pause_that_nobody_has_noted(begun: Killed) -> None:
    await pause(begun.session, begun.ref, ASKER)

    result = await go_on(begun.session, begun.ref, Ways(), Asker())

    assert isinstance(result, Ended)
    state = await begun.state()
    assert (state.requests, state.paused) == (2, None)


class Staying:
    """A runner of this process that stays at a run that pauses, while the context is open."""

    def __init__(self, run: Killed) -> None:
        self._run = run

    async def __aenter__(self) -> asyncio.Task[object]:
        await pause(self._run.session, self._run.ref, ASKER)
        store = RunStore(self._run.component.kube, self._run.component.namespace)
        record = await store.load(RUN)
        here = msgspec.structs.replace(self._run.session, limits=Limits(waits=True))
        seen = await self._run.component.now()
        self._task: asyncio.Task[object] = asyncio.create_task(resume(here, record, seen, "runner"))
        return self._task

    async def __aexit__(self, *_: object) -> None:
        self._run.session.stop.set()
        await asyncio.wait([self._task])


async def test_a_runner_that_stays_pauses_and_is_not_waited_for_to_leave(begun: Killed) -> None:
    async with Staying(begun) as runner:
        result = await pause(session_beside(begun), begun.ref, Asker(actor="bob"))

        assert isinstance(result, Asked)
        assert (result.answer, result.alive) == (Answer.DONE, True)
        assert not runner.done()
    assert isinstance(runner.exception(), Stopped)


async def test_a_runner_that_stays_goes_on_when_it_is_asked_to(begun: Killed) -> None:
    async with Staying(begun) as runner:
        result = await go_on(session_beside(begun), begun.ref, Ways(), Asker(actor="bob"))

        assert isinstance(result, Asked)
        assert (result.answer, result.alive) == (Answer.NOTED, True)
        await asyncio.wait([runner])
    assert isinstance(runner.result(), Ended)
    assert (await begun.state()).paused is None


async def test_an_abort_is_done_by_the_runner_that_lives_and_told_as_its_ending(
    begun: Killed,
) -> None:
    async with Staying(begun) as runner:
        result = await abort(session_beside(begun), begun.ref, Asker(actor="bob"))

        assert isinstance(result, Ended)
        assert result.ending.exit == 3
        assert "bob (so claimed, as" in result.ending.summary
        await asyncio.wait([runner])
    done = runner.result()
    assert isinstance(done, Ended)
    assert (done.ending, done.head) == (result.ending, result.head)


def session_beside(run: Killed) -> Session:
    """Another process's."""
    return session(run.component.kube, run.component.namespace)


async def test_a_spec_of_another_change_asks_nothing_of_the_run(begun: Killed) -> None:
    other = msgspec.structs.replace(begun.plan.spec, owner="somebody else")

    result = await pause(begun.session, other, ASKER)

    assert result == Busy(RUN, "its spec differs in owner")
    record = await RunStore(begun.component.kube, begun.component.namespace).load(RUN)
    assert record.control == ""


async def test_a_component_without_a_run_has_none_open(component: OnCluster) -> None:
    here = session(component.kube, component.namespace)
    ref = component.plan.spec.component
    assert await pause(here, ref, ASKER) == NothingOpen(subject=str(ref))
    assert await abort(here, ref, ASKER) == NothingOpen(subject=str(ref))
    with pytest.raises(NoSuchRunError, match="no run nobody"):
        await pause(here, RunName("nobody"), ASKER)


async def test_a_mistyped_component_is_told_from_one_without_a_run(component: OnCluster) -> None:
    here = session(component.kube, component.namespace)
    mistyped = msgspec.structs.replace(component.plan.spec.component, name="plugn")

    parked = await park(here, mistyped)
    taken_back = await rollback(here, mistyped, Options())

    assert isinstance(parked, NothingOpen)
    assert isinstance(taken_back, NothingToTakeBack)
    assert parked.absent == taken_back.absent
    assert parked.absent is not None
    assert parked.absent.message == f"there is no {mistyped}"
    assert "that namespace has: plugin" in parked.absent.remedy


async def test_where_nothing_is_open_nothing_is_written(
    component: OnCluster,
) -> None:
    nowhere = f"{component.namespace}-mistyped"
    here = session(component.kube, nowhere)
    ref = component.plan.spec.component

    await pause(here, ref, ASKER)
    await park(here, ref)
    await go_on(here, ref, Ways(), ASKER)
    await what_is_awaited(here, ref, None)
    await abort(here, ref, ASKER)
    await rollback(here, ref, Options())
    assert (await release(here, ref, dry_run=False)).left.nothing

    with pytest.raises(NotFound):
        await component.kube.get(NAMESPACES, nowhere)


async def test_consent_that_nobody_waits_for_is_not_written(begun: Killed) -> None:
    result = await what_is_awaited(begun.session, begun.ref, "afterCanary")

    assert isinstance(result, NotAwaited)
    assert result.why == f"the plan of run {RUN} has no point afterCanary: it has none"


async def test_a_run_that_another_came_after_is_not_meant_any_more(begun: Killed) -> None:
    later = Record(run="change-2", owner="", spec="", plan=begun.plan)
    assert await component_of(begun.session, RunName(RUN)) == begun.ref
    await RunStore(begun.component.kube, begun.component.namespace).create(later)
    found = await component_of(begun.session, RunName(RUN))
    # Records of the same second are in the order of their names.
    assert found == Busy("change-2", f"it came after {RUN}")
