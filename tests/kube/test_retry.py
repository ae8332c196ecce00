"""Which calls are sent again, when, and what a caller learns of it."""

import asyncio
import time
from collections.abc import Awaitable, Callable

import pytest
from aiohttp import web
from hypothesis import given
from hypothesis import strategies as st

from bridgehead.kube import errors
from bridgehead.kube.client import Kube
from bridgehead.kube.config.values import Connection, StaticToken
from bridgehead.kube.errors import Request
from bridgehead.kube.resources import CONFIG_MAPS, NODES, PODS
from bridgehead.kube.retry import RetryPolicy, wait_for
from tests.kube.conftest import QUICK
from tests.kube.scripted import ScriptedServer, hang_up, script, status, version

OK = web.json_response({"metadata": {"name": "x"}})
BUSY = status(503, "ServiceUnavailable", "busy")
THROTTLED = status(429, "TooManyRequests", "slow down")

Write = Callable[[Kube], Awaitable[object]]

UNSAFE: dict[str, Write] = {
    "create": lambda kube: kube.create(CONFIG_MAPS, {"metadata": {"name": "x", "namespace": "n"}}),
    "create without a name, asked to repeat": lambda kube: kube.create(
        CONFIG_MAPS, {"metadata": {"generateName": "x", "namespace": "n"}}, repeat=True
    ),
    "merge patch": lambda kube: kube.patch_merge(NODES, "x", {"spec": {}}),
    "json patch without test": lambda kube: kube.patch_json(
        NODES, "x", [{"op": "add", "path": "/a/-", "value": 1}]
    ),
    "replace": lambda kube: kube.replace(NODES, {"metadata": {"name": "x"}}),
    "delete": lambda kube: kube.delete(PODS, "x", "n"),
}
SAFE: dict[str, Write] = {
    "dry run": lambda kube: kube.create(
        CONFIG_MAPS, {"metadata": {"name": "x", "namespace": "n"}}, dry_run=True
    ),
    "create of a name, asked to repeat": lambda kube: kube.create(
        CONFIG_MAPS, {"metadata": {"name": "x", "namespace": "n"}}, repeat=True
    ),
    "merge patch of a version": lambda kube: kube.patch_merge(
        NODES, "x", {"metadata": {"resourceVersion": "1"}}
    ),
    "json patch that tests what it changes": lambda kube: kube.patch_json(
        NODES,
        "x",
        [{"op": "test", "path": "/a", "value": 1}, {"op": "replace", "path": "/a/b", "value": 2}],
    ),
    "replace of a version": lambda kube: kube.replace(
        NODES, {"metadata": {"name": "x", "resourceVersion": "1"}}
    ),
    "apply": lambda kube: kube.apply(NODES, {"metadata": {"name": "x"}}),
    "delete of a uid": lambda kube: kube.delete(PODS, "x", "n", uid="u"),
}


@pytest.mark.parametrize("answer", [BUSY, hang_up], ids=["busy", "no answer"])
async def test_a_read_is_repeated(kube: Kube, server: ScriptedServer, answer: object) -> None:
    server.handler = script(answer, version)  # type: ignore[arg-type]
    assert (await kube.server_version()).git_version == "v1.37.2"
    assert len(server.seen) == 2


@pytest.mark.parametrize("write", UNSAFE.values(), ids=UNSAFE.keys())
@pytest.mark.parametrize("answer", [BUSY, hang_up], ids=["busy", "no answer"])
async def test_a_write_without_a_precondition_is_sent_once(
    kube: Kube, server: ScriptedServer, write: Write, answer: object
) -> None:
    server.handler = script(version, answer, OK)  # type: ignore[arg-type]
    await kube.server_version()  # so that the write meets a connection that is kept alive
    with pytest.raises((errors.ServerError, errors.Unreachable)):
        await write(kube)
    assert len(server.seen) == 2


@pytest.mark.parametrize("write", SAFE.values(), ids=SAFE.keys())
@pytest.mark.parametrize("answer", [BUSY, hang_up], ids=["busy", "no answer"])
async def test_a_write_that_cannot_take_effect_twice_is_repeated(
    kube: Kube, server: ScriptedServer, write: Write, answer: object
) -> None:
    server.handler = script(answer, OK)  # type: ignore[arg-type]
    await write(kube)
    assert len(server.seen) == 2


@pytest.mark.parametrize("write", UNSAFE.values(), ids=UNSAFE.keys())
async def test_a_write_that_the_server_threw_back_as_too_many_is_repeated(
    kube: Kube, server: ScriptedServer, write: Write
) -> None:
    server.handler = script(THROTTLED, OK)
    await write(kube)
    assert len(server.seen) == 2


async def test_an_eviction_that_a_budget_refuses_is_not_repeated_by_the_client(
    kube: Kube, server: ScriptedServer
) -> None:
    """It may be refused for hours: who asked for it decides."""
    cause = {
        "reason": "DisruptionBudget",
        "message": "The disruption budget b needs 1 healthy pods",
    }
    server.handler = script(status(429, "TooManyRequests", "Cannot evict pod", causes=[cause]), OK)
    with pytest.raises(errors.TooManyRequests):
        await kube.evict("p", "n", uid="u")
    assert len(server.seen) == 1


