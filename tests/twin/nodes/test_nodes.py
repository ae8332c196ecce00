"""Nodes as a whole: what happens to kubelets, machines and networks, and what is seen of it."""

import asyncio

import msgspec
import pytest

from bridgehead.twin.errors import ApiError
from bridgehead.twin.nodes.fleet import Fleet, Machine
from bridgehead.twin.nodes.settings import KubeletSettings
from bridgehead.twin.objects import Object, text
from bridgehead.twin.twin import Twin
from bridgehead.twin.virtual.loop import run_virtual
from tests.twin.nodes.cluster import NODE, Cluster, cluster, container, devices, images
from tests.twin.virtually import START, virtually


def _ready(twin: Cluster) -> Object:
    return next(c for c in twin.node()["status"]["conditions"] if c["type"] == "Ready")


@virtually
async def test_a_node_registers_and_is_ready_soon_after() -> None:
    twin = await cluster()
    assert twin.now < 3
    assert _ready(twin)["message"] == "kubelet is posting ready status"
    reasons = [reason for reason, _ in twin.events(NODE)]
    assert reasons[0] == "Starting"
    assert "NodeReady" in reasons


@virtually
async def test_a_quiet_node_is_heard_of_by_its_lease_and_seldom_by_its_status() -> None:
    twin = await cluster()
    await asyncio.sleep(3600)
    leases = twin.twin.kinds.named("coordination.k8s.io", "leases")
    lease = twin.twin.registry.get(leases, "kube-node-lease", NODE)
    assert lease["spec"]["holderIdentity"] == NODE
    assert lease["spec"]["renewTime"] >= "2026-01-01T00:59:50"
    assert _ready(twin)["lastHeartbeatTime"] > "2026-01-01T00:54:00Z"
    assert twin.is_ready()


@virtually
async def test_a_stopped_kubelet_is_not_heard_of_and_its_pods_run_on() -> None:
    twin = await cluster(images({"late": {"crashAfter": "200s"}}))
    twin.plugin("late")
    await twin.until(lambda: twin.offers() == "4/4")
    twin.twin.nodes.stop_kubelet(NODE)
    await twin.until(lambda: not twin.is_ready(), 70)
    assert _ready(twin)["status"] == "Unknown"
    assert twin.offers() == "4/4"
    with pytest.raises(ApiError, match="connect: connection refused"):
        twin.log("plugin", "plugin")
    await asyncio.sleep(200)
    twin.twin.nodes.start_kubelet(NODE)
    await twin.until(twin.is_ready, 5)
    assert "device monitor stopped unexpectedly" in twin.log("plugin", "plugin")
    await twin.until(lambda: twin.state("plugin", "plugin")["restartCount"] == 1)


@virtually
async def test_pods_that_went_while_the_kubelet_was_away_are_ended_by_it() -> None:
    twin = await cluster()
    twin.plugin()
    await twin.until(lambda: twin.offers() == "4/4")
    twin.twin.nodes.stop_kubelet(NODE)
    twin.delete("plugin", grace=0)
    twin.create("new")
    await asyncio.sleep(30)
    assert "containerStatuses" not in twin.status("new")
    twin.twin.nodes.start_kubelet(NODE)
    await twin.until(lambda: twin.pod_ready("new"), 10)
    await asyncio.sleep(5)
    assert twin.offers() == "0/0"


@virtually
async def test_holders_keep_their_devices_over_a_kubelet_restart() -> None:
    twin = await cluster()
    twin.plugin()
    await twin.until(lambda: twin.offers() == "4/4")
    twin.create("holder", container(resources=devices(3)))
    await twin.until(lambda: twin.pod_ready("holder"))
    before = twin.state("holder")
    twin.twin.nodes.restart_kubelet(NODE)
    await twin.until(lambda: twin.offers() == "0/0")
    await twin.until(lambda: twin.offers() == "4/4")
    await asyncio.sleep(5)
    assert twin.state("holder")["containerID"] == before["containerID"]
    twin.create("greedy", container(resources=devices(2)))
    await twin.until(lambda: twin.phase("greedy") == "Failed")
    assert "Requested: 2, Available: 1" in twin.status("greedy")["message"]


