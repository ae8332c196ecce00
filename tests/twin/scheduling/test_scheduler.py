"""The scheduler binds what fits, says why the rest does not, and makes room for what matters."""

import asyncio
from collections import Counter
from typing import Any

from bridgehead.twin.objects import with_field
from bridgehead.twin.registry import DeleteOptions
from bridgehead.twin.scheduling.scheduler import Scheduler
from tests.twin.scheduling.cluster import Cluster
from tests.twin.virtually import virtually

DEVICE = "example.com/fake"


def scheduled(cluster: Cluster) -> Scheduler:
    scheduler = Scheduler(cluster.registry)
    scheduler.start()
    return scheduler


def where(cluster: Cluster, name: str) -> str:
    return str(cluster.get(name)["spec"].get("nodeName", ""))


def why(cluster: Cluster, name: str) -> str:
    (condition,) = cluster.get(name)["status"]["conditions"]
    assert (condition["type"], condition["status"]) == ("PodScheduled", "False")
    assert condition["reason"] == "Unschedulable"
    return str(condition["message"])


def named(node: str) -> dict[str, Any]:
    """The affinity of a DaemonSet's pod."""
    field = {"key": "metadata.name", "operator": "In", "values": [node]}
    terms = {"nodeSelectorTerms": [{"matchFields": [field]}]}
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}}


@virtually
async def test_a_pod_is_bound_as_the_api_binds_it() -> None:
    cluster = Cluster()
    cluster.node("node-1", labels={"topology.kubernetes.io/zone": "a"})
    pod = cluster.pod("web")
    scheduled(cluster)
    await asyncio.sleep(1)
    pod = cluster.get("web")
    assert pod["spec"]["nodeName"] == "node-1"
    assert pod["metadata"]["generation"] == 1
    assert pod["metadata"]["labels"] == {"topology.kubernetes.io/zone": "a"}
    assert pod["status"]["conditions"] == [
        {
            "type": "PodScheduled",
            "status": "True",
            "lastProbeTime": None,
            "lastTransitionTime": "2026-01-01T00:00:00Z",
        }
    ]
    (event,) = cluster.events("Scheduled")
    assert event["message"] == "Successfully assigned ai/web to node-1"
    assert event["reportingComponent"] == "default-scheduler"


@virtually
async def test_the_emptiest_node_is_taken_and_the_first_by_name_among_equals() -> None:
    cluster = Cluster()
    for name in ("node-2", "node-1", "node-3"):
        cluster.node(name)
    scheduled(cluster)
    for number in range(6):
        cluster.pod(f"web-{number}", asks={"cpu": "500m", "memory": "1Gi"})
    await asyncio.sleep(1)
    nodes = [where(cluster, f"web-{number}") for number in range(6)]
    assert nodes == ["node-1", "node-2", "node-3", "node-1", "node-2", "node-3"]


@virtually
async def test_each_reason_is_counted_in_the_schedulers_words() -> None:
    cluster = Cluster()
    cluster.node("busy", extended={DEVICE: 1})
    cluster.node("cordoned", unschedulable=True, extended={DEVICE: 1})
    cluster.node("tainted", taints=[{"key": "gpu", "effect": "NoSchedule"}])
    cluster.node("without")
    cluster.pod("holder", asks={DEVICE: "1"})
    scheduled(cluster)
    await asyncio.sleep(1)
    assert where(cluster, "holder") == "busy"
    cluster.pod("late", asks={DEVICE: "1"})
    await asyncio.sleep(1)
    assert why(cluster, "late") == (
        "0/4 nodes are available: 1 node(s) had untolerated taint(s), "
        "1 node(s) were unschedulable, 2 Insufficient example.com/fake. "
        "preemption: 0/4 nodes are available: 1 No preemption victims found for incoming pod, "
        "3 Preemption is not helpful for scheduling."
    )
    (event,) = cluster.events("FailedScheduling")
    assert event["message"] == why(cluster, "late")
    assert (event["type"], event["action"]) == ("Warning", "Scheduling")


