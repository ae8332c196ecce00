"""The controller prunes the former revision under the target: the flip back makes it anew."""

import pytest

from bridgehead.cluster.convert import component_from, revision_from
from bridgehead.cluster.perform import Performer
from bridgehead.core.model.component import Revision
from bridgehead.core.rollout.commands import Done, Flip, Position, TakeOver
from bridgehead.core.rollout.run import Run
from bridgehead.core.rollout.state import RunState
from bridgehead.core.rollout.world import World
from bridgehead.kube.client import Kube
from bridgehead.kube.resources import CONTROLLER_REVISIONS, DAEMON_SETS
from tests.cluster.components import NAME, daemon_set, plan_for
from tests.cluster.conftest import Until

pytestmark = pytest.mark.cluster

RUN = "change-1"


async def revisions(kube: Kube, namespace: str) -> tuple[Revision, ...]:
    listed = await kube.list_raw(CONTROLLER_REVISIONS, namespace)
    return tuple(revision_from(item) for item in listed.items)


async def test_a_pruned_former_revision_is_found_again_by_its_content(
    kube: Kube, namespace: str, until: Until
) -> None:
    body = daemon_set(namespace)
    body["spec"]["revisionHistoryLimit"] = 0  # no pod carries it here, so nothing keeps it
    await kube.create(DAEMON_SETS, body)

    async def made() -> bool:
        return bool(await revisions(kube, namespace))

    await until(made)
    plan = await plan_for(kube, namespace)
    former = plan.former.template_digest
    run = Run(name=RUN, plan=plan, state=RunState())

    async def known() -> set[str]:
        return {item.template_digest for item in await revisions(kube, namespace)}

    async def pruned() -> bool:
        return await known() == {run.target_digest}

    async def back() -> bool:
        return former in await known()

    hand = Performer(kube, RUN, plan, 1, lambda: None)
    await hand.claim()
    for command in (TakeOver(), Flip(to=Position.TARGET)):
        assert isinstance(await hand.perform(command), Done)
    await until(pruned)
    assert isinstance(await hand.perform(Flip(to=Position.FORMER)), Done)
    await until(back)
    component = component_from(await kube.get_raw(DAEMON_SETS, NAME, namespace))
    world = World(component=component, revisions=await revisions(kube, namespace))
    assert run.standing(world) is Position.FORMER
    assert run.former_hash(world) == plan.former.hash  # the hash is the content's, too
