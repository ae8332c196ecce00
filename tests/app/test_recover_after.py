"""What is done without a person after a run has stopped: when, whether, and what is said."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
import pytest

from bridgehead.app.recover_acts import Acted
from bridgehead.app.recover_after import after_a_stop
from bridgehead.app.rehearse_stage import Stage
from bridgehead.app.runner import Ended
from bridgehead.app.session import Session
from bridgehead.cluster.convert import component_from
from bridgehead.cluster.recoveries import Recoveries
from bridgehead.core.plan.settings import AllowedRecovery, AllowSettings
from bridgehead.core.recover.rung import Rung
from bridgehead.core.rollout.run import Run
from bridgehead.core.rollout.state import Ending, Mode, NodeState, NodeStatus, RunState
from bridgehead.kube.resources import DAEMON_SETS, NODES, PODS
from bridgehead.twin.seeding.generic import NAMESPACE, PLUGIN, RESOURCE
from tests.app.small_twin import on_a_twin
from tests.app.test_recover import REF
from tests.cluster.components import plan_of
from tests.cluster.use_cases import Nobody
from tests.cluster.ward import sound_until_told

Outcome = tuple[tuple[Acted, ...], list[str]]


async def stopped(session: Session, node: str, allowed: AllowedRecovery) -> Ended:
    """A run that has stopped on that node; what it left in the cluster is not looked at here."""
    plan = plan_of(component_from(await session.kube.get_raw(DAEMON_SETS, PLUGIN, NAMESPACE)))
    spec = msgspec.structs.replace(plan.spec, component=REF, allow=AllowSettings(recover=allowed))
    plan = msgspec.structs.replace(plan, spec=spec)
    nodes = {node: NodeState(name=node, status=NodeStatus.STUCK)}
    state = RunState(mode=Mode.HOLD, nodes=nodes)
    run = Run(name="change-1", plan=plan, state=state, family=plan.family)
    return Ended(run=run, ending=Ending(exit=4, summary="it holds"), head="")


def after(
    rule: str,
    allowed: AllowedRecovery,
    prepare: Callable[[Session, str], Awaitable[None]],
) -> Outcome:
    """What came of it on one node, with a diagnosis that names the rule; and what was said."""

    async def work(stage: Stage) -> Outcome:
        session = msgspec.structs.replace(stage.session, watcher=(watcher := Nobody()))
        node = (await session.kube.list(NODES)).items[0].metadata.name
        await prepare(session, node)
        ended = await stopped(session, node, allowed)
        done = await after_a_stop(session, ended, sound_until_told(rule, node))
        if not any(item.assessment.rung.writes for item in done):
            journal = Recoveries(session.kube, session.state_namespace, REF)
            assert not await journal.exists()
        return done, watcher.words

    return on_a_twin(work)


async def lose(session: Session, node: str) -> None:
    """The node's devices go, until its plugin registers again."""
    gone: dict[str, Any] = {"status": {"capacity": {RESOURCE: "0"}, "allocatable": {RESOURCE: "0"}}}
    await session.kube.patch_merge(NODES, node, gone, subresource="status")


async def restart(session: Session, node: str) -> None:
    """The plugin's pod there is replaced: what the node shows is no verdict for a while."""
    found = await session.kube.list(PODS, NAMESPACE, field_selector=f"spec.nodeName={node}")
    (name,) = [item.metadata.name for item in found.items if item.metadata.name.startswith(PLUGIN)]
    await session.kube.delete(PODS, name, NAMESPACE)
    await asyncio.sleep(3)
    await lose(session, node)


async def restart_for_a_while(session: Session, node: str) -> None:
    """The same, and after some seconds the devices are there again by themselves."""
    offers = (await session.kube.get_raw(NODES, node))["status"]
    shown = {what: {RESOURCE: offers[what][RESOURCE]} for what in ("capacity", "allocatable")}
    await restart(session, node)

    async def come_back() -> None:
        await asyncio.sleep(20)
        await session.kube.patch_merge(NODES, node, {"status": shown}, subresource="status")

    COMING_BACK.append(asyncio.create_task(come_back()))


COMING_BACK: list[asyncio.Task[None]] = []


@pytest.mark.parametrize(
    ("prepare", "rung"), [(restart_for_a_while, Rung.WAIT), (restart, Rung.RESTART)]
)
def test_what_has_just_begun_is_looked_at_again_before_anything_is_done(
    prepare: Callable[[Session, str], Awaitable[None]], rung: Rung
) -> None:
    done, said = after("stream-ended", AllowedRecovery.RESTART, prepare)
    (acted,) = done
    assert (acted.assessment.rung, acted.verified) == (rung, True)
    assert "it is looked at again before anything is done" in said[0]
    assert f"{rung.value} has helped" in said[-1]


@pytest.mark.parametrize(
    ("rule", "why"),
    [
        ("driver-library-mismatch", "which is not allowed without a person"),
        ("two-claimants", "no rung repairs two-claimants"),
    ],
)
def test_why_nothing_is_done_is_said(rule: str, why: str) -> None:
    done, said = after(rule, AllowedRecovery.RESTART, lose)
    assert done == ()
    assert why in said[-1]


def test_a_spec_that_allows_nothing_is_not_spoken_of() -> None:
    assert after("stream-ended", AllowedRecovery.NONE, lose) == ((), [])


def test_the_wish_to_stop_leaves_the_runs_ending_as_it_is() -> None:
    async def stop_in_the_middle(session: Session, node: str) -> None:
        await restart(session, node)
        session.stop.set()

    done, said = after("stream-ended", AllowedRecovery.RESTART, stop_in_the_middle)
    assert done == ()
    assert said[-1].endswith("told to stop before anything was done")