@virtually
async def test_a_pod_that_comes_before_its_plugin_has_registered_anew_is_refused() -> None:
    twin = await cluster(images({"late": {"registers": "late", "registerDelay": "30s"}}))
    twin.plugin("late")
    await twin.until(lambda: twin.offers() == "4/4")
    twin.twin.nodes.restart_kubelet(NODE)
    await twin.until(lambda: twin.offers() == "0/0")
    twin.create("early", container(resources=devices(1)))
    await twin.until(lambda: twin.phase("early") == "Failed")
    assert twin.status("early")["message"] == (
        "Pod was rejected: Allocate failed due to no healthy devices present; cannot allocate "
        "unhealthy devices example.test/device, which is unexpected"
    )


@virtually
async def test_a_kubelet_that_starts_says_more_of_pods_that_were_refused_before() -> None:
    twin = await cluster()
    twin.plugin()
    await twin.until(lambda: twin.offers() == "4/4")
    twin.create("greedy", container(resources=devices(9)))
    await twin.until(lambda: twin.phase("greedy") == "Failed")
    before = twin.status("greedy")
    assert "containerStatuses" not in before
    twin.twin.nodes.restart_kubelet(NODE)
    await twin.until(lambda: twin.state("greedy"), 5)
    after = twin.status("greedy")
    assert twin.state("greedy")["state"]["terminated"]["reason"] == "ContainerStatusUnknown"
    assert (after["reason"], after["message"]) == (before["reason"], before["message"])
    assert twin.condition("greedy", "Ready")["reason"] == "PodFailed"


@virtually
async def test_a_pod_that_asks_for_what_nobody_registered_is_let_in_without_it() -> None:
    twin = await cluster()
    twin.create("odd", container(resources=devices(1, "nobody.test/x")))
    await twin.until(lambda: twin.pod_ready("odd"))


@virtually
async def test_a_machine_that_reboots_starts_its_pods_anew() -> None:
    twin = await cluster()
    twin.plugin()
    await twin.until(lambda: twin.offers() == "4/4")
    boot = twin.node()["status"]["nodeInfo"]["bootID"]
    old = twin.state("plugin", "plugin")["containerID"]
    twin.twin.nodes.reboot(NODE)
    await twin.until(lambda: twin.node()["status"]["nodeInfo"]["bootID"] != boot)
    assert twin.offers() == "0/0"
    await twin.until(lambda: twin.offers() == "4/4")
    status = twin.state("plugin", "plugin")
    assert status["containerID"] != old
    assert status["restartCount"] == 1
    new = twin.node()["status"]["nodeInfo"]["bootID"]
    told = f"Node {NODE} has been rebooted, boot id: {new}"
    assert ("Rebooted", told) in twin.events(NODE)
    changed = "Pod sandbox changed, it will be killed and re-created."
    assert ("SandboxChanged", changed) in twin.events("plugin")


@virtually
async def test_a_node_without_network_is_lost_and_catches_up_when_it_is_back() -> None:
    twin = await cluster(images({"late": {"crashAfter": "100s"}}))
    twin.plugin("late")
    await twin.until(lambda: twin.offers() == "4/4")
    twin.twin.nodes.cut_network(NODE)
    twin.create("new")
    await twin.until(lambda: not twin.is_ready(), 70)
    await asyncio.sleep(60)
    assert twin.state("plugin", "plugin")["restartCount"] == 0
    assert "containerStatuses" not in twin.status("new")
    twin.twin.nodes.restore_network(NODE)
    await twin.until(twin.is_ready, 3)
    await twin.until(lambda: twin.state("plugin", "plugin")["restartCount"] == 1, 5)
    await twin.until(lambda: twin.pod_ready("new"), 10)


@virtually
async def test_a_restart_of_the_runtime_is_not_seen_outside() -> None:
    twin = await cluster()
    twin.plugin()
    await twin.until(lambda: twin.offers() == "4/4")
    before = twin.pod("plugin")
    twin.twin.nodes.restart_containerd(NODE)
    await asyncio.sleep(30)
    assert twin.pod("plugin") == before
    assert twin.offers() == "4/4"


