"""What may have happened before a runner gets the lock: a change of the component, an ending."""

import asyncio
import time

import msgspec
import pytest

from bridgehead.app.component_ref import RunName
from bridgehead.app.loop import Stopped
from bridgehead.app.open_run import over
from bridgehead.app.planning import Planned
from bridgehead.app.resume import Over, resume
from bridgehead.app.rollback import NothingToTakeBack, rollback
from bridgehead.app.rollout import Busy, Options, begin
from bridgehead.app.runner import Ended
from bridgehead.app.status import status
from bridgehead.cluster.errors import ChangedMeanwhileError
from bridgehead.cluster.lock import ComponentLock
from bridgehead.cluster.perform import Performer
from bridgehead.cluster.record import Record
from bridgehead.cluster.store import RunStore
from bridgehead.core.journal.chain import Signature
from bridgehead.core.journal.entry import Draft
from bridgehead.core.plan.plan import Refusal, Refused
from bridgehead.core.rollout.commands import LetGo, key
from bridgehead.core.rollout.decide import outcome
from bridgehead.core.rollout.decision import intent, note
from bridgehead.core.rollout.state import Ending, Mode
from bridgehead.core.rollout.transition import DONE, fold
from tests.cluster.components import OnCluster
from tests.cluster.conftest import Until
from tests.cluster.use_cases import Nobody, session

pytestmark = pytest.mark.cluster

RUN = "change-1"


async def recorded(
    component: OnCluster, *drafts: Draft, run: str = RUN, undoes: str = ""
) -> Record:
    """A run whose state lives beside the component; ``undoes`` as in its spec."""
    spec = msgspec.structs.replace(component.plan.spec, undoes=undoes)
    plan = msgspec.structs.replace(component.plan, spec=spec)
    record = Record(run=run, owner="", spec="", plan=plan)
    await RunStore(component.kube, component.namespace).create(record)
    await write(component, note("run", "began", detail={"generation": 1}), *drafts, run=run)
    return record


async def write(component: OnCluster, *drafts: Draft, run: str = RUN) -> None:
    store = RunStore(component.kube, component.namespace)
    await store.append(run, drafts, Signature(run=run, owner="", identity="me"), 1.0)


async def mode(component: OnCluster) -> Mode:
    return fold(await RunStore(component.kube, component.namespace).entries(RUN)).mode


def ended(code: int) -> Draft:
    ending = msgspec.to_builtins(Ending(exit=code, summary="so it ended"))
    return note("run", "ended", detail={"ending": ending, "closed": "true"})


async def anchored(component: OnCluster) -> Performer:
    hand = Performer(
        component.kube, RUN, component.plan, 1, lambda: None, state_namespace=component.namespace
    )
    await hand.claim()
    return hand


class Plans:
    """Plans the component as it stands; before each of the first plans is used it is changed."""

    def __init__(self, component: OnCluster, *, changes: int, then: Refused | None = None) -> None:
        self._component = component
        self._changes = changes
        self._then = then
        self.made = 0

    async def __call__(self) -> Planned:
        now = await self._component.now()
        plan = msgspec.structs.replace(self._component.plan, generation=now.generation)
        self.made += 1
        if self.made <= self._changes:
            await self._component.merge({"spec": {"minReadySeconds": self.made}})
        elif self._then is not None:
            return Planned(result=self._then, component=now)
        return Planned(result=plan, component=now)


async def test_a_component_that_was_changed_before_the_lock_is_planned_once_more(
    component: OnCluster,
) -> None:
    refused = Refused(refusals=(Refusal("no", "not any more", "nothing"),))
    plans = Plans(component, changes=1, then=refused)
    here = session(component.kube, component.namespace)

    result = await begin(here, component.plan.spec, plans, "", "me")

    assert isinstance(result, Planned)
    assert result.result == refused
    assert plans.made == 2
    assert not await RunStore(component.kube, component.namespace).list_runs()


async def test_a_component_that_does_not_hold_still_is_left_alone(component: OnCluster) -> None:
    plans = Plans(component, changes=9)
    here = session(component.kube, component.namespace)

    with pytest.raises(ChangedMeanwhileError, match="changed between the plan and the first write"):
        await begin(here, component.plan.spec, plans, "", "me")

    assert plans.made == 2
    assert not (await component.now()).anchor
    assert not await RunStore(component.kube, component.namespace).list_runs()


async def test_a_component_that_another_run_has_claimed_meanwhile_is_left_to_it(
    component: OnCluster,
) -> None:
    here = session(component.kube, component.namespace)
    plans = Plans(component, changes=0)
    await anchored(component)

    result = await begin(here, component.plan.spec, plans, "", "me")

    assert isinstance(result, Busy)
    assert result.run == RUN


async def test_a_run_that_ended_before_the_lock_came_is_not_anchored_again(
    component: OnCluster,
) -> None:
    record = await recorded(component)
    hand = await anchored(component)
    seen = await component.now()
    await hand.perform(LetGo())
    await write(component, ended(0))

    result = await resume(session(component.kube, component.namespace), record, seen, "me")

    assert isinstance(result, Over)
    assert result.ended.ending.exit == 0
    assert not (await component.now()).anchor