@virtually
async def test_a_pod_that_names_its_node_is_judged_there_alone() -> None:
    cluster = Cluster()
    cluster.node("node-1")
    cluster.node("node-2")
    cluster.node("node-3")
    scheduled(cluster)
    cluster.pod("fits", affinity=named("node-2"))
    cluster.pod("large", affinity=named("node-2"), asks={"cpu": "1000"})
    cluster.pod("nowhere", affinity=named("node-9"))
    await asyncio.sleep(1)
    assert where(cluster, "fits") == "node-2"
    unhelpful = "preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling."
    assert why(cluster, "large") == (
        "0/3 nodes are available: 1 Insufficient cpu, "
        f"2 node(s) didn't satisfy plugin(s) [NodeAffinity]. {unhelpful}"
    )
    assert why(cluster, "nowhere") == (
        f"0/3 nodes are available: 3 node(s) didn't satisfy plugin(s) [NodeAffinity]. {unhelpful}"
    )


@virtually
async def test_a_pod_that_waits_is_bound_when_its_resource_comes() -> None:
    cluster = Cluster()
    node = cluster.node("node-1")
    scheduled(cluster)
    cluster.pod("job", asks={DEVICE: "2"})
    await asyncio.sleep(1)
    assert "1 Insufficient example.com/fake" in why(cluster, "job")
    cluster.change(with_field(node, ("status", "allocatable", DEVICE), "2"), "status")
    await asyncio.sleep(1)
    assert where(cluster, "job") == "node-1"


@virtually
async def test_a_pod_that_waits_is_bound_when_a_holder_ends() -> None:
    cluster = Cluster()
    cluster.node("node-1", extended={DEVICE: 1})
    scheduled(cluster)
    cluster.pod("first", asks={DEVICE: "1"})
    cluster.pod("second", asks={DEVICE: "1"})
    await asyncio.sleep(1)
    assert (where(cluster, "first"), where(cluster, "second")) == ("node-1", "")
    done = with_field(cluster.get("first"), ("status", "phase"), "Succeeded")
    cluster.change(done, "status")
    await asyncio.sleep(1)
    assert where(cluster, "second") == "node-1"


@virtually
async def test_without_nodes_it_says_so_and_binds_when_one_joins() -> None:
    cluster = Cluster()
    scheduled(cluster)
    cluster.pod("web")
    await asyncio.sleep(1)
    assert why(cluster, "web") == "no nodes available to schedule pods"
    cluster.node("node-1")
    await asyncio.sleep(1)
    assert where(cluster, "web") == "node-1"


@virtually
async def test_a_gated_pod_and_one_of_another_scheduler_are_left_alone() -> None:
    cluster = Cluster()
    cluster.node("node-1")
    scheduled(cluster)
    gated = cluster.pod("gated", schedulingGates=[{"name": "example.com/wait"}])
    cluster.pod("others", schedulerName="mine")
    await asyncio.sleep(1)
    assert (where(cluster, "gated"), where(cluster, "others")) == ("", "")
    cluster.change(with_field(gated, ("spec", "schedulingGates"), None))
    await asyncio.sleep(1)
    assert where(cluster, "gated") == "node-1"


@virtually
async def test_the_more_important_pod_goes_first() -> None:
    cluster = Cluster()
    cluster.node("node-1", extended={DEVICE: 1})
    cluster.pod("low", asks={DEVICE: "1"}, priority=1)
    cluster.pod("high", asks={DEVICE: "1"}, priority=2)
    scheduled(cluster)
    await asyncio.sleep(1)
    assert (where(cluster, "low"), where(cluster, "high")) == ("", "node-1")


