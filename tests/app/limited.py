"""A user of a twin who may do what a test grants, and nothing else."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from random import Random

import msgspec

from bridgehead.app.rehearse_stage import Stage
from bridgehead.app.session import Session
from bridgehead.kube.client import Kube
from bridgehead.kube.config.values import Connection, Impersonation, StaticToken
from bridgehead.twin.api.exchange import Answer, Request
from bridgehead.twin.api.http import server
from bridgehead.twin.faults.api import TroubledApi
from bridgehead.twin.objects import Object
from bridgehead.twin.virtual.connector import MemoryConnector

USER = "limited"
RBAC = "rbac.authorization.k8s.io"
READS: Object = {
    "apiGroups": ["", "apps"],
    "resources": ["nodes", "pods", "pods/log", "daemonsets", "controllerrevisions", "events"],
    "verbs": ["get", "list", "watch"],
}
"""All that tells of devices; no records."""


@asynccontextmanager
async def limited(stage: Stage, rules: Sequence[Object]) -> AsyncIterator[Session]:
    """The stage's session as that user; the rules hold in the whole cluster."""
    await _grant(stage, rules)
    twin = stage.twin
    api = TroubledApi(twin.api.handle, twin.registry, Random(1))
    http = server(api)
    connection = Connection(
        server="http://twin",
        origin="a limited user of the twin",
        tokens=StaticToken(twin.administrator),
        impersonation=Impersonation(user=USER),
        compress=False,
    )
    connector = MemoryConnector(api.accept(http), latency=0.001)
    chance = Random(2)
    async with await Kube.connect(connection, connector=connector, chance=chance) as kube:
        yield msgspec.structs.replace(stage.session, kube=kube)
    await http.shutdown()


async def _grant(stage: Stage, rules: Sequence[Object]) -> None:
    role: Object = {"metadata": {"name": USER}, "rules": list(rules)}
    binding: Object = {
        "metadata": {"name": USER},
        "roleRef": {"apiGroup": RBAC, "kind": "ClusterRole", "name": USER},
        "subjects": [{"apiGroup": RBAC, "kind": "User", "name": USER}],
    }
    for plural, body in (("clusterroles", role), ("clusterrolebindings", binding)):
        asked = Request(
            method="POST",
            path=f"/apis/{RBAC}/v1/{plural}",
            headers={"authorization": f"Bearer {stage.twin.administrator}"},
            body=msgspec.json.encode(body),
        )
        answer = await stage.twin.api.handle(asked)
        assert isinstance(answer, Answer)
        assert answer.status == 201, answer.body
