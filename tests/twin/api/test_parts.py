"""Parts of objects: scale, binding, eviction, log, and what no simulated node can do."""

from typing import Any

import pytest

from bridgehead.twin.api.exchange import Answer, Chunks
from bridgehead.twin.api.pod_parts import LogOptions
from bridgehead.twin.api.service import Api
from bridgehead.twin.objects import Object
from bridgehead.twin.registry import DeleteOptions, Registry
from tests.twin.api.asking import MERGE, START, Client, api_of, bare_registry
from tests.twin.virtually import virtually

DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments"
PODS = "/api/v1/namespaces/default/pods"


async def _deployment(client: Client) -> Object:
    selector = {
        "matchLabels": {"a": "b"},
        "matchExpressions": [
            {"key": "z", "operator": "NotIn", "values": ["q", "p"]},
            {"key": "y", "operator": "DoesNotExist"},
        ],
    }
    body = {"metadata": {"name": "d"}, "spec": {"replicas": 0, "selector": selector}}
    return await client.ask("POST", DEPLOYMENTS, body)


@virtually
async def test_a_scale_shows_replicas_and_selector_and_changes_only_the_replicas() -> None:
    client = Client(api_of(bare_registry()))
    made = await _deployment(client)
    scale = await client.get(f"{DEPLOYMENTS}/d/scale")
    assert scale["status"] == {"replicas": 0, "selector": "a=b,!y,z notin (p,q)"}
    assert scale["spec"] == {}
    patch = {"spec": {"replicas": 3}, "metadata": {"labels": {"x": "y"}}}
    scaled = await client.ask("PATCH", f"{DEPLOYMENTS}/d/scale", patch, content_type=MERGE)
    assert scaled["spec"] == {"replicas": 3}
    now = await client.get(f"{DEPLOYMENTS}/d")
    assert now["spec"] == {**made["spec"], "replicas": 3}
    assert "labels" not in now["metadata"]
    assert now["metadata"]["generation"] == 2


SCALES: list[tuple[dict[str, Any], int, str]] = [
    (
        {"spec": {"replicas": -1}},
        422,
        'Scale.autoscaling "d" is invalid: spec.replicas: Invalid value: -1: '
        "must be greater than or equal to 0",
    ),
    (
        {"spec": {"replicas": 1}, "metadata": {"resourceVersion": "99"}},
        409,
        'Operation cannot be fulfilled on deployments.apps "d": the object has been modified; '
        "please apply your changes to the latest version and try again",
    ),
    (
        {"metadata": {"name": "e"}},
        400,
        "the name of the object (e) does not match the name on the URL (d)",
    ),
]


@pytest.mark.parametrize(("patch", "code", "message"), SCALES)
def test_scales_that_are_refused(patch: dict[str, Any], code: int, message: str) -> None:
    @virtually
    async def ask() -> None:
        client = Client(api_of(bare_registry()))
        await _deployment(client)
        url = f"{DEPLOYMENTS}/d/scale"
        status = await client.ask("PATCH", url, patch, content_type=MERGE)
        assert (status["code"], status["message"]) == (code, message)

    ask()


async def _pod(client: Client, node: str = "") -> None:
    spec: Object = {"containers": [{"name": "c"}, {"name": "d"}]}
    if node:
        spec["nodeName"] = node
    await client.ask("POST", PODS, {"metadata": {"name": "p"}, "spec": spec})


@virtually
async def test_a_pod_is_bound_once() -> None:
    client = Client(api_of(bare_registry()))
    await _pod(client)
    body = {"metadata": {"name": "p"}, "target": {"kind": "Node", "name": "n"}}
    done = await client.ask("POST", f"{PODS}/p/binding", body)
    assert (done["status"], done["code"]) == ("Success", 201)
    assert (await client.get(f"{PODS}/p"))["spec"]["nodeName"] == "n"
    again = await client.ask("POST", "/api/v1/namespaces/default/bindings", body)
    assert (again["code"], again["message"]) == (
        409,
        'Operation cannot be fulfilled on pods/binding "p": pod p is already assigned to node "n"',
    )