async def test_a_run_whose_runner_died_before_its_last_word_is_closed(
    component: OnCluster,
) -> None:
    turn = note("turn", "back", detail={"reason": "somebody asked"})
    done = outcome(key(LetGo()), DONE, {})
    record = await recorded(component, turn, intent(LetGo()), done)
    seen = await component.now()

    result = await resume(session(component.kube, component.namespace), record, seen, "me")

    assert isinstance(result, Over)
    assert result.ended.ending.exit == 3
    assert await mode(component) is Mode.ENDED
    assert not (await component.now()).anchor


async def test_a_rollback_of_a_run_that_is_taken_back_meanwhile_tells_that_ending(
    component: OnCluster, until: Until
) -> None:
    await recorded(component)
    hand = await anchored(component)
    ref = component.plan.spec.component
    here = session(component.kube, component.namespace)
    first = ComponentLock(
        component.kube, component.namespace, ref, duration=30, holder="a", wall=time.time
    )
    async with await first.acquire(0):
        second = asyncio.create_task(rollback(here, ref, Options()))
        watcher = here.watcher
        assert isinstance(watcher, Nobody)

        async def waits() -> bool:
            return bool(watcher.words) or second.done()

        await until(waits)
        await hand.perform(LetGo())
        await write(component, ended(3))
    result = await second

    assert isinstance(result, Ended)
    assert result.ending.exit == 3
    assert not (await component.now()).anchor


async def test_a_finished_run_is_not_undone_over_a_later_change(component: OnCluster) -> None:
    await recorded(component, ended(0))
    ref = component.plan.spec.component
    here = session(component.kube, component.namespace)

    result = await rollback(here, ref, Options())  # the former template stands, not the target

    assert isinstance(result, Planned)
    assert isinstance(result.result, Refused)
    assert [item.rule for item in result.result.refusals] == ["changed-since"]


def rules(result: object) -> list[str]:
    """Of a plan that refuses: here the former template stands, so no run can be undone."""
    assert isinstance(result, Planned)
    assert isinstance(result.result, Refused)
    return [item.rule for item in result.result.refusals]


@pytest.mark.parametrize("code", [1, 3, 4])
async def test_no_older_run_is_undone_in_place_of_the_newest(
    component: OnCluster, code: int
) -> None:
    await recorded(component, ended(0))
    await recorded(component, ended(code), run="change-2")
    ref = component.plan.spec.component
    here = session(component.kube, component.namespace)

    result = await rollback(here, ref, Options())

    assert isinstance(result, NothingToTakeBack)
    assert (result.run, result.other) == ("change-2", "")
    assert rules(await rollback(here, RunName(RUN), Options())) == ["changed-since"]


@pytest.mark.parametrize(("code", "other"), [(0, "change-2"), (3, RUN)])
async def test_a_rollback_typed_twice_undoes_nothing_that_is_not_named(
    component: OnCluster, code: int, other: str
) -> None:
    await recorded(component, ended(0))
    await recorded(component, ended(code), run="change-2", undoes=RUN)
    ref = component.plan.spec.component
    here = session(component.kube, component.namespace)

    result = await rollback(here, ref, Options())

    assert isinstance(result, NothingToTakeBack)
    assert (result.run, result.other) == ("change-2", other)
    assert rules(await rollback(here, RunName(other), Options())) == ["changed-since"]


async def test_a_way_back_that_was_left_is_gone_on_with_unless_it_is_named(
    component: OnCluster,
) -> None:
    await recorded(component, undoes="change-0")
    await anchored(component)
    ref = component.plan.spec.component
    here = session(component.kube, component.namespace)
    here.stop.set()

    with pytest.raises(Stopped):
        await rollback(here, ref, Options())
    assert await mode(component) is not Mode.BACK

    result = await rollback(session(component.kube, component.namespace), RunName(RUN), Options())
    assert isinstance(result, Ended)
    assert await mode(component) is Mode.ENDED


async def test_no_older_run_is_undone_under_an_open_one(component: OnCluster) -> None:
    await recorded(component)
    await anchored(component)
    await recorded(component, ended(0), run="change-0")
    here = session(component.kube, component.namespace)

    result = await rollback(here, RunName("change-0"), Options())

    assert result == Busy(RUN, "it came after change-0")


async def test_a_run_is_open_while_the_component_carries_its_mark(component: OnCluster) -> None:
    await recorded(component)
    state = fold(await RunStore(component.kube, component.namespace).entries(RUN))
    assert over(component.namespace, RUN, state, await component.now()) is not None
    await anchored(component)
    assert over(component.namespace, RUN, state, await component.now()) is None


async def test_a_run_that_let_go_unheard_is_shown_as_over(component: OnCluster) -> None:
    turn = note("turn", "back", detail={"reason": "somebody asked"})
    await recorded(component, turn, intent(LetGo()))
    ref = component.plan.spec.component

    (shown,) = await status(component.kube, component.namespace, ref, time.time())

    assert not shown.open
    assert "its runner ended before it could say so" in shown.summary
