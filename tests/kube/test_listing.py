"""Lists: pages, selectors, expired tokens, odd objects."""

from typing import Any

import pytest
from aiohttp import web

from bridgehead.kube import errors
from bridgehead.kube.client import Kube
from bridgehead.kube.resources import EVENTS, LEAN_PODS, NODES, PODS
from tests.kube.scripted import ScriptedServer, script, status

EXPIRED = status(410, "Expired", "The provided continue parameter is too old")


def page(*names: str, token: str = "", version: str = "7") -> web.Response:
    metadata = {"resourceVersion": version} | ({"continue": token} if token else {})
    items = [{"metadata": {"name": name, "namespace": "n"}} for name in names]
    return web.json_response({"kind": "PodList", "metadata": metadata, "items": items})


async def test_pages_are_read_to_the_end(kube: Kube, server: ScriptedServer) -> None:
    server.handler = script(page("a", "b", token="t1"), page("c", token="t2"), page("d"))
    listing = await kube.list(PODS, page=2)
    assert [pod.metadata.name for pod in listing.items] == ["a", "b", "c", "d"]
    assert listing.resource_version == "7"
    assert [seen.query.get("continue") for seen in server.seen] == [None, "t1", "t2"]
    assert {seen.query["limit"] for seen in server.seen} == {"2"}
    assert server.seen[0].path == "/api/v1/pods"


async def test_selectors_and_namespace_are_sent_with_every_page(
    kube: Kube, server: ScriptedServer
) -> None:
    server.handler = script(page("a", token="t"), page("b"))
    await kube.list(PODS, "gpu", "app in (x,y)", "spec.nodeName=n1")
    for seen in server.seen:
        assert seen.path == "/api/v1/namespaces/gpu/pods"
        assert seen.query["labelSelector"] == "app in (x,y)"
        assert seen.query["fieldSelector"] == "spec.nodeName=n1"


async def test_an_expired_token_starts_the_list_again(kube: Kube, server: ScriptedServer) -> None:
    server.handler = script(page("a", token="t"), EXPIRED, page("b", token="u"), page("c"))
    listing = await kube.list(PODS)
    assert [pod.metadata.name for pod in listing.items] == ["b", "c"]


async def test_tokens_that_keep_expiring_lead_to_one_whole_list(
    kube: Kube, server: ScriptedServer
) -> None:
    async def handler(request: web.Request) -> web.StreamResponse:
        if "limit" not in request.query:
            return page("whole")
        return EXPIRED if "continue" in request.query else page("part", token="t")

    async def fresh(request: web.Request) -> web.StreamResponse:
        answer = await handler(request)
        assert isinstance(answer, web.Response)
        return web.Response(status=answer.status, body=answer.body)

    server.handler = fresh
    listing = await kube.list(PODS)
    assert [pod.metadata.name for pod in listing.items] == ["whole"]


async def test_an_error_on_a_later_page_is_raised(kube: Kube, server: ScriptedServer) -> None:
    server.handler = script(page("a", token="t"), status(403, "Forbidden", "no"))
    with pytest.raises(errors.Forbidden):
        await kube.list(PODS)


async def test_plain_values_are_listed_whole(kube: Kube, server: ScriptedServer) -> None:
    server.handler = script(page("a", token="t"), page("b"))
    listing = await kube.list_raw(PODS)
    assert listing.items[1] == {"metadata": {"name": "b", "namespace": "n"}}


async def test_metadata_after_the_items_is_found(kube: Kube, server: ScriptedServer) -> None:
    body: dict[str, Any] = {"items": [{"metadata": {"name": "a"}}]}
    first = web.json_response(body | {"metadata": {"continue": "t", "resourceVersion": "1"}})
    server.handler = script(first, page("b"))
    assert len((await kube.list(PODS)).items) == 2


@pytest.mark.parametrize("items", [None, []])
async def test_an_empty_list_is_empty(
    kube: Kube, server: ScriptedServer, items: list[Any] | None
) -> None:
    server.handler = script(web.json_response({"metadata": {}, "items": items}))
    assert (await kube.list(PODS)).items == ()


async def test_one_odd_object_does_not_make_a_list_unreadable(
    kube: Kube, server: ScriptedServer
) -> None:
    odd = {
        "metadata": {"name": "odd", "labels": None, "creationTimestamp": None},
        "spec": {"containers": None, "futureField": {"x": 1}},
        "status": {"phase": "Sleeping", "conditions": None},
    }
    good = {"metadata": {"name": "good", "labels": {"a": "b"}}}
    server.handler = script(web.json_response({"metadata": {}, "items": [odd, good]}))
    pods = (await kube.list(PODS)).items
    assert pods[0].status.phase == "Sleeping"
    assert pods[0].spec.containers == ()
    assert pods[1].metadata.labels == {"a": "b"}


async def test_an_object_of_a_wrong_form_is_an_error_that_names_the_field(
    kube: Kube, server: ScriptedServer
) -> None:
    bad = {"metadata": {"name": ["x"]}}
    server.handler = script(web.json_response({"metadata": {}, "items": [bad]}))
    with pytest.raises(errors.UnexpectedAnswer, match=r"list nodes: .*\.metadata\.name"):
        await kube.list(NODES)


async def test_an_event_of_either_style_says_when_it_was_last_seen(
    kube: Kube, server: ScriptedServer
) -> None:
    old: dict[str, Any] = {
        "metadata": {},
        "lastTimestamp": "2026-11-30T10:00:00Z",
        "eventTime": None,
    }
    new = {
        "metadata": {},
        "eventTime": "2026-11-30T09:00:00.000000Z",
        "series": {"count": 2, "lastObservedTime": "2026-11-30T11:00:00.000000Z"},
    }
    server.handler = script(web.json_response({"metadata": {}, "items": [old, new]}))
    events = (await kube.list(EVENTS)).items
    assert [event.last_seen.hour for event in events if event.last_seen] == [10, 11]


async def test_lean_pods_keep_what_a_plan_needs_and_share_equal_strings(
    kube: Kube, server: ScriptedServer
) -> None:
    def pod(name: str) -> dict[str, Any]:
        return {
            "metadata": {
                "name": name,
                "namespace": "jobs",
                "labels": {"app": "train"},
                "ownerReferences": [{"kind": "Job", "name": "j", "uid": "u", "controller": True}],
            },
            "spec": {
                "nodeName": "node-1",
                "containers": [
                    {"name": "c", "image": "i", "resources": {"limits": {"a.com/gpu": "1"}}}
                ],
                "volumes": [{"name": "v", "hostPath": {"path": "/dev"}}, {"name": "w"}],
            },
            "status": {"phase": "Running", "startTime": "2026-11-30T10:00:00Z"},
        }

    body = {"metadata": {}, "items": [pod("a"), pod("b")]}
    server.handler = script(web.json_response(body))
    one, two = (await kube.list(LEAN_PODS)).items
    assert one.spec.containers[0].resources.limits == {"a.com/gpu": "1"}
    assert one.metadata.controller is not None
    assert one.metadata.controller.kind == "Job"
    assert [volume.host_path.path for volume in one.spec.volumes if volume.host_path] == ["/dev"]
    assert one.intended_node is two.intended_node
    assert one.metadata.labels["app"] is two.metadata.labels["app"]
