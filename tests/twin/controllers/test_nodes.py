"""Nodes that fall silent, are cordoned, come back or are deleted; what becomes of their pods."""

from collections.abc import Callable
from typing import Any

import pytest

from bridgehead.twin.controllers.node_health import NodeLifecycleController, Timing
from bridgehead.twin.controllers.pod_garbage import PodGarbageCollector
from bridgehead.twin.controllers.taint_eviction import TaintEvictionController
from bridgehead.twin.controllers.zones import Evictions, Health, health_of, rate_of
from bridgehead.twin.objects import Object, items, text
from tests.twin.controllers.cluster import Cluster
from tests.twin.virtually import virtually

LEASE = "{apiVersion: coordination.k8s.io/v1, kind: Lease, metadata: {name: %s, namespace: %s}}"
LEASES = "kube-node-lease"


class Nodes:
    """Nodes whose kubelets renew their leases until they are told to fall silent."""

    def __init__(self, count: int = 4) -> None:
        self.twin = Cluster()
        self.silent: set[str] = set()
        self.twin.apply(f"{{apiVersion: v1, kind: Namespace, metadata: {{name: {LEASES}}}}}")
        registry = self.twin.registry
        for controller in (
            NodeLifecycleController(registry, Timing(grace=40.0)),
            TaintEvictionController(registry),
            PodGarbageCollector(registry),
        ):
            controller.start()
        for number in range(1, count + 1):
            self.join(f"node-{number}")

    def join(self, name: str) -> None:
        stamp = self.twin.registry.clock.timestamp()
        conditions = [
            {
                "type": kind,
                "status": "True" if kind == "Ready" else "False",
                "reason": "Kubelet",
                "message": "as the kubelet says",
                "lastHeartbeatTime": stamp,
                "lastTransitionTime": stamp,
            }
            for kind in ("MemoryPressure", "DiskPressure", "PIDPressure", "Ready")
        ]
        node: Object = {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {"name": name},
            "status": {"conditions": conditions},
        }
        self.twin.apply(node)
        self.twin.apply(LEASE % (name, LEASES))
        self._renew(name)

    def _renew(self, name: str) -> None:
        registry, kind = self.twin.registry, self.twin.kind("Lease")
        lease = registry.store.get(kind.stored, LEASES, name)
        if lease is not None and name not in self.silent:
            spec = {"renewTime": registry.clock.micro_timestamp(), "holderIdentity": name}
            registry.update(kind, {**lease, "spec": spec})
        registry.clock.after(10.0, lambda: self._renew(name))

    def pod(self, name: str, node: str = "node-1", **spec: Any) -> None:
        """A ready pod on a node; it tolerates a silent node for five minutes, as all do."""
        container = {"name": "main", "image": "web:1"}
        self.twin.apply(
            {
                "apiVersion": "v1",
                "kind": "Pod",
                "metadata": {"name": name},
                "spec": {"nodeName": node, "containers": [container], **spec},
            }
        )
        ready = {"type": "Ready", "status": "True", "lastTransitionTime": "2026-01-01T00:00:00Z"}
        self.twin.change("Pod", name, "status", {"phase": "Running", "conditions": [ready]})

    def ready(self, name: str) -> Object:
        found = items(self.twin.get("Node", name), "status", "conditions")
        return dict(next(one for one in found if one["type"] == "Ready"))

    def taints(self, name: str) -> set[tuple[str, str]]:
        found = items(self.twin.get("Node", name), "spec", "taints")
        return {
            (taint["key"].removeprefix("node.kubernetes.io/"), taint["effect"]) for taint in found
        }

    async def after(self, condition: Callable[[], Any]) -> float:
        """Seconds until something holds."""
        began = self.twin.registry.clock.now()
        await self.twin.until(condition)
        return self.twin.registry.clock.now() - began


@virtually
async def test_a_new_node_is_registered() -> None:
    nodes = Nodes(1)
    await nodes.twin.settle()
    told = ("Normal", "RegisteredNode", "Node node-1 event: Registered Node node-1 in Controller")
    assert told in nodes.twin.events("node-1")


