"""The twin's nodes beside real ones: their objects, and their resources as time goes on."""

import asyncio
import time
from functools import partial
from typing import Any

import pytest

from bridgehead.twin.objects import Object
from testbed.cluster import Cluster
from testbed.fixtures import LeaseNodes
from tests.twin.nodes import cases
from tests.twin.nodes.beside import (
    Real,
    Told,
    play,
)
from tests.twin.nodes.cases import Words
from tests.twin.nodes.cluster import NODE
from tests.twin.nodes.cluster import Cluster as Simulated
from tests.twin.nodes.masking import same

pytestmark = pytest.mark.cluster


async def test_a_node_looks_the_same(cluster: Cluster, lease_nodes: LeaseNodes) -> None:
    (node,) = await lease_nodes(1)
    found = cluster.api.get(f"/api/v1/nodes/{node.name}")
    lease = f"/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/{node.name}"

    async def steps(twin: Simulated, _names: Words) -> Told:
        leases = twin.twin.kinds.named("coordination.k8s.io", "leases")
        own = twin.twin.registry.get(leases, "kube-node-lease", NODE)
        await twin.until(lambda: not twin.node()["spec"].get("taints"))
        return {"node": _shape(twin.node()), "lease": _shape(own)}

    real = {"node": _shape(found), "lease": _shape(cluster.api.get(lease))}
    same(await play(steps, "test-x"), real)


_OWN_LABELS = "kubernetes.io/"


def _shape(value: Any, key: str = "") -> Any:
    """Which fields there are; values where they are words of the kubelet."""
    if isinstance(value, dict):
        if key in {"labels", "annotations"}:
            return sorted(name for name in value if _OWN_LABELS in name)
        if key in {"capacity", "allocatable"}:
            return sorted(name for name in value if "/" not in name)
        left = {name: item for name, item in value.items() if name != "managedFields"}
        return {name: _shape(item, name) for name, item in left.items() if name != "images"}
    if isinstance(value, list):
        return [_shape(item, key) for item in value]
    words_of_kubelet = {"type", "status", "reason", "message", "kind", "apiVersion", "Port"}
    return value if key in words_of_kubelet else type(value).__name__


async def test_a_resource_goes_by_the_same_values(real: Real) -> None:
    names = real.words
    wanted = ["absent", "4/4", "4/3", "4/0", "4/4", "0/0", "4/4"]

    def really() -> list[str]:
        seen = [real.offer(names.resource)]

        def comes(value: str) -> None:
            def there() -> bool:
                now = real.offer(names.resource)
                if now != seen[-1]:
                    seen.append(now)
                return now == value

            real.until(there, value)

        real.create("first", names.plugin("sickens"))
        comes("4/3")
        real.delete("first")
        comes("4/0")
        real.create("second", names.plugin("late"))
        comes("4/4")
        real.node.restart_kubelet()
        comes("0/0")
        comes("4/4")
        return seen

    async def steps(twin: Simulated, names: Words) -> list[str]:
        seen = [twin.offers(names.resource)]

        async def comes(value: str) -> None:
            while seen[-1] != value:
                await asyncio.sleep(0.05)
                if (now := twin.offers(names.resource)) != seen[-1]:
                    seen.append(now)

        twin.make("first", names.plugin("sickens"))
        await comes("4/3")
        twin.delete("first")
        await comes("4/0")
        twin.make("second", names.plugin("late"))
        await comes("4/4")
        twin.twin.nodes.restart_kubelet(NODE)
        await comes("0/0")
        await comes("4/4")
        return seen

    assert await play(steps, real.namespace) == wanted
    assert await asyncio.to_thread(really) == wanted


async def test_an_allocation_that_hangs_holds_up_the_same_things(real: Real) -> None:
    names = real.words
    pods = ("plugin", "other", "asks", "innocent")

    def really() -> dict[str, str]:
        real.create("plugin", names.plugin("hangs"))
        real.create("other", names.spec(names.container("hold")))
        real.until(lambda: cases.is_ready(real.pod("other")), "other")
        real.until(partial(real.offers, names.resource), "the plugin's devices")
        real.create("asks", names.spec(names.container("hold", **names.asking(1))))
        time.sleep(1)
        real.create("innocent", names.spec(names.container("hold")))
        real.delete("other")
        real.delete("plugin")
        time.sleep(8)
        return {name: _stands(real.pod(name)) for name in pods}

    async def steps(twin: Simulated, names: Words) -> dict[str, str]:
        twin.make("plugin", names.plugin("hangs"))
        twin.make("other", names.spec(names.container("hold")))
        await twin.until(lambda: twin.pod_ready("other"))
        await twin.until(lambda: twin.offers(names.resource) == "4/4")
        twin.make("asks", names.spec(names.container("hold", **names.asking(1))))
        await asyncio.sleep(1)
        twin.make("innocent", names.spec(names.container("hold")))
        twin.delete("other")
        twin.delete("plugin")
        await asyncio.sleep(8)
        return {name: _stands(twin.pod(name) or {}) for name in pods}

    found = await asyncio.to_thread(really)
    real.node.restart_kubelet()  # else nothing on it would ever end
    assert await play(steps, real.namespace) == found
    assert found["plugin"] == found["other"] == "running"


def _stands(pod: Object) -> str:
    """Whether a pod's container runs, or the kubelet has not even looked at the pod."""
    if "containerStatuses" not in pod.get("status", {}):
        return "untouched"
    return str(next(iter(cases.state(pod)["state"])))
