"""A connection that breaks around a write: what took effect unheard is recognised as our own."""

import asyncio
import json
import time
from collections.abc import AsyncIterator
from typing import Any

import msgspec
import pytest
from aiohttp import web

from bridgehead.cluster.errors import LostJournalError, LostLockError, StaleLockError
from bridgehead.cluster.lock import ComponentLock, Lock
from bridgehead.cluster.perform import Performer
from bridgehead.cluster.record import Record, record_object
from bridgehead.cluster.store import RunStore
from bridgehead.core.journal.chain import Signature
from bridgehead.core.journal.entry import Draft, Phase
from bridgehead.core.plan.settings import ComponentKind, ComponentRef
from bridgehead.core.rollout.commands import (
    Baseline,
    Command,
    Cordon,
    CreateOwnPod,
    DeleteOwnPod,
    DeletePod,
    Done,
    Flip,
    LetGo,
    Position,
    Purpose,
    RestoreStrategy,
    Role,
    TakeOver,
)
from bridgehead.kube.client import Kube
from bridgehead.kube.config.values import Connection, StaticToken
from tests.cluster.components import daemon_set
from tests.cluster.pure import plan
from tests.kube.conftest import QUICK
from tests.kube.scripted import Handler, ScriptedServer, hang_up, status

RUN = "change-1"
NOW = 1_800_000_000.0
SIGNATURE = Signature(run=RUN, owner="team", identity="me")
NOT_APPLICABLE = "the server rejected our request due to an error in our request"


@pytest.fixture
async def server() -> AsyncIterator[ScriptedServer]:
    async with ScriptedServer() as running:
        yield running


@pytest.fixture
async def kube(server: ScriptedServer) -> AsyncIterator[Kube]:
    connection = Connection(server.url, "test", StaticToken("token"))
    async with await Kube.connect(connection, retry=QUICK, request_timeout=5.0) as client:
        yield client


class Stored:
    """One object behind an API: the first patch takes effect and its answer is lost."""

    def __init__(
        self, former: dict[str, Any], after: dict[str, Any], refusal: web.Response
    ) -> None:
        self.former, self.after = former, after
        self.refusal = refusal
        self.patches = 0

    async def __call__(self, request: web.Request) -> web.StreamResponse:
        if request.method == "GET":
            return web.json_response(self.after if self.patches else self.former)
        self.patches += 1
        if self.patches == 1:
            return await hang_up(request)
        body = json.loads(bytes(self.refusal.body))  # type: ignore[arg-type]
        return web.json_response(body, status=self.refusal.status)


ANCHORED = {"bridgehead.dev/run": f"bridgehead/{RUN}/1"}
HELD = {
    **ANCHORED,
    "bridgehead.dev/former-revision": "plugin-1/1",
    "bridgehead.dev/former-update-strategy": '{"type":"RollingUpdate"}',
}


def component(version: int, strategy: str, annotations: dict[str, str]) -> dict[str, Any]:
    made = daemon_set("gpu", f"registry.example/plugin:{version}")
    made["metadata"] |= {"uid": "u1", "generation": 7, "annotations": annotations}
    made["spec"]["updateStrategy"] = {"type": strategy}
    return made


CASES: dict[str, tuple[Command, dict[str, Any], dict[str, Any]]] = {
    "take over": (
        TakeOver(),
        component(1, "RollingUpdate", ANCHORED),
        component(1, "OnDelete", HELD),
    ),
    "flip": (
        Flip(to=Position.TARGET),
        component(1, "OnDelete", HELD),
        component(2, "OnDelete", HELD),
    ),
    "restore": (
        RestoreStrategy(),
        component(1, "OnDelete", HELD),
        component(1, "RollingUpdate", ANCHORED),
    ),
    "let go": (
        LetGo(),
        component(1, "RollingUpdate", ANCHORED),
        component(1, "RollingUpdate", {}),
    ),
}


@pytest.mark.parametrize("case", CASES)
async def test_a_write_whose_answer_was_lost_is_done(
    server: ScriptedServer, kube: Kube, case: str
) -> None:
    command, former, after = CASES[case]
    stored = Stored(former, after, status(422, "Invalid", NOT_APPLICABLE))
    server.handler = stored
    made = plan()
    made = msgspec.structs.replace(made, former_strategy={"type": "RollingUpdate"})
    hand = Performer(kube, RUN, made, 1, lambda: None)
    result = await hand.perform(command)
    assert isinstance(result, Done), result
    assert stored.patches == 2


async def test_a_pod_of_ours_whose_creation_got_no_answer_is_created_once(
    server: ScriptedServer, kube: Kube
) -> None:
    made: list[dict[str, Any]] = []

    async def answer(request: web.Request) -> web.StreamResponse:
        if request.method == "POST":
            if made:
                return status(409, "AlreadyExists", "it is there")
            made.append(await request.json())
            return await hang_up(request)
        if request.path.endswith("/daemonsets/plugin"):
            return web.json_response(component(1, "OnDelete", HELD))
        return web.json_response(made[0])

    server.handler = answer
    hand = Performer(kube, RUN, plan(), 1, lambda: None)
    result = await hand.perform(CreateOwnPod(node="n1", role=Role.PULL))
    assert result == Done({"pod": made[0]["metadata"]["name"]})


