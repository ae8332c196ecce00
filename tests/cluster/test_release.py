"""What ``release`` gives back, and what it leaves alone because it cannot see or is not alone."""

import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

import pytest

from bridgehead.app.loop import Stopped
from bridgehead.app.release import release
from bridgehead.app.release_run import component_marked, release_marks
from bridgehead.app.status import orphans
from bridgehead.cluster.access import Permission, needed
from bridgehead.cluster.component_writes import ON_DELETE
from bridgehead.cluster.errors import HeldError
from bridgehead.cluster.letting_go import LettingGo
from bridgehead.cluster.lock import ComponentLock
from bridgehead.cluster.names import lease_name
from bridgehead.cluster.perform import Performer
from bridgehead.cluster.record import Record
from bridgehead.cluster.store import RunStore
from bridgehead.core.journal.chain import Signature
from bridgehead.core.model.node import HELD_BY, SCHEDULABLE_BEFORE
from bridgehead.core.rollout.commands import TakeOver
from bridgehead.core.rollout.decision import note
from bridgehead.core.rollout.state import Mode
from bridgehead.core.rollout.transition import fold
from bridgehead.kube.client import Kube
from bridgehead.kube.config.load import load_config
from bridgehead.kube.errors import NotFound, PatchTestFailed
from bridgehead.kube.resources import LEASES
from testbed.cluster import Cluster
from tests.cluster.components import OnCluster
from tests.cluster.use_cases import session

pytestmark = pytest.mark.cluster

RUN = "change-1"
RBAC = "/apis/rbac.authorization.k8s.io/v1"


async def held(component: OnCluster) -> Performer:
    """The component after the takeover by a run whose state lives in the component's namespace."""
    hand = Performer(
        component.kube,
        RUN,
        component.plan,
        1,
        lambda: None,
        state_namespace=component.namespace,
    )
    await hand.claim()
    await hand.perform(TakeOver())
    return hand


@pytest.fixture
def almost(cluster: Cluster, component: OnCluster) -> Iterator[str]:
    """A user who may do all that is needed but list pods."""
    user = f"almost-{component.namespace}"
    rules = [
        {"apiGroups": [item.group], "resources": [_plural(item)], "verbs": list(verbs)}
        for item in needed(component.plan.spec.component, component.namespace)
        if (verbs := [v for v in item.verbs if (item.resource, v) != ("pods", "list")])
    ]
    role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": user}
    subject = {"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": user}
    api = cluster.api
    api.create(f"{RBAC}/clusterroles", {"metadata": {"name": user}, "rules": rules})
    api.create(
        f"{RBAC}/clusterrolebindings",
        {"metadata": {"name": user}, "roleRef": role, "subjects": [subject]},
    )
    yield user
    api.delete(f"{RBAC}/clusterrolebindings/{user}")
    api.delete(f"{RBAC}/clusterroles/{user}")


def _plural(item: Permission) -> str:
    return f"{item.resource}/{item.subresource}" if item.subresource else item.resource


@asynccontextmanager
async def as_user(cluster: Cluster, user: str) -> AsyncIterator[Kube]:
    async with await Kube.connect(load_config(cluster.user_kubeconfig(user))) as kube:
        yield kube


async def test_a_component_is_given_back_as_it_was(component: OnCluster) -> None:
    before = await component.now()
    await held(component)

    released = await release(
        session(component.kube, component.namespace), component.plan.spec.component, dry_run=False
    )

    after = await component.now()
    assert not released.left.unread
    assert (after.strategy, after.annotations) == (before.strategy, before.annotations)


async def test_by_the_name_of_a_run_without_record_its_component_is_found(
    component: OnCluster,
) -> None:
    run = f"change-{component.namespace}"
    await Performer(component.kube, run, component.plan, 1, lambda: None).claim()
    found = await component_marked(session(component.kube, component.namespace), run)
    assert found == component.plan.spec.component


