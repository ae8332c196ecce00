"""Reading what rules ask for, where not all of it may be read."""

from collections.abc import AsyncIterator

import pytest
from aiohttp import web

from bridgehead.cluster.evidence import Evidence, read_evidence
from bridgehead.core.findings.needs import Need
from bridgehead.core.model.json import text
from bridgehead.kube.client import Kube
from bridgehead.kube.config.values import Connection, StaticToken
from tests.core.diagnose.cluster import NOW, Object, daemon_set
from tests.kube.conftest import QUICK
from tests.kube.scripted import ScriptedServer, status

NEAR = ("amd", "gpu", "net")


def plugin_in(namespace: str) -> Object:
    found = daemon_set()
    found["metadata"]["namespace"] = namespace
    return found


class NearCluster(ScriptedServer):
    """A plugin in each of three namespaces, with a ServiceAccount; some may not be listed."""

    def __init__(self) -> None:
        super().__init__()
        self.forbidden: set[str] = set()
        self.handler = self.serve

    async def serve(self, request: web.BaseRequest) -> web.StreamResponse:
        path = request.path
        if path == "/version":
            return web.json_response({"gitVersion": "v1.37.2"})
        if path.endswith("/daemonsets"):
            return web.json_response({"metadata": {}, "items": [plugin_in(it) for it in NEAR]})
        if not path.endswith("/serviceaccounts"):
            return web.json_response({"metadata": {}, "items": []})
        namespace = path.split("/")[-2]
        if namespace in self.forbidden:
            text = f'serviceaccounts is forbidden: User "me" cannot list in "{namespace}"'
            return status(403, "Forbidden", text)
        item = {"metadata": {"namespace": namespace, "name": "plugin"}}
        return web.json_response({"metadata": {}, "items": [item]})


@pytest.fixture
async def server() -> AsyncIterator[NearCluster]:
    async with NearCluster() as running:
        yield running


async def seen(server: NearCluster, *namespaces: str) -> Evidence:
    connection = Connection(server.url, "test", StaticToken("token"))
    async with await Kube.connect(connection, retry=QUICK) as kube:
        return await read_evidence(kube, {Need.SERVICE_ACCOUNTS}, now=NOW, namespaces=namespaces)


def accounts(found: Evidence) -> list[str]:
    return [
        text(item, "metadata", "namespace")
        for item in found.objects
        if text(item, "kind") == "ServiceAccount"
    ]


async def test_what_is_read_near_devices_is_whole_where_all_of_that_may_be_read(
    server: NearCluster,
) -> None:
    found = await seen(server)
    assert accounts(found) == list(NEAR)
    assert "ServiceAccount" in found.complete
    assert found.unread == []


async def test_one_namespace_that_may_not_be_read_keeps_nothing_of_the_others_away(
    server: NearCluster,
) -> None:
    server.forbidden = {"amd"}
    found = await seen(server, "gpu")
    assert accounts(found) == ["gpu", "net"]
    assert "ServiceAccount" not in found.complete
    assert [(item.what, item.grant) for item in found.unread] == [
        ("serviceaccounts in namespace amd", "list serviceaccounts in namespace amd")
    ]


async def test_where_none_may_be_read_one_grant_is_named_for_all(server: NearCluster) -> None:
    server.forbidden = set(NEAR)
    found = await seen(server)
    assert accounts(found) == []
    assert [(item.what, item.grant) for item in found.unread] == [
        ("serviceaccounts in 3 namespaces", "list serviceaccounts")
    ]


async def test_the_namespaces_that_are_asked_about_are_near(server: NearCluster) -> None:
    assert accounts(await seen(server, "new")) == ["amd", "gpu", "net", "new"]