class Unwell:
    """A server that reads well and answers every write with 503."""

    def __init__(self) -> None:
        self.writes = 0

    def fence(self) -> None:
        """Of a holder whose lease runs out while its first sending is on its way."""
        if self.writes:
            raise LostLockError("too late")

    async def __call__(self, request: web.Request) -> web.StreamResponse:
        if request.method != "GET":
            self.writes += 1
            return status(503, "ServiceUnavailable", "not now")
        if "/daemonsets/" in request.path:
            return web.json_response(component(1, "OnDelete", HELD))
        labels = {"bridgehead.dev/run": RUN, "bridgehead.dev/role": "pull"}
        meta = {"name": "n1", "resourceVersion": "1", "uid": "u"}
        if "/nodes/" in request.path:
            return web.json_response({"metadata": meta})
        return web.json_response({"metadata": {**meta, "labels": labels}})


EFFECTS: tuple[Command, ...] = (
    Flip(to=Position.TARGET),
    LetGo(),
    Cordon(node="n1", purpose=Purpose.CHANGE, baseline=Baseline(offers={}), schedulable=True),
    DeletePod(node="n1", namespace="gpu", name="p", uid="u"),
    CreateOwnPod(node="n1", role=Role.PULL),
    DeleteOwnPod(node="n1", role=Role.PULL),
)


@pytest.mark.parametrize("effect", EFFECTS, ids=lambda item: type(item).__name__)
async def test_no_effect_is_sent_again_once_the_lock_may_be_lost(
    server: ScriptedServer, kube: Kube, effect: Command
) -> None:
    server.handler = unwell = Unwell()
    hand = Performer(kube, RUN, plan(), 1, unwell.fence)
    with pytest.raises(LostLockError):
        await hand.perform(effect)
    assert unwell.writes == 1


def draft() -> Draft:
    return Draft(step="gates", phase=Phase.NOTE, result="good")


class Journal:
    """A run's ConfigMaps; patches are stored, and answered as ``answers`` say."""

    def __init__(self, *answers: Handler | None) -> None:
        record = Record(run=RUN, owner="team", spec="", plan=plan())
        self.record = record_object(record, "state")
        self.segment: dict[str, Any] = {}
        self.answers = list(answers)

    async def __call__(self, request: web.Request) -> web.StreamResponse:
        if request.method == "POST":
            self.segment = {**await request.json()}
            self.segment["metadata"]["resourceVersion"] = "1"
            return web.json_response(self.segment)
        if request.method == "GET":
            return self._read(request)
        body = json.loads(await request.read())
        if body["metadata"]["resourceVersion"] != self.segment["metadata"]["resourceVersion"]:
            return status(409, "Conflict", "the object has been modified")
        self.segment["data"] |= body["data"]
        self.segment["metadata"]["resourceVersion"] += "1"
        answer = self.answers.pop(0) if self.answers else None
        return await answer(request) if answer else web.json_response(self.segment)

    def _read(self, request: web.Request) -> web.StreamResponse:
        if request.path.endswith(f"/{RUN}"):
            return web.json_response(self.record)
        if request.path.endswith("-0001"):
            return web.json_response(self.segment)
        items = [self.segment] if self.segment else []
        return web.json_response({"metadata": {"resourceVersion": "1"}, "items": items})


async def test_records_that_arrived_unheard_are_not_taken_for_another_runners(
    server: ScriptedServer, kube: Kube
) -> None:
    server.handler = journal = Journal(hang_up)
    store = RunStore(kube, "state")
    await store.append(RUN, [draft()], SIGNATURE, NOW)
    await store.append(RUN, [draft(), draft()], SIGNATURE, NOW)
    await store.append(RUN, [draft()], SIGNATURE, NOW)
    assert list(journal.segment["data"]) == ["000001", "000002", "000003", "000004"]
    assert len(await RunStore(kube, "state").entries(RUN)) == 4


async def test_another_runners_records_are_never_taken_for_ours(
    server: ScriptedServer, kube: Kube
) -> None:
    journal = Journal()

    async def overtaken(request: web.Request) -> web.StreamResponse:
        """Our write is lost on its way, and another runner's arrives first."""
        journal.segment["data"].pop("000002")
        journal.segment["data"]["000002"] = "another's"
        return await hang_up(request)

    journal.answers = [overtaken]
    server.handler = journal
    store = RunStore(kube, "state")
    await store.append(RUN, [draft()], SIGNATURE, NOW)
    with pytest.raises(LostJournalError):
        await store.append(RUN, [draft()], SIGNATURE, NOW)


async def test_a_holder_that_nobody_answers_stops_at_two_thirds_of_the_lease(
    server: ScriptedServer, kube: Kube
) -> None:
    async def made(request: web.Request) -> web.StreamResponse:
        if request.method == "POST":
            body = await request.json()
            body["metadata"]["resourceVersion"] = "1"
            return web.json_response(body)
        if request.method == "GET":
            return status(404, "NotFound", "no lease")
        return await hang_up(request)

    server.handler = made
    ref = ComponentRef(ComponentKind.DAEMON_SET, "gpu", "plugin")
    lock = await ComponentLock(
        kube, "state", ref, duration=3, holder="me", wall=lambda: NOW
    ).acquire(0)
    begun = time.monotonic()
    with pytest.raises(StaleLockError, match="it lasts 3 s"):
        await check_for_ever(lock)
    assert 1.9 < time.monotonic() - begun < 3
    await lock.release()


async def check_for_ever(lock: Lock) -> None:
    while True:
        lock.check()
        await asyncio.sleep(0.02)
