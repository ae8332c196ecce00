"""Evictions against a real API server: what moves a pod, and what a budget says to it."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from bridgehead.cluster.perform import Performer
from bridgehead.core.rollout.commands import Done, Evict, Failed
from bridgehead.kube.client import Kube
from bridgehead.kube.config.load import load_config
from bridgehead.kube.errors import Forbidden, NotFound
from bridgehead.kube.resources import PODS, Resource
from testbed.cluster import Cluster
from tests.cluster.components import OnCluster
from tests.cluster.conftest import Until

pytestmark = pytest.mark.cluster

BUDGETS: Resource[Any] = Resource(
    "policy", "v1", "poddisruptionbudgets", "PodDisruptionBudget", True, dict
)
NAME = "holder"


async def running(kube: Kube, namespace: str) -> str:
    """A pod that counts as Running and Ready, though no kubelet has it; its uid.

    Pods that are still Pending are evicted whatever a budget says.
    """
    body = {
        "metadata": {"name": NAME, "namespace": namespace, "labels": {"app": NAME}},
        "spec": {
            "containers": [{"name": "c", "image": "testbed.local/base:1"}],
            "nodeSelector": {"no": "node"},
        },
    }
    created = await kube.create(PODS, body)
    status = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}
    await kube.patch_merge(
        PODS, NAME, {"status": status}, namespace=namespace, subresource="status"
    )
    return str(created["metadata"]["uid"])


async def guard(kube: Kube, namespace: str, name: str = "guard") -> None:
    """A budget that forbids every disruption."""
    spec = {"minAvailable": 1, "selector": {"matchLabels": {"app": NAME}}}
    await kube.create(BUDGETS, {"metadata": {"name": name, "namespace": namespace}, "spec": spec})


def eviction(component: OnCluster, uid: str) -> Evict:
    return Evict(node="n", namespace=component.namespace, name=NAME, uid=uid)


def performer(kube: Kube, component: OnCluster) -> Performer:
    return Performer(kube, "change-1", component.plan, 1, lambda: None)


def is_gone(kube: Kube, namespace: str) -> Callable[[], Awaitable[bool]]:
    async def gone() -> bool:
        try:
            pod = await kube.get(PODS, NAME, namespace)
        except NotFound:
            return True
        return pod.metadata.deletion_timestamp is not None

    return gone


async def test_a_pod_that_no_budget_guards_is_evicted(
    kube: Kube, component: OnCluster, until: Until
) -> None:
    uid = await running(kube, component.namespace)
    hand = performer(kube, component)
    assert await hand.perform(eviction(component, uid)) == Done()
    await until(is_gone(kube, component.namespace))
    assert isinstance(await hand.perform(eviction(component, uid)), Done)


async def test_only_the_pod_of_that_uid_is_evicted(kube: Kube, component: OnCluster) -> None:
    uid = await running(kube, component.namespace)
    found = await performer(kube, component).perform(eviction(component, "another"))
    assert found == Done({"gone": True})
    pod = await kube.get(PODS, NAME, component.namespace)
    assert (pod.metadata.uid, pod.metadata.deletion_timestamp) == (uid, None)


async def test_a_pod_that_is_gone_counts_as_evicted(kube: Kube, component: OnCluster) -> None:
    found = await performer(kube, component).perform(eviction(component, "any"))
    assert found == Done({"gone": True})


async def test_a_budget_blocks_at_once_and_says_what_it_needs(
    kube: Kube, component: OnCluster, until: Until
) -> None:
    """The answer is a 429, which the client would otherwise repeat for most of a minute."""
    namespace = component.namespace
    await guard(kube, namespace)

    async def judged() -> bool:
        status = (await kube.get_raw(BUDGETS, "guard", namespace)).get("status", {})
        return bool(status.get("observedGeneration") and status.get("currentHealthy"))

    uid = await running(kube, namespace)
    await until(judged)
    found = await performer(kube, component).perform(eviction(component, uid))
    assert isinstance(found, Failed)
    assert found.reason == "blocked"
    assert found.message.startswith(f"pod {namespace}/{NAME}: Cannot evict pod as it would violate")
    assert "The disruption budget guard needs 1 healthy pods and has 1 currently" in found.message
    assert (await kube.get(PODS, NAME, namespace)).metadata.deletion_timestamp is None


async def test_two_budgets_over_one_pod_block_too(kube: Kube, component: OnCluster) -> None:
    """The API server gives that up with a 500."""
    await guard(kube, component.namespace)
    await guard(kube, component.namespace, "second")
    uid = await running(kube, component.namespace)
    found = await performer(kube, component).perform(eviction(component, uid))
    assert isinstance(found, Failed)
    assert found.reason == "blocked"
    assert "more than one PodDisruptionBudget" in found.message


async def test_the_missing_permission_to_evict_is_raised(
    cluster: Cluster, kube: Kube, component: OnCluster
) -> None:
    uid = await running(kube, component.namespace)
    async with await Kube.connect(load_config(cluster.user_kubeconfig("nobody"))) as nobody:
        with pytest.raises(Forbidden, match="cannot create resource"):
            await performer(nobody, component).perform(eviction(component, uid))
