"""A list that stays current: what a reflector makes of all that can happen (WA-01 to WA-07)."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from aiohttp import web

from bridgehead.kube import errors
from bridgehead.kube.client import Kube
from bridgehead.kube.objects.node import Node
from bridgehead.kube.objects.pod import Pod
from bridgehead.kube.resources import NODES, PODS
from bridgehead.kube.watch import Reflector, WatchTiming
from bridgehead.kube.watch_store import Change
from tests.kube.scripted import Handler, ScriptedServer, status, until
from tests.kube.watched import (
    QUICK,
    Cluster,
    Log,
    bookmark,
    event,
    follow,
    pod,
    quiet,
    reset,
    stream,
)


@pytest.fixture
def cluster(server: ScriptedServer) -> Cluster:
    return Cluster(server)


@pytest.fixture
def log() -> Log:
    return Log()


@pytest.fixture
def watching(kube: Kube, log: Log) -> Callable[..., Reflector[Pod]]:
    def make(timing: WatchTiming = QUICK, **options: Any) -> Reflector[Pod]:
        return Reflector(kube, PODS, "n", on_change=log, timing=timing, **options)

    return make


Watching = Callable[..., Reflector[Pod]]


async def test_it_lists_then_watches_from_there_with_bookmarks_and_a_time_limit(
    cluster: Cluster, watching: Watching, log: Log
) -> None:
    cluster.lists = [[pod("a", 90)]]
    async with watching(label_selector="app=x", field_selector="spec.nodeName=m") as pods:
        assert [key.name for key in pods.objects] == ["a"]
        assert not pods.stale
        assert pods.resource_version == "100"
    listed, watched = cluster.server.seen
    assert watched.query["resourceVersion"] == "100"
    assert watched.query["allowWatchBookmarks"] == "true"
    assert 240 <= int(watched.query["timeoutSeconds"]) <= 300
    for seen in (listed, watched):
        assert seen.path == "/api/v1/namespaces/n/pods"
        assert seen.query["labelSelector"] == "app=x"
        assert seen.query["fieldSelector"] == "spec.nodeName=m"
    assert log.changes == ["added a"]


async def test_events_change_the_objects(cluster: Cluster, watching: Watching, log: Log) -> None:
    cluster.watches = [
        stream(
            event("ADDED", pod("a", 101)),
            event("MODIFIED", pod("a", 102, nodeName="m")),
            event("ADDED", pod("b", 103)),
            event("DELETED", pod("a", 104)),
        )
    ]
    async with watching() as pods:
        await until(lambda: pods.resource_version == "104")
        assert [key.name for key in pods.objects] == ["b"]
    assert log.changes == ["added a", "modified a", "added b", "deleted a"]


async def test_a_clean_end_resumes_at_the_last_version(
    cluster: Cluster, watching: Watching
) -> None:
    cluster.watches = [stream(event("ADDED", pod("a", 101)))]
    async with watching() as pods:
        await until(lambda: len(cluster.watched_from) == 2)
        assert list(pods.objects)
    assert cluster.watched_from == ["100", "101"]
    assert cluster.listed == 1


GONE = {"kind": "Status", "code": 410, "reason": "Expired", "message": "too old resource version"}


async def _http_410(request: web.Request) -> web.StreamResponse:
    return status(410, "Expired", "too old resource version")


@pytest.mark.parametrize(
    "gone", [stream(event("ERROR", GONE)), _http_410], ids=["inside the stream", "as the answer"]
)
async def test_an_expired_version_leads_to_a_new_list_and_what_vanished_is_deleted(
    cluster: Cluster, watching: Watching, log: Log, gone: Handler
) -> None:
    cluster.lists = [[pod("gone", 90), pod("same", 91), pod("moved", 92)]]
    cluster.watches = [gone]
    cluster.lists.append([pod("same", 91), pod("moved", 93), pod("new", 120)])
    async with watching() as pods:
        await until(lambda: "added new" in log.changes)
        assert sorted(key.name for key in pods.objects) == ["moved", "new", "same"]
    assert log.changes[3:] == ["deleted gone", "modified moved", "added new"]
    assert cluster.listed == 2


async def test_an_object_recreated_unseen_is_deleted_and_added(
    cluster: Cluster, watching: Watching, log: Log
) -> None:
    again = pod("a", 110)
    again["metadata"]["uid"] = "another"
    cluster.lists = [[pod("a", 90)], [again]]
    cluster.watches = [_http_410]
    async with watching():
        await until(lambda: len(log.changes) == 3)
    assert log.changes == ["added a", "deleted a", "added a"]


async def test_a_reset_in_the_middle_of_a_line_drops_the_fragment_and_resumes(
    cluster: Cluster, watching: Watching, log: Log
) -> None:
    whole, cut = event("ADDED", pod("a", 101)), event("ADDED", pod("b", 102))
    cluster.watches = [
        stream(whole + cut[:30], then=reset),
        stream(event("ADDED", pod("b", 102))),
    ]
    async with watching() as pods:
        await until(lambda: pods.resource_version == "102")
    assert cluster.watched_from[:2] == ["100", "101"]
    assert log.changes == ["added a", "added b"]
    assert cluster.listed == 1


async def test_a_bookmark_moves_the_version_from_which_it_resumes(
    cluster: Cluster, watching: Watching
) -> None:
    cluster.watches = [stream(bookmark(150))]
    async with watching():
        await until(lambda: len(cluster.watched_from) == 2)
    assert cluster.watched_from == ["100", "150"]


async def test_a_line_of_three_megabytes_is_one_event(cluster: Cluster, watching: Watching) -> None:
    big = pod("big", 101)
    big["metadata"]["annotations"] = {"note": "x" * 3_000_000}
    line = event("ADDED", big)
    pieces = [line[start : start + 100_000] for start in range(0, len(line), 100_000)]
    cluster.watches = [stream(*pieces)]
    async with watching() as pods:
        await until(lambda: len(pods.objects) == 1)
        (only,) = pods.objects.values()
    assert len(only.metadata.annotations["note"]) == 3_000_000


async def test_a_connection_without_a_byte_is_given_up_and_resumed(
    cluster: Cluster, watching: Watching
) -> None:
    cluster.watches = [quiet, stream(event("ADDED", pod("a", 101)))]
    async with watching(WatchTiming(silence=0.2, catch_up=0.01, back_off=(0.01, 0.05))) as pods:
        await until(lambda: pods.resource_version == "101")
    assert cluster.watched_from[:2] == ["100", "100"]


async def test_it_is_stale_while_no_stream_is_open(cluster: Cluster, watching: Watching) -> None:
    open_again = asyncio.Event()

    async def closed(request: web.Request) -> web.StreamResponse:
        await open_again.wait()
        return await quiet(request)

    cluster.watches = [stream(event("ADDED", pod("a", 101))), closed]
    async with watching() as pods:
        await until(lambda: len(cluster.watched_from) == 2)
        assert pods.stale
        assert list(pods.objects)
        open_again.set()
        await until(lambda: not pods.stale)


async def test_after_a_resumption_it_stays_stale_until_it_had_time_to_catch_up(
    cluster: Cluster, watching: Watching
) -> None:
    cluster.watches = [stream(event("ADDED", pod("a", 101)))]
    async with watching(WatchTiming(catch_up=3600, back_off=(0.01, 0.05))) as pods:
        await until(lambda: len(cluster.watched_from) == 2)
        assert pods.stale


@pytest.mark.parametrize("answer", [500, 503, 429])
async def test_a_busy_server_is_asked_again(
    cluster: Cluster, watching: Watching, answer: int
) -> None:
    async def busy(request: web.Request) -> web.StreamResponse:
        return status(answer, "x", "busy")

    cluster.watches = [busy, busy, stream(event("ADDED", pod("a", 101)))]
    async with watching() as pods:
        await until(lambda: pods.resource_version == "101")


async def test_a_server_error_inside_the_stream_resumes(
    cluster: Cluster, watching: Watching
) -> None:
    failure = {"kind": "Status", "code": 500, "message": "etcd"}
    cluster.watches = [
        stream(event("ADDED", pod("a", 101)), event("ERROR", failure)),
        stream(event("ADDED", pod("b", 102))),
    ]
    async with watching() as pods:
        await until(lambda: pods.resource_version == "102")
    assert cluster.watched_from[:2] == ["100", "101"]


async def test_a_restarted_server_is_found_again(
    cluster: Cluster, watching: Watching, server: ScriptedServer
) -> None:
    go = asyncio.Event()
    cluster.watches = [stream(after=go, then=reset), stream(event("ADDED", pod("a", 101)))]
    async with watching() as pods:
        await server.deafen()
        go.set()
        await until(lambda: pods.stale)
        await server.listen()
        await until(lambda: pods.resource_version == "101")


async def test_a_missing_permission_is_raised_at_once(cluster: Cluster, watching: Watching) -> None:
    async def forbidden(request: web.Request) -> web.StreamResponse:
        return status(403, "Forbidden", 'User "me" cannot watch resource "pods" in API group ""')

    cluster.watches = [forbidden]
    with pytest.raises(errors.Forbidden) as refused:
        async with watching():
            pass
    assert refused.value.verb == "watch"
    assert cluster.watched_from == ["100"]


async def test_a_permission_that_goes_later_reaches_every_reader(
    cluster: Cluster, watching: Watching
) -> None:
    async def forbidden(request: web.Request) -> web.StreamResponse:
        return status(403, "Forbidden", "no more")

    go = asyncio.Event()
    cluster.watches = [stream(event("ADDED", pod("a", 101)), after=go), forbidden]
    async with watching() as pods:
        go.set()
        with pytest.raises(errors.Forbidden):
            await follow(pods)
        for read in (lambda: pods.objects, lambda: pods.stale, lambda: pods.resource_version):
            with pytest.raises(errors.Forbidden):
                read()


async def test_an_event_of_an_unknown_type_is_not_guessed_at(
    cluster: Cluster, watching: Watching
) -> None:
    go = asyncio.Event()
    cluster.watches = [stream(event("RENAMED", pod("a", 101)), after=go)]
    async with watching() as pods:
        go.set()
        with pytest.raises(errors.UnexpectedAnswer, match="RENAMED"):
            await follow(pods)


async def test_one_event_wakes_a_loop_over_several_reflectors(
    cluster: Cluster, watching: Watching
) -> None:
    go = asyncio.Event()

    wake = asyncio.Event()
    cluster.watches = [quiet, stream(event("ADDED", pod("a", 101)), after=go)]
    async with watching(wake=wake.set) as one, watching(wake=wake.set) as two:
        wake.clear()
        go.set()
        async with asyncio.timeout(5):
            while not (one.objects or two.objects):
                await wake.wait()
                wake.clear()


async def test_a_fault_in_the_readers_own_callback_is_not_swallowed(
    cluster: Cluster, kube: Kube
) -> None:
    def faulty(change: Change[Pod]) -> None:
        raise RuntimeError("our bug")

    go = asyncio.Event()
    cluster.watches = [stream(event("ADDED", pod("a", 101)), after=go)]
    pods = Reflector(kube, PODS, "n", on_change=faulty, timing=QUICK)
    await pods.__aenter__()
    go.set()
    with pytest.raises(RuntimeError, match="our bug"):
        await follow(pods)
    with pytest.raises(RuntimeError, match="our bug"):
        await pods.__aexit__(None, None, None)


async def test_a_node_watch_has_no_namespace_in_its_keys(
    kube: Kube, server: ScriptedServer
) -> None:
    cluster = Cluster(server)
    cluster.lists = [[{"metadata": {"name": "m", "uid": "u", "resourceVersion": "1"}}]]
    nodes: Reflector[Node]
    async with Reflector(kube, NODES, timing=QUICK) as nodes:
        assert list(nodes.objects) == [("", "m")]
