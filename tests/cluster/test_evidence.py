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


class MachineCluster(ScriptedServer):
    """A cluster that may run KubeVirt; it notes which kinds were asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.image = "quay.io/kubevirt/virt-handler:v1.5.0"
        self.answer = 200
        self.asked: list[str] = []
        self.handler = self.serve

    async def serve(self, request: web.BaseRequest) -> web.StreamResponse:
        path = request.path
        self.asked.append(path.rpartition("/")[2])
        if path == "/version":
            return web.json_response({"gitVersion": "v1.37.2"})
        items: list[Object] = []
        if path.endswith("/daemonsets"):
            items = [daemon_set()]
            (container,) = items[0]["spec"]["template"]["spec"]["containers"]
            container["image"] = self.image
        if path.endswith("/kubevirts"):
            if self.answer == 403:
                text = 'kubevirts.kubevirt.io is forbidden: User "me" cannot list'
                return status(403, "Forbidden", text)
            if self.answer == 404:
                return status(404, "NotFound", "the server could not find the requested resource")
            items = [{"metadata": {"namespace": "kubevirt", "name": "kubevirt"}}]
        return web.json_response({"metadata": {}, "items": items})


@pytest.fixture
async def machines() -> AsyncIterator[MachineCluster]:
    async with MachineCluster() as running:
        yield running


async def on_occasion(server: MachineCluster) -> Evidence:
    connection = Connection(server.url, "test", StaticToken("token"))
    async with await Kube.connect(connection, retry=QUICK) as kube:
        return await read_evidence(
            kube, {Need.NODES}, now=NOW, on_occasion={Need.KUBEVIRT, Need.FPGA_REGIONS}
        )


async def test_what_few_clusters_have_is_read_where_a_daemon_set_gives_a_reason(
    machines: MachineCluster,
) -> None:
    found = await on_occasion(machines)
    kinds = [text(item, "kind") for item in found.objects]
    assert "KubeVirt" in kinds
    assert "KubeVirt" in found.complete
    assert "fpgaregions" not in machines.asked


async def test_without_a_reason_it_is_not_asked_for_and_not_known(machines: MachineCluster) -> None:
    machines.image = "nvcr.io/nvidia/k8s-device-plugin:v0.17.4"
    found = await on_occasion(machines)
    assert "kubevirts" not in machines.asked
    assert "KubeVirt" not in found.complete
    assert found.unread == []


async def test_a_kind_that_the_server_does_not_serve_has_no_objects(
    machines: MachineCluster,
) -> None:
    machines.answer = 404
    found = await on_occasion(machines)
    assert ("KubeVirt" in found.complete, found.unread) == (True, [])


async def test_a_kind_that_may_not_be_listed_is_not_known(machines: MachineCluster) -> None:
    machines.answer = 403
    found = await on_occasion(machines)
    assert "KubeVirt" not in found.complete
    assert [item.grant for item in found.unread] == ["list kubevirts.kubevirt.io"]
