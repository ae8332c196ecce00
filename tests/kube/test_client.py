"""What each verb sends, and what comes back."""

from typing import Any

import pytest
from aiohttp import web

from bridgehead.kube.access import AccessAttributes
from bridgehead.kube.client import Kube
from bridgehead.kube.objects.base import PartialObject
from bridgehead.kube.resources import CONFIG_MAPS, DAEMON_SETS, LEASES, NODES, PODS
from bridgehead.kube.retry import RetryPolicy
from tests.kube.scripted import ScriptedServer, script, status


def answer(body: dict[str, Any]) -> Any:
    return script(web.json_response(body))


async def test_get_decodes_and_get_raw_keeps_everything(kube: Kube, server: ScriptedServer) -> None:
    body = {"metadata": {"name": "p", "generation": 3}, "spec": {"unknown": 1}}
    server.handler = answer(body)
    daemon_set = await kube.get(DAEMON_SETS, "p", "gpu")
    assert daemon_set.metadata.generation == 3
    assert await kube.get_raw(DAEMON_SETS, "p", "gpu") == body
    assert server.seen[0].path == "/apis/apps/v1/namespaces/gpu/daemonsets/p"
    assert server.seen[0].headers["User-Agent"] == "bridgehead"


async def test_the_node_of_a_daemon_pod_is_known_before_it_is_bound(
    kube: Kube, server: ScriptedServer
) -> None:
    term = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["node-7"]}]}
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}
    server.handler = answer({"metadata": {}, "spec": {"affinity": {"nodeAffinity": required}}})
    assert (await kube.get(PODS, "p", "n")).intended_node == "node-7"


async def test_every_write_names_the_field_manager_and_dry_run_when_asked(
    kube: Kube, server: ScriptedServer
) -> None:
    server.handler = answer({})
    body = {"metadata": {"name": "x", "namespace": "n"}}
    for dry_run in (False, True):
        await kube.create(CONFIG_MAPS, body, dry_run=dry_run)
        await kube.replace(CONFIG_MAPS, body, dry_run=dry_run)
        await kube.patch_merge(CONFIG_MAPS, "x", {}, namespace="n", dry_run=dry_run)
        await kube.patch_json(CONFIG_MAPS, "x", [], namespace="n", dry_run=dry_run)
        await kube.apply(CONFIG_MAPS, body, dry_run=dry_run)
    assert all(seen.query["fieldManager"] == "bridgehead" for seen in server.seen)
    assert [seen.query.get("dryRun") for seen in server.seen] == [None] * 5 + ["All"] * 5
    assert [seen.method for seen in server.seen[:5]] == ["POST", "PUT", "PATCH", "PATCH", "PATCH"]
    assert [seen.headers["Content-Type"] for seen in server.seen[2:5]] == [
        "application/merge-patch+json",
        "application/json-patch+json",
        "application/apply-patch+yaml",
    ]


async def test_apply_forces_only_when_asked(kube: Kube, server: ScriptedServer) -> None:
    server.handler = answer({})
    body = {"metadata": {"name": "x"}}
    await kube.apply(NODES, body)
    await kube.apply(NODES, body, force=True, field_manager="other")
    assert "force" not in server.seen[0].query
    assert server.seen[1].query["force"] == "true"
    assert server.seen[1].query["fieldManager"] == "other"


async def test_a_subresource_is_patched_by_its_path(kube: Kube, server: ScriptedServer) -> None:
    server.handler = answer({})
    await kube.patch_merge(NODES, "n1", {}, subresource="status")
    assert server.seen[0].path == "/api/v1/nodes/n1/status"


async def test_delete_sends_its_preconditions(kube: Kube, server: ScriptedServer) -> None:
    server.handler = answer({"kind": "Status"})
    await kube.delete(PODS, "p", "n", uid="u", resource_version="5", grace=0, propagation="Orphan")
    await kube.delete(PODS, "p", "n", dry_run=True)
    assert server.seen[0].json == {
        "apiVersion": "v1",
        "kind": "DeleteOptions",
        "preconditions": {"uid": "u", "resourceVersion": "5"},
        "gracePeriodSeconds": 0,
        "propagationPolicy": "Orphan",
    }
    assert server.seen[1].json["dryRun"] == ["All"]


async def test_logs_are_text_whatever_the_container_wrote(
    kube: Kube, server: ScriptedServer
) -> None:
    server.handler = script(web.Response(body=b"line\n\xff\n"))
    text = await kube.logs("n", "p", "c", previous=True, tail_lines=5, since_seconds=60)
    assert text == "line\n\ufffd\n"
    assert server.seen[0].path == "/api/v1/namespaces/n/pods/p/log"
    assert server.seen[0].query == {
        "container": "c",
        "previous": "true",
        "tailLines": "5",
        "sinceSeconds": "60",
    }


async def test_access_reviews_answer_in_the_order_of_the_questions(
    kube: Kube, server: ScriptedServer
) -> None:
    async def review(request: web.Request) -> web.StreamResponse:
        asked = (await request.json())["spec"]["resourceAttributes"]
        allowed = asked["verb"] == "get"
        return web.json_response({"status": {"allowed": allowed, "reason": f"for {asked}"}})

    server.handler = review
    questions = [
        AccessAttributes(verb, "pods", subresource="log", namespace="gpu")
        for verb in ("get", "list", "get")
    ]
    results = await kube.can_i(questions)
    assert [result.allowed for result in results] == [True, False, True]
    assert "'subresource': 'log'" in results[0].reason
    assert str(questions[0]) == "get pods/log in namespace gpu"


