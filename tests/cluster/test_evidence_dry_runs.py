"""What becomes of the answers to dry runs of pods."""

from collections.abc import AsyncIterator

import pytest
from aiohttp import web

from bridgehead.cluster.evidence_dry_runs import Trial, pod_dry_runs
from bridgehead.core.model.json import JsonObject
from bridgehead.core.model.snapshot import Unread
from bridgehead.kube.client import Kube
from bridgehead.kube.config.values import Connection, StaticToken
from tests.kube.conftest import QUICK
from tests.kube.scripted import ScriptedServer, script, status

TEMPLATE: JsonObject = {
    "metadata": {"labels": {"app": "plugin"}},
    "spec": {"containers": [{"name": "c", "image": "i:1"}]},
}
TRIAL = Trial(namespace="gpu", name="plugin", template=TEMPLATE)
SECURITY = 'pods "plugin-x" is forbidden: violates PodSecurity "baseline:latest": hostPath volumes'
SIDE_EFFECTS = 'admission webhook "old.example" does not support dry run'
MAY_NOT = 'pods is forbidden: User "me" cannot create resource "pods" in API group ""'


@pytest.fixture
async def server() -> AsyncIterator[ScriptedServer]:
    async with ScriptedServer() as running:
        yield running


async def told(server: ScriptedServer) -> tuple[list[JsonObject], tuple[Unread, ...]]:
    connection = Connection(server.url, "test", StaticToken("token"))
    async with await Kube.connect(connection, retry=QUICK) as kube:
        objects, unread = await pod_dry_runs(kube, [TRIAL])
    return [item["status"] for item in objects], unread  # type: ignore[misc]


def answer(accepted: bool | None, message: str = "") -> JsonObject:
    return {"component": "daemonset/gpu/plugin", "accepted": accepted, "message": message}


async def test_a_pod_as_the_controller_would_make_it_is_tried_and_not_stored(
    server: ScriptedServer,
) -> None:
    server.handler = script(web.json_response({"metadata": {"name": "plugin-x"}}, status=201))
    assert await told(server) == ([answer(True)], ())
    (seen,) = server.seen
    assert (seen.method, seen.path) == ("POST", "/api/v1/namespaces/gpu/pods")
    assert seen.query["dryRun"] == "All"
    assert seen.json["metadata"]["generateName"] == "plugin-"
    assert seen.json["metadata"]["labels"] == {"app": "plugin"}
    assert seen.json["spec"] == TEMPLATE["spec"]


async def test_a_refusal_is_kept_in_the_servers_words(server: ScriptedServer) -> None:
    server.handler = script(status(403, "Forbidden", SECURITY))
    assert await told(server) == ([answer(False, SECURITY)], ())


@pytest.mark.parametrize(
    ("code", "reason", "text"),
    [(400, "BadRequest", SIDE_EFFECTS), (409, "Conflict", "try again")],
)
async def test_an_answer_that_is_not_about_the_pod_is_not_known(
    server: ScriptedServer, code: int, reason: str, text: str
) -> None:
    server.handler = script(status(code, reason, text))
    objects, unread = await told(server)
    assert objects == [answer(None, text)]
    assert unread == (Unread("dry run of a pod of daemonset/gpu/plugin", text),)


async def test_who_may_not_create_pods_learns_which_permission_that_is(
    server: ScriptedServer,
) -> None:
    server.handler = script(status(403, "Forbidden", MAY_NOT))
    objects, (unread,) = await told(server)
    assert objects == [answer(None, MAY_NOT)]
    assert unread.grant == "create pods in namespace gpu"


async def test_a_namespace_that_does_not_exist_answers_nothing(server: ScriptedServer) -> None:
    server.handler = script(status(404, "NotFound", 'namespaces "gpu" not found'))
    assert await told(server) == ([], ())


async def test_a_server_that_fails_again_and_again_is_left_after_a_while(
    server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bridgehead.cluster.evidence_dry_runs.PATIENCE", 0.05)

    async def fails(_: web.BaseRequest) -> web.StreamResponse:
        return status(500, "InternalError", "failed calling webhook")

    server.handler = fails
    objects, (unread,) = await told(server)
    assert objects[0]["accepted"] is None
    assert unread.why
