"""Reading a cluster: one snapshot, and a note of everything that may not be read."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from aiohttp import web

from bridgehead.cluster.read import read_snapshot
from bridgehead.core.model.snapshot import Snapshot
from bridgehead.kube.client import Kube
from bridgehead.kube.config.values import Connection, StaticToken
from bridgehead.kube.errors import Unauthorized, Unreachable
from bridgehead.kube.retry import RetryPolicy
from tests.cluster.api_server import ApiServer
from tests.kube.scripted import status

QUICK = RetryPolicy(patience=0.2, first_contact=0.2, base=0.01, cap=0.05)


@pytest.fixture
async def server() -> AsyncIterator[ApiServer]:
    async with ApiServer() as running:
        yield running


async def read(server: ApiServer, **options: Any) -> Snapshot:
    connection = Connection(server.url, "test", StaticToken("t"))
    async with await Kube.connect(connection, retry=QUICK, request_timeout=5.0) as kube:
        return await read_snapshot(kube, now=7.0, **options)


async def test_a_snapshot_holds_what_a_rollout_needs(server: ApiServer) -> None:
    found = await read(server, with_namespaces=True)
    assert (found.at, found.server, found.unread) == (7.0, "v1.37.2", ())
    assert [node.name for node in found.nodes] == ["n1"]
    assert [(pod.ref, pod.node, pod.bound) for pod in found.pods] == [("ns/p", "n1", True)]
    (component,) = found.components
    assert [item.hash for item in found.revisions_of(component)] == ["h1", "h2"]
    assert found.namespaces_terminating == ("old",)


async def test_only_get_and_list_are_sent(server: ApiServer) -> None:
    await read(server, with_namespaces=True)
    assert {seen.method for seen in server.seen} == {"GET"}
    assert not any("watch" in seen.query for seen in server.seen)


@pytest.mark.parametrize(
    ("path", "what", "grant"),
    [
        ("/api/v1/nodes", "nodes", "list nodes"),
        ("/api/v1/pods", "pods", "list pods"),
        ("/apis/apps/v1/daemonsets", "daemonsets", "list daemonsets.apps"),
        (
            "/apis/apps/v1/controllerrevisions",
            "controllerrevisions",
            "list controllerrevisions.apps",
        ),
        ("/api/v1/namespaces", "namespaces", "list namespaces"),
        ("/version", "version of the server", "get /version"),
    ],
)
async def test_what_may_not_be_read_is_noted_and_the_rest_is_read(
    server: ApiServer, path: str, what: str, grant: str
) -> None:
    server.forbidden = {path}
    found = await read(server, with_namespaces=True)
    assert [(item.what, item.grant) for item in found.unread] == [(what, grant)]
    assert "cannot list" in found.unread[0].why
    server.forbidden = set()
    whole = await read(server, with_namespaces=True)
    untouched = {"nodes", "pods", "components"} - {what, "components" if "apps" in grant else ""}
    for field in untouched:
        assert getattr(found, field) == getattr(whole, field)


async def test_a_namespace_limits_workloads_and_not_who_holds_devices(server: ApiServer) -> None:
    found = await read(server, namespaces=["ns"])
    paths = {seen.path for seen in server.seen}
    assert "/apis/apps/v1/namespaces/ns/daemonsets" in paths
    assert "/api/v1/pods" in paths
    assert found.unread == ()


async def test_without_rights_in_other_namespaces_the_own_pods_are_read(server: ApiServer) -> None:
    server.forbidden = {"/api/v1/pods"}
    found = await read(server, namespaces=["ns"])
    assert [pod.ref for pod in found.pods] == ["ns/p"]
    assert [(item.what, item.grant) for item in found.unread] == [
        ("pods of other namespaces", "list pods")
    ]


async def test_a_server_that_is_gone_is_an_error(server: ApiServer) -> None:
    await server.deafen()
    with pytest.raises(Unreachable):
        await read(server)


async def test_a_credential_that_is_not_accepted_is_an_error(server: ApiServer) -> None:
    async def refuse(request: web.BaseRequest) -> web.StreamResponse:
        return status(401, "Unauthorized", "Unauthorized")

    server.handler = refuse
    with pytest.raises(Unauthorized):
        await read(server)