@virtually
async def test_a_silent_node_is_unknown_after_its_grace_and_its_pods_are_not_ready() -> None:
    nodes = Nodes()
    nodes.pod("web")
    await nodes.twin.settle(100)
    assert nodes.ready("node-1")["status"] == "True"
    nodes.silent.add("node-1")
    took = await nodes.after(lambda: nodes.ready("node-1")["status"] == "Unknown")
    assert 30 <= took <= 50
    ready = nodes.ready("node-1")
    assert (ready["reason"], ready["message"]) == (
        "NodeStatusUnknown",
        "Kubelet stopped posting node status.",
    )
    await nodes.twin.settle()
    assert nodes.taints("node-1") == {("unreachable", "NoSchedule"), ("unreachable", "NoExecute")}
    assert nodes.twin.get("Pod", "web")["status"]["conditions"][0]["status"] == "False"
    assert nodes.twin.events("web")[0] == ("Warning", "NodeNotReady", "Node is not ready")
    told = ("Normal", "NodeNotReady", "Node node-1 status is now: NodeNotReady")
    assert told in nodes.twin.events("node-1")
    assert nodes.ready("node-2")["status"] == "True"


@virtually
async def test_pods_of_a_silent_node_go_when_they_tolerate_it_no_longer() -> None:
    nodes = Nodes()
    nodes.pod("web")
    forever = [{"key": "node.kubernetes.io/unreachable", "operator": "Exists"}]
    nodes.pod("agent", tolerations=forever)
    await nodes.twin.settle(5)
    nodes.silent.add("node-1")
    await nodes.after(lambda: ("unreachable", "NoExecute") in nodes.taints("node-1"))
    took = await nodes.after(
        lambda: nodes.twin.get("Pod", "web")["metadata"].get("deletionTimestamp")
    )
    assert 299 <= took <= 301
    conditions = nodes.twin.get("Pod", "web")["status"]["conditions"]
    assert conditions[-1]["reason"] == "DeletionByTaintManager"
    told = ("Normal", "TaintManagerEviction", "Marking for deletion Pod ai/web")
    assert told in nodes.twin.events("web")
    await nodes.twin.settle(1000)
    assert "deletionTimestamp" not in nodes.twin.get("Pod", "agent")["metadata"]


@virtually
async def test_a_node_that_comes_back_loses_its_taints_and_keeps_its_pods() -> None:
    nodes = Nodes()
    nodes.pod("web")
    await nodes.twin.settle(5)
    nodes.silent.add("node-1")
    await nodes.after(lambda: ("unreachable", "NoExecute") in nodes.taints("node-1"))
    await nodes.twin.settle(20)
    nodes.silent.clear()
    stamp = nodes.twin.registry.clock.timestamp()
    back = [
        {**one, "status": "True" if one["type"] == "Ready" else "False", "lastHeartbeatTime": stamp}
        for one in nodes.twin.get("Node", "node-1")["status"]["conditions"]
    ]
    nodes.twin.change("Node", "node-1", "status.conditions", back)
    await nodes.twin.settle(600)
    assert nodes.taints("node-1") == set()
    assert nodes.ready("node-1")["status"] == "True"
    assert "deletionTimestamp" not in nodes.twin.get("Pod", "web")["metadata"]
    told = ("Normal", "TaintManagerEviction", "Cancelling deletion of Pod ai/web")
    assert told in nodes.twin.events("web")


@virtually
async def test_a_node_that_says_it_is_not_ready_is_tainted_so() -> None:
    nodes = Nodes()
    await nodes.twin.settle(5)
    conditions = nodes.twin.get("Node", "node-1")["status"]["conditions"]
    broken = [{**one, "status": "False"} for one in conditions]
    nodes.twin.change("Node", "node-1", "status.conditions", broken)
    await nodes.twin.settle()
    assert nodes.taints("node-1") == {("not-ready", "NoSchedule"), ("not-ready", "NoExecute")}