async def test_a_node_that_names_a_run_without_record_or_component_is_given_back(
    cluster: Cluster, component: OnCluster
) -> None:
    run, name = f"lost-{component.namespace}", f"node-of-{component.namespace}"
    marks = {HELD_BY: run, SCHEDULABLE_BEFORE: "true"}
    metadata = {"name": name, "annotations": marks}
    cluster.api.create("/api/v1/nodes", {"metadata": metadata, "spec": {"unschedulable": True}})
    here = session(component.kube, component.namespace)
    try:
        lost = await orphans(component.kube, component.namespace, None)
        assert (f"node/{name}", run) in lost
        assert await component_marked(here, run) is None
        shown = await release_marks(here, run, dry_run=True)
        assert [node.name for node in shown.left.nodes] == [name]
        released = await release_marks(here, run, dry_run=False)
        assert released.done == ((f"node/{name}", "uncordoned"),)
        again = await release_marks(here, run, dry_run=True)
        assert again.left.nothing
        lost = await orphans(component.kube, component.namespace, None)
        assert (f"node/{name}", run) not in lost
    finally:
        cluster.api.delete(f"/api/v1/nodes/{name}")


async def test_nothing_is_written_while_pods_cannot_be_seen(
    cluster: Cluster, component: OnCluster, almost: str
) -> None:
    await held(component)
    before = await component.now()

    async with as_user(cluster, almost) as kube:
        released = await release(
            session(kube, component.namespace), component.plan.spec.component, dry_run=False
        )

    assert [item.what for item in released.left.unread] == [
        f"pods in namespace {component.namespace}"
    ]
    assert not released.done
    after = await component.now()
    assert (after.generation, after.annotations) == (before.generation, before.annotations)


async def test_the_lock_is_taken_where_the_run_of_the_component_has_it(
    component: OnCluster,
) -> None:
    await held(component)
    ref = component.plan.spec.component
    living = ComponentLock(
        component.kube, component.namespace, ref, duration=3, holder="a", wall=time.time
    )
    async with await living.acquire(0):
        with pytest.raises(HeldError, match="is held by a"):
            await release(session(component.kube, "default"), ref, dry_run=False)
    assert (await component.now()).strategy == ON_DELETE
    with pytest.raises(NotFound):
        await component.kube.get(LEASES, lease_name(ref), "default")


async def test_who_waits_for_the_lock_can_be_told_to_stop(component: OnCluster) -> None:
    await held(component)
    ref = component.plan.spec.component
    here = session(component.kube, component.namespace)
    silent = ComponentLock(
        component.kube, component.namespace, ref, duration=30, holder="a", wall=time.time
    )
    async with await silent.acquire(0):
        here.stop.set()
        with pytest.raises(Stopped):
            await release(here, ref, dry_run=False)
    assert (await component.now()).strategy == ON_DELETE


async def test_the_strategy_is_not_restored_over_a_template_that_came_meanwhile(
    component: OnCluster,
) -> None:
    await held(component)
    read = await component.now()
    template = {"spec": {"template": {"metadata": {"annotations": {"somebody": "else"}}}}}
    await component.merge(template)

    with pytest.raises(PatchTestFailed):
        await LettingGo(component.kube, lambda: None).component(read)

    assert (await component.now()).strategy == ON_DELETE


async def test_a_run_that_never_began_is_closed(component: OnCluster) -> None:
    store = RunStore(component.kube, component.namespace)
    await store.create(Record(run=RUN, owner="", spec="", plan=component.plan))
    signature = Signature(run=RUN, owner="", identity="me")
    await store.append(RUN, [note("run", "began", detail={"generation": 1})], signature, 1.0)

    ref = component.plan.spec.component
    await release(session(component.kube, component.namespace), ref, dry_run=False)

    state = fold(await RunStore(component.kube, component.namespace).entries(RUN))
    assert state.mode is Mode.ENDED
    assert state.ending is not None
    assert state.ending.exit == 1