async def test_a_review_of_somebody_else_names_user_and_groups(
    kube: Kube, server: ScriptedServer
) -> None:
    server.handler = answer({"status": {"allowed": True}})
    user = "system:serviceaccount:gpu:plugin"
    result = await kube.subject_access_review(user, ("g",), AccessAttributes("get", "nodes"))
    assert result.allowed
    spec = server.seen[0].json["spec"]
    assert (spec["user"], spec["groups"]) == (user, ["g"])


async def test_who_we_are_is_what_the_server_says(kube: Kube, server: ScriptedServer) -> None:
    server.handler = answer({"status": {"userInfo": {"username": "jane", "groups": ["dev"]}}})
    me = await kube.self_subject_review()
    assert (me.username, me.groups) == ("jane", ("dev",))


async def test_a_lease_is_kept_by_the_ordinary_verbs(kube: Kube, server: ScriptedServer) -> None:
    server.handler = answer(
        {
            "metadata": {"name": "l", "resourceVersion": "2"},
            "spec": {"holderIdentity": "me", "renewTime": "2026-11-30T10:00:00.123456Z"},
        }
    )
    lease = await kube.get(LEASES, "l", "n")
    assert lease.spec.holder_identity == "me"
    assert lease.spec.renew_time is not None
    assert lease.spec.renew_time.microsecond == 123456
    assert server.seen[0].path == "/apis/coordination.k8s.io/v1/namespaces/n/leases/l"


def test_paths_are_quoted_and_demand_a_namespace_where_there_is_one() -> None:
    assert NODES.path(name="a/b") == "/api/v1/nodes/a%2Fb"
    with pytest.raises(ValueError, match="needs a namespace"):
        PODS.path(name="p")
    with pytest.raises(ValueError, match="not in a namespace"):
        NODES.path("n", "p")


async def test_aggregated_discovery_gives_every_resource(
    kube: Kube, server: ScriptedServer
) -> None:
    def served(plural: str, kind: str, scope: str) -> dict[str, Any]:
        return {"resource": plural, "scope": scope, "responseKind": {"kind": kind}}

    def groups(name: str, *versions: dict[str, Any]) -> web.Response:
        item = {"metadata": {"name": name} if name else {}, "versions": versions}
        return web.json_response({"kind": "APIGroupDiscoveryList", "items": [item]})

    cluster_policy = served("clusterpolicies", "ClusterPolicy", "Cluster")
    server.handler = script(
        groups("", {"version": "v1", "resources": [served("pods", "Pod", "Namespaced")]}),
        groups(
            "nvidia.com",
            {"version": "v1", "resources": [cluster_policy]},
            {"version": "v1alpha1", "resources": [cluster_policy], "freshness": "Stale"},
        ),
    )
    discovery = await kube.discover()
    found = discovery.find("ClusterPolicy")
    assert found is not None
    assert (found.api_version, found.namespaced, found.type) == (
        "nvidia.com/v1",
        False,
        PartialObject,
    )
    assert discovery.find("ClusterPolicy", "nvidia.com/v1alpha1") is not None
    assert discovery.find("Pod", "v2") is None
    assert discovery.unread == ("nvidia.com/v1alpha1",)


async def test_discovery_reads_group_by_group_where_it_must_and_says_what_it_could_not_read(
    connection: Any, server: ScriptedServer
) -> None:
    answers = {
        "/api": {"kind": "APIVersions", "versions": ["v1"]},
        "/api/v1": {"resources": [{"name": "pods", "kind": "Pod", "namespaced": True}]},
        "/apis": {
            "kind": "APIGroupList",
            "groups": [
                {
                    "name": "apps",
                    "preferredVersion": {"groupVersion": "apps/v1"},
                    "versions": [{"groupVersion": "apps/v1beta1"}, {"groupVersion": "apps/v1"}],
                },
                {"name": "metrics.k8s.io", "versions": [{"groupVersion": "metrics.k8s.io/v1"}]},
            ],
        },
        "/apis/apps/v1": {
            "resources": [
                {"name": "daemonsets", "kind": "DaemonSet", "namespaced": True},
                {"name": "daemonsets/status", "kind": "DaemonSet", "namespaced": True},
            ]
        },
        "/apis/apps/v1beta1": {
            "resources": [{"name": "daemonsets", "kind": "DaemonSet", "namespaced": True}]
        },
    }

    async def handler(request: web.Request) -> web.StreamResponse:
        body = answers.get(request.path)
        return web.json_response(body) if body else status(503, "ServiceUnavailable", "down")

    server.handler = handler
    async with await Kube.connect(
        connection, retry=RetryPolicy(patience=0, first_contact=0)
    ) as kube:
        discovery = await kube.discover()
    found = discovery.find("DaemonSet")
    assert found is not None
    assert found.path("n", "x") == "/apis/apps/v1/namespaces/n/daemonsets/x"
    assert len(discovery.resources) == 3
    assert discovery.unread == ("metrics.k8s.io/v1",)
