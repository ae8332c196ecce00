"""Where the run that keeps a component has its record: the component's mark says so."""

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator

import pytest

from bridgehead.app.open_run import state_of_its_run
from bridgehead.app.rollback import rollback
from bridgehead.app.rollout import NotAllowed, Options
from bridgehead.cluster.perform import Performer
from bridgehead.cluster.record import Record
from bridgehead.cluster.store import RunStore
from bridgehead.core.journal.chain import Signature
from bridgehead.core.rollout.decision import note
from bridgehead.kube.client import Kube
from bridgehead.kube.config.load import load_config
from testbed.cluster import Cluster
from tests.cluster.components import OnCluster
from tests.cluster.use_cases import session

pytestmark = pytest.mark.cluster

MARKED = {"metadata": {"annotations": {"bridgehead.dev/run": "somewhere/change-1/1"}}}


@pytest.fixture
async def nobody(cluster: Cluster, namespace: str) -> AsyncIterator[Kube]:
    """A user without any permission."""
    config = cluster.user_kubeconfig(f"nobody-{namespace}")
    async with await Kube.connect(load_config(config)) as client:
        yield client


async def test_the_mark_of_a_component_names_the_namespace(component: OnCluster) -> None:
    ref = component.plan.spec.component
    assert await state_of_its_run(component.kube, ref, "here") == "here"
    await component.merge(MARKED)
    assert await state_of_its_run(component.kube, ref, "here") == "somewhere"


def test_a_run_that_was_not_found_was_looked_for_in_a_namespace(
    cluster: Cluster, namespace: str, component: OnCluster
) -> None:
    ref = str(component.plan.spec.component)
    where = ["--kubeconfig", str(cluster.kubeconfig), "--state-namespace", namespace]
    command = [sys.executable, "-m", "bridgehead", "rollback", ref, *where]

    done = subprocess.run(command, capture_output=True, text=True, check=False)

    assert done.returncode == 1
    assert f"no run of {ref} in namespace {namespace} has changed anything" in done.stderr


async def test_who_may_not_read_the_component_is_told_all_that_is_missing(
    component: OnCluster, nobody: Kube
) -> None:
    await component.merge(MARKED)
    ref = component.plan.spec.component

    result = await rollback(session(nobody, "here"), ref, Options())

    assert isinstance(result, NotAllowed)
    needed = [item.permission.resource for item in result.missing]
    assert {"daemonsets", "nodes", "pods"} <= set(needed)


async def test_what_is_proposed_next_names_the_namespace_of_the_run(
    cluster: Cluster, component: OnCluster
) -> None:
    home = component.namespace
    record = Record(run="change-1", owner="", spec="", plan=component.plan)
    store = RunStore(component.kube, home)
    await store.create(record)
    signature = Signature(run="change-1", owner="", identity="me")
    await store.append("change-1", [note("run", "began", detail={"generation": 1})], signature, 1.0)
    await Performer(
        component.kube, "change-1", component.plan, 1, lambda: None, state_namespace=home
    ).claim()
    ref = str(component.plan.spec.component)
    where = ["--kubeconfig", str(cluster.kubeconfig), "--state-namespace", "mistyped"]
    command = [sys.executable, "-m", "bridgehead", "pause", ref, *where]

    done = await asyncio.to_thread(
        subprocess.run, command, capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stderr
    assert f"next: bridgehead resume {ref} " in done.stderr
    assert f"--state-namespace {home}" in done.stderr
    assert "mistyped" not in done.stderr