BINDINGS: list[tuple[dict[str, Any], int, str]] = [
    ({"metadata": {"name": "p"}, "target": {}}, 500, "target.name: Required value"),
    (
        {"metadata": {"name": "p"}, "target": {"kind": "Foo", "name": "n"}},
        500,
        'target.kind: Unsupported value: "Foo": supported values: "Node", "<empty>"',
    ),
    (
        {"metadata": {"name": "q"}, "target": {"name": "n"}},
        400,
        "name in URL does not match name in Binding object",
    ),
]


@pytest.mark.parametrize(("body", "code", "message"), BINDINGS)
def test_bindings_that_are_none(body: dict[str, Any], code: int, message: str) -> None:
    @virtually
    async def ask() -> None:
        client = Client(api_of(bare_registry()))
        await _pod(client)
        status = await client.ask("POST", f"{PODS}/p/binding", body)
        assert (status["code"], status["message"]) == (code, message)

    ask()


@virtually
async def test_an_eviction_passes_on_its_options_and_can_be_tried() -> None:
    asked: list[tuple[str, DeleteOptions, bool]] = []

    def evict(_: Registry, _ns: str, name: str, options: DeleteOptions, dry_run: bool) -> None:
        asked.append((name, options, dry_run))

    client = Client(Api(bare_registry(), evict=evict))
    await _pod(client)
    body = {"metadata": {"name": "p"}, "deleteOptions": {"gracePeriodSeconds": 7}}
    await client.ask("POST", f"{PODS}/p/eviction", body)
    await client.ask("POST", f"{PODS}/p/eviction?dryRun=All", {"metadata": {"name": "p"}})
    assert asked == [("p", DeleteOptions(grace=7), False), ("p", DeleteOptions(), True)]
    status = await client.ask("POST", f"{PODS}/p/eviction", {"metadata": {"name": "q"}})
    assert status["message"] == "name in URL does not match name in Eviction object"


def _logging_client(asked: list[LogOptions]) -> Client:
    def logs(_: Object, options: LogOptions) -> bytes | Chunks:
        asked.append(options)
        return b"hello\n"

    def evict(*_: object) -> None:
        raise AssertionError

    return Client(Api(bare_registry(), evict=evict, logs=logs))


@virtually
async def test_a_log_is_text_and_its_options_are_read() -> None:
    asked: list[LogOptions] = []
    client = _logging_client(asked)
    await _pod(client, "n")
    answer = await client.raw(
        "GET",
        f"{PODS}/p/log?container=c&previous=true&tailLines=5&limitBytes=9&sinceSeconds=60&timestamps=1",
    )
    assert isinstance(answer, Answer)
    assert (answer.body, answer.content_type) == (b"hello\n", "text/plain")
    assert asked == [
        LogOptions(container="c", previous=True, timestamps=True, since=START - 60, tail=5, limit=9)
    ]


LOGS = [
    ("", 400, "a container name must be specified for pod p, choose one of: [c d]"),
    ("?container=zz", 400, "container zz is not valid for pod p"),
    (
        "?tailLines=-1",
        422,
        'PodLogOptions "p" is invalid: tailLines: Invalid value: -1: '
        "must be greater than or equal to 0",
    ),
    (
        "?sinceSeconds=0",
        422,
        'PodLogOptions "p" is invalid: sinceSeconds: Invalid value: 0: must be greater than 0',
    ),
    ("?tailLines=x", 400, 'strconv.ParseInt: parsing "x": invalid syntax'),
]


@pytest.mark.parametrize(("query", "code", "message"), LOGS)
def test_logs_that_cannot_be_meant(query: str, code: int, message: str) -> None:
    @virtually
    async def ask() -> None:
        client = _logging_client([])
        await _pod(client, "n")
        status = await client.get(f"{PODS}/p/log{query}")
        assert (status["code"], status["message"]) == (code, message)

    ask()


@virtually
async def test_a_pod_without_a_node_has_no_log() -> None:
    client = _logging_client([])
    await _pod(client)
    answer = await client.raw("GET", f"{PODS}/p/log?container=c")
    assert isinstance(answer, Answer)
    assert (answer.status, answer.body) == (204, b"")


@virtually
async def test_a_shell_in_a_simulated_container_is_refused_clearly() -> None:
    client = Client(api_of(bare_registry()))
    await _pod(client, "n")
    status = await client.ask("POST", f"{PODS}/p/exec?container=c&command=ls")
    assert status["code"] == 500
    assert "the node is simulated and runs no processes" in status["message"]
