"""Objects by which others hold nodes, read where a cluster has them; against a scripted server.

A real one would have to serve NodeMaintenance to all tests that share it.
"""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from aiohttp import web

from bridgehead.cluster.holds import PERIOD, HoldReader, HoldWatch
from bridgehead.core.model.node import Node
from bridgehead.kube.client import Kube
from bridgehead.kube.config.values import Connection, StaticToken
from tests.kube.scripted import ScriptedServer, status

GROUP = "maintenance.nvidia.com"
LOCK = '{"nodeID":"n2","created":"2026-01-01T00:00:00Z","TTL":0}'
NODES = {name: Node(name=name) for name in ("n1", "n2", "n3")}


class Server:
    """An API server with or without such objects."""

    def __init__(self) -> None:
        self.groups: list[str] = []
        self.maintained: list[str] = []
        self.kured = False
        self.forbidden: set[str] = set()
        """Paths that may not be read."""

    async def __call__(self, request: web.Request) -> web.StreamResponse:
        path = request.path
        if path in self.forbidden:
            return status(403, "Forbidden", f'User "u" cannot read "{path}"')
        if path in {"/api", "/apis"}:
            served = self.groups if path == "/apis" else []
            return answer("APIGroupDiscoveryList", list(map(group, served)))
        if path == "/api/v1/pods":
            wanted = self.kured and request.query["labelSelector"] == "name=kured"
            return answer("PodList", [kured_pod()] if wanted else [])
        if path.endswith("/daemonsets/kured"):
            meta = {"annotations": {"weave.works/kured-node-lock": LOCK}}
            return web.json_response({"kind": "DaemonSet", "metadata": meta})
        if path.endswith("/nodemaintenances"):
            return answer("NodeMaintenanceList", list(map(maintenance, self.maintained)))
        return status(404, "NotFound", "no such path")


def answer(kind: str, items: list[dict[str, Any]]) -> web.Response:
    return web.json_response({"kind": kind, "metadata": {"resourceVersion": "1"}, "items": items})


def group(name: str) -> dict[str, Any]:
    resource = {
        "resource": "nodemaintenances",
        "scope": "Namespaced",
        "responseKind": {"kind": "NodeMaintenance"},
    }
    return {
        "metadata": {"name": name},
        "versions": [{"version": "v1alpha1", "resources": [resource]}],
    }


def maintenance(node: str) -> dict[str, Any]:
    condition = {"type": "Ready", "status": "True", "reason": "Draining"}
    return {
        "metadata": {"name": f"of-{node}", "namespace": "maintenance"},
        "spec": {"nodeName": node, "requestorID": "network.example"},
        "status": {"conditions": [condition]},
    }


def kured_pod() -> dict[str, Any]:
    owner = {"kind": "DaemonSet", "name": "kured", "uid": "u", "controller": True}
    return {"metadata": {"name": "kured-x", "namespace": "reboots", "ownerReferences": [owner]}}


@pytest.fixture
def server() -> Server:
    return Server()


@pytest.fixture
async def kube(server: Server) -> AsyncIterator[Kube]:
    async with ScriptedServer() as running:
        running.handler = server
        connection = Connection(running.url, "test", StaticToken("t"))
        async with await Kube.connect(connection) as client:
            yield client


async def found(kube: Kube) -> HoldReader:
    reader = HoldReader(kube)
    await reader.find()
    return reader


async def test_a_cluster_without_such_objects_costs_no_reading_and_no_permission(
    kube: Kube, server: Server
) -> None:
    server.forbidden = {f"/apis/{GROUP}/v1alpha1/nodemaintenances"}
    reader = await found(kube)
    assert not reader.anything
    read = await reader.read(0.0)
    assert (read.holds, read.unread) == ({}, ())


async def test_maintenance_objects_and_kureds_lock_hold_their_nodes(
    kube: Kube, server: Server
) -> None:
    server.groups, server.maintained, server.kured = [GROUP], ["n1"], True
    read = await (await found(kube)).read(0.0)
    assert read.unread == ()
    assert "maintenance/of-n1: network.example, Draining" in read.holds["n1"][0]
    assert read.holds["n2"] == ("kured holds its lock for it (daemonset/reboots/kured)",)


@pytest.mark.parametrize(
    ("path", "what", "grant"),
    [
        (
            f"/apis/{GROUP}/v1alpha1/nodemaintenances",
            "nodemaintenances.maintenance.nvidia.com",
            "list nodemaintenances.maintenance.nvidia.com",
        ),
        (
            "/apis/apps/v1/namespaces/reboots/daemonsets/kured",
            "kured's lock on daemonset/reboots/kured",
            "get daemonsets.apps in namespace reboots",
        ),
        ("/api/v1/pods", "what else holds nodes", "list pods"),
    ],
    ids=["maintenance", "lock", "pods"],
)
async def test_what_may_not_be_read_is_unknown_and_told(
    kube: Kube, server: Server, path: str, what: str, grant: str
) -> None:
    server.groups, server.kured, server.forbidden = [GROUP], True, {path}
    (unread,) = (await (await found(kube)).read(0.0)).unread
    assert (unread.what, unread.grant) == (what, grant)


async def test_a_run_reads_again_now_and_then_and_sees_maintenance_begin_and_end(
    kube: Kube, server: Server
) -> None:
    server.groups = [GROUP]
    now = 0.0
    watch = HoldWatch(kube, lambda: now, lambda: 0.0)
    await watch.find()

    async def held() -> list[str]:
        await watch.refresh()
        return [name for name, node in watch.on(NODES).items() if node.holds]

    assert await held() == []
    server.maintained = ["n3"]
    assert await held() == []
    now += PERIOD
    assert await held() == ["n3"]
    server.maintained = []
    now += PERIOD
    assert await held() == []


async def test_what_a_run_cannot_read_may_hold_any_node(kube: Kube, server: Server) -> None:
    server.groups, server.forbidden = [GROUP], {f"/apis/{GROUP}/v1alpha1/nodemaintenances"}
    watch = HoldWatch(kube, lambda: 0.0, lambda: 0.0)
    await watch.find()
    await watch.refresh()
    assert all("is not known" in node.holds[0] for node in watch.on(NODES).values())
