"""The pod that reads a node's files, on a real kubelet; the test bed's base image has a shell."""

import asyncio
import time
from pathlib import Path

import pytest

from bridgehead.cluster.names import ROLE_LABEL
from bridgehead.cluster.reader import NodeReader
from bridgehead.cluster.reader_answer import Answer
from bridgehead.cluster.reader_pod import ROLE, reader_pod
from bridgehead.core.model.json import child, text
from bridgehead.core.model.snapshot import Unread
from bridgehead.kube.client import Kube
from bridgehead.kube.resources import EVENTS, PODS
from testbed.base_image import BASE_IMAGE
from testbed.cluster import Cluster
from testbed.fixtures import LeaseNodes

pytestmark = pytest.mark.cluster

HAS_MODULES = Path("/proc/modules").exists()
"""Whether the kernel of this machine, which is that of its nodes, can load modules at all."""


async def left(kube: Kube, namespace: str) -> list[str]:
    """Readers that are there and not on their way out."""
    found = await kube.list(PODS, namespace, f"{ROLE_LABEL}={ROLE}")
    return [pod.metadata.name for pod in found.items if pod.metadata.deletion_timestamp is None]


async def test_a_node_is_read_whatever_keeps_others_off_and_nothing_is_left(
    cluster: Cluster, kube: Kube, lease_nodes: LeaseNodes, namespace: str
) -> None:
    taint = {"key": "broken", "effect": "NoSchedule"}
    [node] = await lease_nodes(1, taints=[taint])
    cluster.api.patch(f"/api/v1/nodes/{node.name}", {"spec": {"unschedulable": True}})
    here = sorted(path.name for path in node.host_path("/var/lib/kubelet/device-plugins").iterdir())

    answer = await NodeReader(kube, namespace, BASE_IMAGE, time.time).read(node.name)

    assert isinstance(answer, Answer), answer
    status = child(answer.evidence, "status")
    assert isinstance(status, dict)
    assert status["sockets"] == here
    assert "kubelet.sock" in status["sockets"]
    assert text(status, "checkpoint", "Checksum") or child(status, "checkpoint", "Data")
    assert "/dev/null" in status["devices"]
    assert isinstance(status["cdi"], dict)
    assert ("modules" in status) == HAS_MODULES
    assert "kubeletLog" not in status  # a test bed's kubelet writes none there
    assert not answer.unread
    assert await left(kube, namespace) == []


async def test_an_image_without_a_shell_and_one_that_is_not_there_are_said(
    kube: Kube, lease_nodes: LeaseNodes, namespace: str
) -> None:
    [node] = await lease_nodes(1)
    absent = "127.0.0.1:1/no-such-image:1"  # refused at once

    answer = await NodeReader(kube, namespace, absent, time.time).read(node.name)

    assert isinstance(answer, Unread)
    assert answer.what == f"files of node {node.name}"
    assert f"the reader's image {absent} could not be pulled: " in answer.why
    told = await kube.list(EVENTS, namespace, field_selector="reason=Failed")
    pulls = [item for item in told.items if item.message.startswith("Failed to pull image")]
    assert sum(max(item.count, 1) for item in pulls) == 2
    assert await left(kube, namespace) == []


async def test_a_reader_that_is_called_off_is_removed(
    kube: Kube, lease_nodes: LeaseNodes, namespace: str
) -> None:
    [node] = await lease_nodes(1)
    absent = "registry.test/no-such-image:1"
    reading = asyncio.create_task(NodeReader(kube, namespace, absent, time.time).read(node.name))
    end = time.monotonic() + 30
    while not await left(kube, namespace):
        assert time.monotonic() < end
        await asyncio.sleep(0.1)

    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading

    assert await left(kube, namespace) == []


async def test_what_a_killed_process_left_behind_is_removed_by_the_next_one(
    kube: Kube, lease_nodes: LeaseNodes, namespace: str
) -> None:
    [node] = await lease_nodes(1)
    body = reader_pod(
        name="left-behind",
        namespace=namespace,
        node=node.name,
        image="registry.test/no-such-image:1",
        boundary="--",
    )
    await kube.create(PODS, body)
    later = time.time() + 120

    await NodeReader(kube, namespace, BASE_IMAGE, lambda: later).remove_leftovers()

    assert await left(kube, namespace) == []


async def test_a_namespace_that_refuses_the_reader_is_said(
    cluster: Cluster, kube: Kube, lease_nodes: LeaseNodes, namespace: str
) -> None:
    [node] = await lease_nodes(1)
    labels = {"pod-security.kubernetes.io/enforce": "restricted"}
    cluster.api.patch(f"/api/v1/namespaces/{namespace}", {"metadata": {"labels": labels}})

    answer = await NodeReader(kube, namespace, BASE_IMAGE, time.time).read(node.name)

    assert isinstance(answer, Unread)
    assert "refuses the reader" in answer.why
    assert "hostPath" in answer.why


async def test_for_a_node_that_is_not_there_nothing_is_started(kube: Kube, namespace: str) -> None:
    answer = await NodeReader(kube, namespace, BASE_IMAGE, time.time).read("some-node")

    assert answer == Unread("files of node some-node", "there is no such node")
    assert not (await kube.list(PODS, namespace)).items
