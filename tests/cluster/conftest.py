"""A client of the real API server, and a component in a namespace of the test's own."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest

from bridgehead.kube.client import Kube
from bridgehead.kube.config.load import load_config
from bridgehead.kube.resources import DAEMON_SETS
from testbed.cluster import Cluster
from tests.cluster.components import OnCluster, daemon_set, plan_for


@pytest.fixture
async def kube(cluster: Cluster) -> AsyncIterator[Kube]:
    """The cluster's administrator."""
    async with await Kube.connect(load_config(cluster.kubeconfig)) as client:
        yield client


@pytest.fixture
async def component(kube: Kube, namespace: str) -> OnCluster:
    """A DaemonSet that runs on nodes with the label `test=NAMESPACE`, and a plan for it."""
    await kube.create(DAEMON_SETS, daemon_set(namespace))
    return OnCluster(kube, await plan_for(kube, namespace))


Until = Callable[[Callable[[], Awaitable[bool]]], Awaitable[None]]


@pytest.fixture
def until() -> Until:
    """Waits for a condition; the test fails when it does not come true within a minute."""

    async def wait(condition: Callable[[], Awaitable[bool]]) -> None:
        end = time.monotonic() + 60
        while not await condition():
            assert time.monotonic() < end, "the condition did not come true in time"
            await asyncio.sleep(0.1)

    return wait