@virtually
async def test_a_machine_can_join_later() -> None:
    twin = await cluster()
    hardware = {"nvidia.com/gpu": 2}
    twin.twin.nodes.add(Machine(name="node-2", hardware=hardware, labels={"pool": "new"}))
    await twin.until(lambda: twin.is_ready("node-2"), 5)
    assert twin.node("node-2")["metadata"]["labels"]["pool"] == "new"


async def _recorded() -> Cluster:
    twin = await cluster(machines=(Machine(name=NODE), Machine(name="node-2")))
    twin.plugin()
    await twin.until(lambda: twin.offers() == "4/4")
    twin.create("holder", container(resources=devices(3)))
    await twin.until(lambda: twin.pod_ready("holder"))
    await asyncio.sleep(120)
    return twin


@virtually
async def test_a_twin_of_objects_goes_on_where_they_were_recorded() -> None:
    recorded = await _recorded()
    fleet = Fleet(
        [Machine(name=NODE), Machine(name="node-2")],
        images=images(),
        settings=KubeletSettings(node_status_update=1.0),
    )
    twin = Twin(start=START + 200, fleet=fleet)
    for kind in (recorded.kind_of_nodes, recorded.pods):
        for item in recorded.twin.store.select(kind.stored):
            twin.store.put(twin.kinds.named(kind.group, kind.plural), item)
    pods = recorded.twin.store.select(recorded.pods.stored)
    before = {text(pod, "metadata", "name"): pod for pod in pods}
    recorded.twin = twin
    twin.start()
    await asyncio.sleep(60)
    assert recorded.offers() == "4/4"
    assert recorded.pod_ready("plugin")
    for name in ("plugin", "holder"):
        assert recorded.status(name) == before[name]["status"]
    recorded.create("greedy", container(resources=devices(2)))
    await recorded.until(lambda: recorded.phase("greedy") == "Failed")
    assert "Requested: 2, Available: 1" in recorded.status("greedy")["message"]
    recorded.delete("plugin")
    await recorded.until(lambda: recorded.offers() == "4/0")


@virtually
async def test_a_resource_whose_plugin_is_not_recorded_stays_as_it_was() -> None:
    machine = Machine(name=NODE)
    twin = Twin(start=START, fleet=Fleet([machine]))
    status = {
        "capacity": {"a.test/b": "4"},
        "allocatable": {"a.test/b": "3"},
        "conditions": [{"type": "Ready", "status": "True"}],
        "nodeInfo": {"bootID": "one"},
    }
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": NODE}, "spec": {}}
    twin.store.put(twin.kinds.named("", "nodes"), {**node, "status": status})
    twin.start()
    await asyncio.sleep(600)
    found = twin.registry.get(twin.kinds.named("", "nodes"), "", NODE)["status"]
    assert (found["capacity"]["a.test/b"], found["allocatable"]["a.test/b"]) == ("4", "3")
    assert found["nodeInfo"]["bootID"] == "one"
    assert found["nodeInfo"]["kernelVersion"] == machine.kernel


def _history(seed: int) -> bytes:
    changes: list[object] = []

    async def play() -> None:
        versions = {"exit": {"initFailure": "exit"}, "sick": {"unhealthyAfter": "7s"}}
        twin = Cluster(images(versions), seed=seed)
        twin.twin.store.subscribe(lambda change: changes.append((change.type, change.object)))
        await twin.up()
        twin.plugin("sick")
        twin.create("crash", container("fake:exit"))
        twin.create("pulls", container("busybox"))
        await asyncio.sleep(300)
        twin.twin.nodes.reboot(NODE)
        await asyncio.sleep(300)

    run_virtual(play(), start=START)
    return msgspec.json.encode(changes)


def test_one_seed_is_one_history_bit_for_bit() -> None:
    assert _history(3) == _history(3)


def test_another_seed_is_another_history() -> None:
    assert _history(3) != _history(4)


@virtually
async def test_a_thousand_pods_on_a_hundred_nodes_are_all_ready_within_seconds() -> None:
    machines = tuple(Machine(name=f"node-{number}") for number in range(100))
    twin = await cluster(machines=machines)
    for number in range(1000):
        twin.create(f"pod-{number}", node=f"node-{number % 100}")
    names = [f"pod-{number}" for number in range(1000)]
    await twin.until(lambda: all(map(twin.pod_ready, names)), 10)