async def test_an_eviction_that_the_server_throttles_is_repeated(
    kube: Kube, server: ScriptedServer
) -> None:
    server.handler = script(THROTTLED, OK)
    await kube.evict("p", "n", uid="u")
    assert [seen.path for seen in server.seen] == 2 * ["/api/v1/namespaces/n/pods/p/eviction"]
    assert server.seen[0].json["deleteOptions"] == {"preconditions": {"uid": "u"}}


async def test_a_write_that_never_left_is_sent_when_the_server_is_back(
    kube: Kube, server: ScriptedServer
) -> None:
    server.handler = script(OK)
    await server.deafen()
    writing = asyncio.ensure_future(UNSAFE["create"](kube))
    await asyncio.sleep(0.05)
    await server.listen()
    await writing
    assert len(server.seen) == 1


async def test_an_unanswered_write_says_that_it_may_have_arrived(
    kube: Kube, server: ScriptedServer
) -> None:
    server.handler = script(hang_up)
    with pytest.raises(errors.Unreachable) as lost:
        await UNSAFE["create"](kube)
    assert (lost.value.failure, lost.value.sent) == ("reset", True)


async def test_the_refusal_of_a_repeat_says_that_it_is_one(
    kube: Kube, server: ScriptedServer
) -> None:
    gone = status(404, "NotFound", "gone")
    server.handler = script(hang_up, gone)
    with pytest.raises(errors.NotFound) as missing:
        await kube.delete(PODS, "x", "n", uid="u")
    assert missing.value.repeated
    with pytest.raises(errors.NotFound) as missing:
        await kube.delete(PODS, "x", "n", uid="u")
    assert not missing.value.repeated


async def test_retry_after_is_honoured(kube: Kube, server: ScriptedServer) -> None:
    server.handler = script(
        web.Response(status=429, headers={"Retry-After": "1"}, body=THROTTLED.body), version
    )
    started = time.monotonic()
    await kube.server_version()
    assert time.monotonic() - started >= 1.0


async def test_repeating_ends_in_time(connection: Connection, server: ScriptedServer) -> None:
    server.handler = script(BUSY)
    policy = RetryPolicy(patience=0.3, first_contact=0.3, base=0.05, cap=0.1)
    started = time.monotonic()
    async with await Kube.connect(connection, retry=policy) as kube:
        with pytest.raises(errors.ServerError):
            await kube.server_version()
    assert time.monotonic() - started < 3
    assert len(server.seen) > 2


async def test_a_server_that_never_answered_is_given_up_sooner() -> None:
    config = Connection("http://127.0.0.1:9", "test", StaticToken("t"))
    policy = RetryPolicy(patience=600, first_contact=0.1)
    async with await Kube.connect(config, retry=policy) as kube:
        with pytest.raises(errors.Unreachable, match=r"127\.0\.0\.1:9: connection refused") as gone:
            await kube.server_version()
    assert (gone.value.failure, gone.value.sent) == ("refused", False)


async def test_a_name_that_does_not_resolve_is_said_so() -> None:
    config = Connection("https://no-such-host.invalid", "test", StaticToken("t"))
    async with await Kube.connect(config, retry=RetryPolicy(patience=0, first_contact=0)) as kube:
        with pytest.raises(errors.Unreachable, match="does not resolve") as gone:
            await kube.server_version()
    assert gone.value.failure == "dns"


async def test_an_answer_that_does_not_come_ends_after_the_request_timeout(
    connection: Connection, server: ScriptedServer
) -> None:
    forever = asyncio.Event()

    async def wait(request: web.Request) -> web.StreamResponse:
        await forever.wait()
        return web.Response()

    server.handler = wait
    policy = RetryPolicy(patience=0, first_contact=0)
    async with await Kube.connect(connection, retry=policy, request_timeout=0.2) as kube:
        with pytest.raises(errors.Unreachable, match=r"no answer within 0\.2 s") as late:
            await kube.server_version()
    forever.set()
    assert late.value.failure == "timeout"


async def test_what_speaks_no_tls_is_said_so(server: ScriptedServer) -> None:
    config = Connection(server.url.replace("http:", "https:"), "test", StaticToken("t"))
    async with await Kube.connect(config, retry=QUICK) as kube:
        with pytest.raises(errors.Unreachable, match="TLS failed") as refused:
            await kube.server_version()
    assert refused.value.failure == "tls"


async def test_an_answer_that_is_no_json_is_said_so(kube: Kube, server: ScriptedServer) -> None:
    server.handler = script(web.Response(text="<html>login</html>"))
    with pytest.raises(errors.UnexpectedAnswer, match="not JSON"):
        await kube.server_version()


@given(attempt=st.integers(1, 60), chance=st.floats(0, 1, exclude_max=True))
def test_waits_grow_within_bounds(attempt: int, chance: float) -> None:
    policy = RetryPolicy()
    wait = policy.back_off(attempt, chance)
    assert policy.base / 2 <= wait <= policy.cap
    error = errors.TooManyRequests("x", request=Request("get", "pods"), code=429, retry_after=30.0)
    assert wait_for(error, attempt, policy, chance) == 30.0