@virtually
async def test_lesser_pods_make_room_and_the_place_is_kept_for_whom_they_did() -> None:
    cluster = Cluster()
    cluster.node("node-1", extended={DEVICE: 1})
    cluster.node("node-2", extended={DEVICE: 1})
    scheduled(cluster)
    for number, priority in ((1, 10), (2, 5)):
        cluster.pod(f"low-{number}", asks={DEVICE: "1"}, priority=priority)
    await asyncio.sleep(1)
    vip = cluster.pod("vip", asks={DEVICE: "1"}, priority=100)
    await asyncio.sleep(1)
    victim = cluster.get("low-2")
    assert victim["metadata"]["deletionGracePeriodSeconds"] == 30
    disrupted = {each["type"]: each for each in victim["status"]["conditions"]}["DisruptionTarget"]
    assert disrupted["reason"] == "PreemptionByScheduler"
    assert disrupted["message"] == (
        "default-scheduler: preempting to accommodate a higher priority pod"
    )
    assert cluster.get("vip")["status"]["nominatedNodeName"] == "node-2"
    assert why(cluster, "vip") == (
        "0/2 nodes are available: 2 Insufficient example.com/fake. preemption: found a potential "
        "placement for pod on node node-2, preempting 1 victims"
    )
    (event,) = cluster.events("Preempted")
    assert event["message"] == f"Preempted by pod {vip['metadata']['uid']} on node node-2"
    cluster.pod("sly", asks={DEVICE: "1"}, priority=50)
    pods = cluster.registry.kinds.named("", "pods")
    cluster.registry.delete(pods, "ai", "low-2", DeleteOptions(grace=0))
    await asyncio.sleep(1)
    assert where(cluster, "vip") == "node-2"
    assert "nominatedNodeName" not in cluster.get("vip")["status"]


@virtually
async def test_who_never_preempts_waits() -> None:
    cluster = Cluster()
    cluster.node("node-1", extended={DEVICE: 1})
    scheduled(cluster)
    cluster.pod("low", asks={DEVICE: "1"})
    cluster.pod("polite", asks={DEVICE: "1"}, priority=9, preemptionPolicy="Never")
    await asyncio.sleep(1)
    # the more important one is bound first where both come at once
    assert where(cluster, "polite") == "node-1"
    cluster.pod("politer", asks={DEVICE: "1"}, priority=99, preemptionPolicy="Never")
    await asyncio.sleep(1)
    assert why(cluster, "politer").endswith(
        "preemption: not eligible due to preemptionPolicy=Never."
    )


@virtually
async def test_pods_that_shun_each_other_are_kept_apart() -> None:
    cluster = Cluster()
    cluster.node("node-1")
    cluster.node("node-2")
    scheduled(cluster)
    term = {
        "topologyKey": "kubernetes.io/hostname",
        "labelSelector": {"matchLabels": {"app": "db"}},
    }
    rule = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    for number in (1, 2, 3):
        cluster.pod(f"db-{number}", labels={"app": "db"}, affinity=rule)
        await asyncio.sleep(1)
    assert [where(cluster, f"db-{number}") for number in (1, 2, 3)] == ["node-1", "node-2", ""]
    assert "2 node(s) didn't match pod anti-affinity rules" in why(cluster, "db-3")
    near = {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    cluster.pod("client", affinity=near)
    lonely = {**term, "labelSelector": {"matchLabels": {"app": "cache"}}}
    far = {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [lonely]}}
    cluster.pod("orphan", affinity=far)
    await asyncio.sleep(1)
    assert where(cluster, "client") in {"node-1", "node-2"}
    assert "2 node(s) didn't match pod affinity rules" in why(cluster, "orphan")
    cluster.pod("cache", labels={"app": "cache"})
    await asyncio.sleep(1)
    assert where(cluster, "orphan") == where(cluster, "cache")


@virtually
async def test_pods_are_bound_at_the_pace_of_a_real_scheduler_and_evenly() -> None:
    cluster = Cluster()
    for number in range(50):
        cluster.node(f"node-{number:02}")
    scheduled(cluster)
    for number in range(500):
        cluster.pod(f"web-{number:03}")
    await asyncio.sleep(7)
    assert not where(cluster, "web-499")
    await asyncio.sleep(2)
    nodes = Counter(where(cluster, f"web-{number:03}") for number in range(500))
    assert set(nodes.values()) == {10}
    assert len(nodes) == 50