@virtually
async def test_a_cordoned_node_has_a_taint() -> None:
    nodes = Nodes()
    await nodes.twin.settle(5)
    nodes.twin.change("Node", "node-1", "spec.unschedulable", True)
    await nodes.twin.settle()
    assert nodes.taints("node-1") == {("unschedulable", "NoSchedule")}
    assert nodes.twin.get("Node", "node-1")["spec"]["taints"][0]["timeAdded"]
    nodes.twin.change("Node", "node-1", "spec.unschedulable", None)
    await nodes.twin.settle()
    assert nodes.taints("node-1") == set()


@virtually
async def test_silent_nodes_are_emptied_one_after_the_other() -> None:
    nodes = Nodes(8)
    await nodes.twin.settle(5)
    nodes.silent |= {"node-1", "node-2", "node-3"}

    def emptied() -> int:
        names = ("node-1", "node-2", "node-3")
        return sum(("unreachable", "NoExecute") in nodes.taints(name) for name in names)

    await nodes.after(lambda: emptied() == 1)
    took = await nodes.after(lambda: emptied() == 3)
    assert 19 <= took <= 21


@virtually
async def test_nodes_that_wait_to_be_emptied_share_one_timer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    nodes = Nodes(30)
    await nodes.twin.settle(5)
    names = {f"node-{number}" for number in range(1, 15)}
    nodes.silent |= names
    asked = 0
    take = Evictions.take

    def counted(evictions: Evictions, now: float) -> str | None:
        nonlocal asked
        asked += 1
        return take(evictions, now)

    monkeypatch.setattr(Evictions, "take", counted)
    await nodes.after(
        lambda: all(("unreachable", "NoExecute") in nodes.taints(name) for name in names)
    )
    assert asked <= 4 * len(names), "by as many as wait, not by each of them for each"


@virtually
async def test_a_lease_elsewhere_is_no_sign_of_life() -> None:
    nodes = Nodes()
    nodes.twin.apply(LEASE % ("node-1", "default"))
    nodes.silent.add("node-1")
    registry, kind = nodes.twin.registry, nodes.twin.kind("Lease")
    for _ in range(10):
        await nodes.twin.settle(10)
        lease = registry.get(kind, "default", "node-1")
        registry.update(kind, {**lease, "spec": {"renewTime": registry.clock.micro_timestamp()}})
    assert nodes.ready("node-1")["status"] == "Unknown"


@virtually
async def test_when_every_node_is_silent_none_is_emptied() -> None:
    nodes = Nodes(3)
    nodes.pod("web")
    await nodes.twin.settle(5)
    nodes.silent |= {"node-1", "node-2", "node-3"}
    await nodes.twin.settle(2000)
    assert nodes.ready("node-3")["status"] == "Unknown"
    assert nodes.taints("node-1") == {("unreachable", "NoSchedule")}
    assert "deletionTimestamp" not in nodes.twin.get("Pod", "web")["metadata"]


def test_a_zone_that_has_mostly_failed_is_emptied_slowly_or_not_at_all() -> None:
    assert health_of([True] * 5 + [False] * 2) == (Health.NORMAL, 7)
    assert health_of([True] * 2 + [False] * 3) == (Health.PARTIAL, 5)
    assert health_of([False] * 4) == (Health.FULL, 4)
    assert rate_of(Health.PARTIAL, 60) == 0.01
    assert rate_of(Health.PARTIAL, 50) == 0.0
    assert rate_of(Health.FULL, 4) == rate_of(Health.NORMAL, 4) == 0.1


@virtually
async def test_a_deleted_nodes_pods_are_failed_and_gone() -> None:
    nodes = Nodes()
    nodes.pod("web")
    await nodes.twin.settle(5)
    nodes.silent.add("node-1")
    phases: list[str] = []
    nodes.twin.registry.store.subscribe(
        lambda change: (
            phases.append(text(change.object, "status", "phase"))
            if change.kind.plural == "pods"
            else None
        )
    )
    nodes.twin.delete("Node", "node-1")
    took = await nodes.after(lambda: not nodes.twin.has("Pod", "web"))
    assert 40 <= took <= 80
    assert phases[-2:] == ["Failed", "Failed"]
    told = ("Normal", "RemovingNode", "Node node-1 event: Removing Node node-1 from Controller")
    assert told in nodes.twin.events("node-1")
