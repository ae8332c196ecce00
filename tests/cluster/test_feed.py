"""The world of a run on a real cluster: what is watched, and what is read only in flight."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import msgspec
import pytest

from bridgehead.cluster.feed import WorldFeed
from bridgehead.cluster.perform import Performer
from bridgehead.core.model.component import template_digest
from bridgehead.core.plan.settings import ProbeSettings, VerifySettings
from bridgehead.core.rollout.commands import CreateOwnPod, DeleteOwnPod, Role
from bridgehead.kube.client import Kube
from bridgehead.kube.config.load import load_config
from bridgehead.kube.errors import Forbidden
from bridgehead.kube.resources import DAEMON_SETS, NODES, PODS
from testbed.base_image import BASE_IMAGE
from testbed.cluster import Cluster
from testbed.fixtures import LeaseNodes
from testbed.node import Node
from tests.cluster.components import NAME, RESOURCE, OnCluster, daemon_set, plan_for
from tests.cluster.conftest import Until

pytestmark = pytest.mark.cluster

RUN = "change-1"
SPEAKS = {"command": ["/bin/sh", "-c", "echo first words; exec /wait"]}


@pytest.fixture
async def node(lease_nodes: LeaseNodes, namespace: str) -> Node:
    """The only node of the component."""
    return (await lease_nodes(1, labels={"test": namespace}))[0]


@pytest.fixture
async def running(kube: Kube, namespace: str, node: Node) -> OnCluster:
    """A component whose pod on the node runs and has written a line."""
    body = daemon_set(namespace, BASE_IMAGE)
    body["spec"]["template"]["spec"]["containers"][0] |= SPEAKS
    await kube.create(DAEMON_SETS, body)
    return OnCluster(kube, await plan_for(kube, namespace))


@pytest.fixture
async def feed(running: OnCluster) -> AsyncIterator[WorldFeed]:
    async with WorldFeed(running.kube, running.plan, RUN) as feed:
        yield feed


async def test_everything_watched_is_there_from_the_start(
    feed: WorldFeed, running: OnCluster, node: Node, until: Until
) -> None:
    async def ready() -> bool:
        pods = feed.snapshot().pods.get(node.name, ())
        return bool(pods) and pods[0].ready

    await until(ready)
    world = feed.snapshot()
    assert world.component is not None
    assert world.component.template == running.plan.former_template
    pod = world.pods[node.name][0]
    assert world.hash_of(template_digest(running.plan.former_template)) == pod.revision
    assert world.nodes[node.name].ready
    assert set(world.pods) == {node.name}
    assert world.stale == ""


async def test_a_pod_with_the_same_labels_is_not_the_components(
    feed: WorldFeed, running: OnCluster, kube: Kube, node: Node, until: Until
) -> None:
    owner = await kube.get(NODES, node.name)
    stranger = {
        "metadata": {
            "name": "stranger",
            "namespace": running.namespace,
            "labels": {"app": "plugin", "bridgehead.dev/run": RUN, "bridgehead.dev/role": "pull"},
            # Without an owner the DaemonSet would adopt it; with none that exists it is collected.
            "ownerReferences": [
                {
                    "apiVersion": "v1",
                    "kind": "Node",
                    "name": node.name,
                    "uid": owner.metadata.uid,
                    "controller": True,
                }
            ],
        },
        "spec": {
            "containers": [{"name": "c", "image": BASE_IMAGE}],
            "nodeSelector": {"no": "node"},
        },
    }
    await kube.create(PODS, stranger)

    async def seen() -> bool:
        return any(pod.name == "stranger" for pod in feed.snapshot().own.values())

    await until(seen)
    names = {pod.name for pods in feed.snapshot().pods.values() for pod in pods}
    assert "stranger" not in names


async def test_a_change_wakes_and_silence_does_not(
    feed: WorldFeed, kube: Kube, node: Node, running: OnCluster
) -> None:
    marked = {"metadata": {"annotations": {"example.com/x": "1"}}}

    async def changed_within(seconds: float) -> bool:
        await asyncio.wait_for(feed.changed(60), seconds)
        return True

    waiting = asyncio.create_task(changed_within(30))
    await kube.patch_merge(NODES, node.name, marked)
    assert await waiting


async def test_logs_and_requesters_are_read_of_nodes_in_flight_only(
    feed: WorldFeed, node: Node, until: Until
) -> None:
    async def read() -> bool:
        await feed.refresh({node.name}, set())
        world = feed.snapshot()
        return "first words" in (world.view(node.name).log or "")

    await feed.refresh(set(), set())
    assert feed.snapshot().logs == {}
    assert feed.snapshot().requesters == {}
    await until(read)
    assert feed.snapshot().requesters == {node.name: ()}
    await feed.refresh(set(), set())
    assert feed.snapshot().logs == {}
    assert feed.snapshot().requesters == {}


async def test_logs_of_watched_nodes_are_read_too_but_not_their_pods(
    feed: WorldFeed, node: Node, until: Until
) -> None:
    async def read() -> bool:
        await feed.refresh(set(), {node.name})
        return "first words" in (feed.snapshot().view(node.name).log or "")

    await until(read)
    assert feed.snapshot().requesters == {}


async def test_a_log_is_read_no_more_often_than_it_is_due(
    running: OnCluster, node: Node, until: Until
) -> None:
    now = 0.0
    async with WorldFeed(running.kube, running.plan, RUN, clock=lambda: now) as feed:

        async def started() -> bool:
            pods = feed.snapshot().pods.get(node.name, ())
            return bool(pods) and bool(pods[0].containers[0].container_id)

        await until(started)
        await feed.refresh({node.name}, set())
        log = feed.snapshot().view(node.name).log
        assert log is not None

        feed.snapshot()
        first = feed.snapshot().requesters[node.name]
        await feed.refresh({node.name}, set())
        assert feed.snapshot().requesters[node.name] is first  # not due: the same reading
        now = 1.0
        await feed.refresh({node.name}, set())
        assert feed.snapshot().requesters[node.name] is not first or first == ()


async def test_events_say_why_a_pod_does_not_start(
    kube: Kube, namespace: str, node: Node, until: Until
) -> None:
    await kube.create(DAEMON_SETS, daemon_set(namespace, "127.0.0.1:1/missing:1"))
    plan = await plan_for(kube, namespace)
    async with WorldFeed(kube, plan, RUN) as feed:

        async def told() -> bool:
            await feed.refresh({node.name}, set())
            return any("pull" in event.message for event in feed.snapshot().view(node.name).events)

        await until(told)
        assert feed.snapshot().view(node.name).log is None


async def test_own_pods_are_known_by_node_and_role_until_they_end(
    feed: WorldFeed, running: OnCluster, node: Node, until: Until
) -> None:
    hand = Performer(running.kube, RUN, running.plan, 1, lambda: None)
    await hand.perform(CreateOwnPod(node=node.name, role=Role.PULL))

    async def there() -> bool:
        return feed.snapshot().own_pod(node.name, Role.PULL) is not None

    async def gone() -> bool:
        return not await there()

    await until(there)
    await hand.perform(DeleteOwnPod(node=node.name, role=Role.PULL))
    await until(gone)


@pytest.fixture
async def device(kube: Kube, node: Node) -> AsyncIterator[None]:
    """The node offers one device, without a plugin: the kubelet keeps what others write here."""
    offer = {"status": {"capacity": {RESOURCE: "1"}}}
    await kube.patch_merge(NODES, node.name, offer, subresource="status")
    yield
    nothing = {RESOURCE: None}
    gone = {"status": {"capacity": nothing, "allocatable": nothing}}
    await kube.patch_merge(NODES, node.name, gone, subresource="status")


async def test_the_output_of_a_users_probe_is_read_when_it_has_ended(
    running: OnCluster, node: Node, device: None, until: Until
) -> None:
    probe = ProbeSettings(image=BASE_IMAGE, command=("/bin/echo", "all good"))
    spec = msgspec.structs.replace(running.plan.spec, verify=VerifySettings(probe=probe))
    plan = msgspec.structs.replace(running.plan, spec=spec, resources=(RESOURCE,))
    hand = Performer(running.kube, RUN, plan, 1, lambda: None)
    async with WorldFeed(running.kube, plan, RUN) as feed:
        await hand.perform(CreateOwnPod(node=node.name, role=Role.PROBE))

        async def read() -> bool:
            await feed.refresh(set(), set())
            return "all good\n" in feed.snapshot().own_logs.values()

        await until(read)
        pod = feed.snapshot().own_pod(node.name, Role.PROBE)
        assert pod is not None
        assert set(feed.snapshot().own_logs) == {pod.uid}


async def test_without_permission_to_list_all_pods_the_feed_says_so(
    cluster: Cluster, running: OnCluster
) -> None:
    config = load_config(cluster.user_kubeconfig("nobody"))
    async with await Kube.connect(config) as nobody:
        with pytest.raises(Forbidden):
            async with WorldFeed(nobody, running.plan, RUN):
                pass


async def test_a_component_that_is_gone_is_none(
    feed: WorldFeed, kube: Kube, running: OnCluster, until: Until
) -> None:
    await kube.delete(DAEMON_SETS, NAME, running.namespace)

    async def gone() -> bool:
        return feed.snapshot().component is None

    await until(gone)


def refused(namespace: str, name: str, node: str, resource: str = RESOURCE) -> dict[str, Any]:
    """A pod that asks for a device of a node on which it will be refused."""
    field = {"key": "metadata.name", "operator": "In", "values": [node]}
    terms = {"nodeSelectorTerms": [{"matchFields": [field]}]}
    affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}}
    limits = {"limits": {resource: "1"}}
    return {
        "metadata": {"name": name, "namespace": namespace},
        "spec": {
            "affinity": affinity,
            "containers": [{"name": "c", "image": BASE_IMAGE, "resources": limits}],
        },
    }


async def test_pods_that_were_refused_these_devices_are_known_by_node(
    feed: WorldFeed, kube: Kube, running: OnCluster, node: Node, until: Until
) -> None:
    namespace = running.namespace
    admission = {"phase": "Failed", "reason": "UnexpectedAdmissionError"}
    for name, resource, status in (
        ("other-resource", "test.bridgehead.dev/other", admission),
        ("other-reason", RESOURCE, {"phase": "Failed", "reason": "Evicted"}),
        ("refused", RESOURCE, admission),
    ):
        await kube.create(PODS, refused(namespace, name, node.name, resource))
        patch = {"status": status}
        await kube.patch_merge(PODS, name, patch, namespace=namespace, subresource="status")

    async def seen() -> bool:
        found = feed.snapshot().refused.get(node.name, ())
        return [pod.name for pod in found] == ["refused"]

    await until(seen)


async def test_pods_that_ask_for_the_devices_are_read_before_they_are_admitted(
    feed: WorldFeed, running: OnCluster, node: Node, device: None, until: Until
) -> None:
    await running.kube.create(PODS, refused(running.namespace, "user", node.name))

    async def seen() -> bool:
        await feed.refresh({node.name}, set())
        found = feed.snapshot().requesters[node.name]
        return [(pod.name, pod.bound) for pod in found] == [("user", True)]

    await until(seen)
