"""Taints, demands, accounts, and the pace of calls."""

import asyncio
from typing import Any

import pytest

from bridgehead.twin.clock import Clock
from bridgehead.twin.controllers.daemonsets.backoff import Backoff
from bridgehead.twin.pace import Pace
from bridgehead.twin.scheduling.demand import demand_of
from bridgehead.twin.scheduling.filters import applicant, refusal
from bridgehead.twin.scheduling.ledger import Ledger
from bridgehead.twin.scheduling.taints import tolerates
from tests.twin.scheduling.cluster import START, Cluster
from tests.twin.virtually import virtually

TAINT = {"key": "gpu", "value": "yes", "effect": "NoSchedule"}


@pytest.mark.parametrize(
    ("toleration", "accepts"),
    [
        ({"operator": "Exists"}, True),
        ({"key": "gpu", "operator": "Exists"}, True),
        ({"key": "gpu", "value": "yes"}, True),
        ({"key": "gpu", "operator": "Equal", "value": "no"}, False),
        ({"key": "gpu"}, False),
        ({"key": "other", "operator": "Exists"}, False),
        ({"key": "gpu", "operator": "Exists", "effect": "NoExecute"}, False),
        ({"key": "gpu", "operator": "Gt", "value": "1"}, False),
    ],
)
def test_a_toleration_accepts_a_taint(toleration: dict[str, str], accepts: bool) -> None:
    assert tolerates(toleration, TAINT) is accepts


def container(**requests: str) -> dict[str, Any]:
    return {"resources": {"requests": requests}}


def test_a_pod_asks_for_its_containers_or_for_the_largest_step_of_its_start() -> None:
    pod = {
        "spec": {
            "containers": [container(cpu="250m", memory="1Gi"), container(cpu="1")],
            "initContainers": [
                {**container(cpu="100m"), "restartPolicy": "Always"},
                container(cpu="2", memory="64Mi"),
            ],
            "overhead": {"cpu": "10m"},
        }
    }
    demand = demand_of(pod)
    assert demand.requests == {"cpu": 2110, "memory": 1 << 30}
    assert demand_of({"spec": {"containers": [{}]}}).assumed == {"cpu": 100, "memory": 200 << 20}


@virtually
async def test_ports_of_a_node_are_taken_once() -> None:
    cluster = Cluster()
    cluster.node("node-1")
    ledger = Ledger(cluster.registry.store)
    ledger.start()
    cluster.registry.store.subscribe(ledger.follow)

    def asking(name: str, **port: Any) -> Any:
        containers = [{"name": "main", "image": "a", "ports": [{"hostPort": 80, **port}]}]
        return cluster.pod(name, containers=containers)

    first = asking("first")
    cluster.change({**first, "spec": {**first["spec"], "nodeName": "node-1"}})
    second = applicant(("ai", "second"), asking("second"))
    found = refusal(second, ledger.accounts["node-1"])
    assert found is not None
    assert found.reasons == ("node(s) didn't have free ports for the requested pod ports",)
    udp = applicant(("ai", "udp"), asking("udp", protocol="UDP"))
    assert refusal(udp, ledger.accounts["node-1"]) is None


@virtually
async def test_heartbeats_of_a_node_change_no_account() -> None:
    cluster = Cluster()
    node = cluster.node("node-1")
    ledger = Ledger(cluster.registry.store)
    ledger.start()
    cluster.registry.store.subscribe(ledger.follow)
    before = ledger.changes
    status = {**node["status"], "conditions": [{"type": "Ready", "status": "True"}]}
    node = cluster.change({**node, "status": status}, "status")
    assert ledger.changes == before
    status = {**status, "allocatable": {**status["allocatable"], "cpu": "1"}}
    cluster.change({**node, "status": status}, "status")
    assert ledger.changes == before + 1
    assert len(ledger.changed_since(before)) == 1
    assert ledger.accounts["node-1"].allocatable["cpu"] == 1000


@virtually
async def test_calls_come_in_a_burst_and_then_at_a_steady_pace() -> None:
    pace = Pace(Clock(start=START), per_second=10.0, burst=3)
    assert [pace.take() for _ in range(4)] == [0.0, 0.0, 0.0, 0.1]
    await asyncio.sleep(0.1)
    assert pace.take() == 0.0
    assert pace.take() > 0.0


def test_pauses_double_and_are_forgotten_in_the_end() -> None:
    backoff = Backoff()
    assert backoff.left("a", 0.0) == 0.0
    backoff.next("a", 0.0)
    assert (backoff.left("a", 0.5), backoff.left("a", 1.0)) == (1.0, 0.0)
    backoff.next("a", 1.0)
    assert backoff.left("a", 2.0) == 2.0
    backoff.next("a", 5000.0)
    assert backoff.left("a", 5000.5) == 1.0
    for _ in range(12):
        backoff.next("a", 5000.0)
    assert backoff.left("a", 5001.0) == 900.0
