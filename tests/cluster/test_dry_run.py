"""What a dry-run's refusal becomes: a reason not to begin, whichever code the server chose."""

from collections.abc import AsyncIterator

import msgspec
import pytest
from aiohttp import web

from bridgehead.cluster.convert import component_from
from bridgehead.cluster.dry_run import pod_refusal, stored_target
from bridgehead.core.plan.plan import Refusal
from bridgehead.kube.client import Kube
from bridgehead.kube.config.values import Connection, StaticToken
from bridgehead.kube.errors import Forbidden
from tests.cluster.components import daemon_set
from tests.cluster.pure import plan
from tests.kube.conftest import QUICK
from tests.kube.scripted import ScriptedServer, script, status

COMPONENT = component_from(daemon_set("gpu", "registry.example/plugin:1"))
WEBHOOK = 'admission webhook "policy.example" denied the request: image not signed'
DENIALS = {
    "webhook": status(400, "BadRequest", WEBHOOK),
    "policy": status(422, "Invalid", "ValidatingAdmissionPolicy 'signed' denied request"),
    "quota": status(403, "Forbidden", "exceeded quota: none, requested: pods=1"),
}


@pytest.fixture
async def server() -> AsyncIterator[ScriptedServer]:
    async with ScriptedServer() as running:
        yield running


@pytest.fixture
async def kube(server: ScriptedServer) -> AsyncIterator[Kube]:
    connection = Connection(server.url, "test", StaticToken("token"))
    async with await Kube.connect(connection, retry=QUICK) as client:
        yield client


def said(answer: web.Response) -> str:
    message: str = msgspec.json.decode(bytes(answer.body))["message"]  # type: ignore[arg-type]
    return message


@pytest.mark.parametrize("denial", DENIALS.values(), ids=DENIALS)
async def test_a_denied_template_is_a_refusal(
    server: ScriptedServer, kube: Kube, denial: web.Response
) -> None:
    server.handler = script(denial)
    refused = await stored_target(kube, plan().spec, COMPONENT)
    assert isinstance(refused, Refusal)
    assert refused.rule == "template-refused"
    assert said(denial) in refused.message


@pytest.mark.parametrize("denial", DENIALS.values(), ids=DENIALS)
async def test_a_denied_pod_is_a_refusal(
    server: ScriptedServer, kube: Kube, denial: web.Response
) -> None:
    server.handler = script(denial)
    refused = await pod_refusal(kube, COMPONENT, COMPONENT.template)
    assert refused is not None
    assert said(denial) in refused.message


async def test_a_permission_that_is_missing_is_no_refusal(
    server: ScriptedServer, kube: Kube
) -> None:
    text = (
        'daemonsets.apps "plugin" is forbidden: User "ci" cannot patch resource "daemonsets" in '
        'API group "apps" in the namespace "gpu"'
    )
    server.handler = script(status(403, "Forbidden", text))
    with pytest.raises(Forbidden):
        await stored_target(kube, plan().spec, COMPONENT)
