"""What nobody should send: each is answered with a Status of the API, and the API goes on."""

import msgspec
import pytest

from bridgehead.twin.api.bodies import LARGEST
from bridgehead.twin.api.exchange import Answer
from bridgehead.twin.kinds import Kind
from bridgehead.twin.objects import Object
from tests.twin.api.asking import MERGE, Client, api_of, bare_registry
from tests.twin.virtually import virtually

MAPS = "/api/v1/namespaces/default/configmaps"
JSON = "application/json"
HEADER = (
    'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; '
    'Kind string "json:\\"kind,omitempty\\"" }'
)
UNRECOGNIZED = "the object provided is unrecognized (must be of type ConfigMap): "
NO_VERSION = f"{UNRECOGNIZED}couldn't get version/kind; json parse error: "

BODIES = [
    (b"{", JSON, 400, f"{NO_VERSION}unexpected end of JSON input ({{)"),
    (b"", JSON, 400, f"{NO_VERSION}unexpected end of JSON input (<empty>)"),
    (
        b"[]",
        JSON,
        400,
        f"{NO_VERSION}json: cannot unmarshal array into Go value of type {HEADER} (5b5d)",
    ),
    (
        b'"x"',
        JSON,
        400,
        f"{NO_VERSION}json: cannot unmarshal string into Go value of type {HEADER} (227822)",
    ),
    (
        b"\xff\xfe",
        JSON,
        400,
        f"{NO_VERSION}invalid character 'ÿ' looking for beginning of value (fffe)",
    ),
    (
        b"a: [",
        "application/yaml",
        400,
        f"{UNRECOGNIZED}yaml: line 1: did not find expected node content (613a205b)",
    ),
    (
        b"a",
        "application/vnd.kubernetes.protobuf",
        400,
        f"{UNRECOGNIZED}provided data does not appear to be a protobuf message, "
        "expected prefix [107 56 115 0] (61)",
    ),
    (
        b"a",
        "text/plain",
        415,
        "the body of the request was in an unknown format - accepted media types include: "
        "application/json, application/yaml, application/vnd.kubernetes.protobuf",
    ),
    (
        b'{"kind":"Pod","apiVersion":"v1"}',
        JSON,
        400,
        'Pod in version "v1" cannot be handled as a ConfigMap: '
        "converting (v1.Pod) to (core.ConfigMap): unknown conversion",
    ),
    (
        b'{"kind":"Foo","apiVersion":"v1"}',
        JSON,
        400,
        'Foo in version "v1" cannot be handled as a ConfigMap: no kind "Foo" is registered for '
        'version "v1" in scheme "pkg/runtime/scheme.go:111"',
    ),
    (
        b'{"metadata":{"name":"a","namespace":"other"}}',
        JSON,
        400,
        "the namespace of the provided object does not match the namespace sent on the request",
    ),
    (
        b'{"metadata":{"name":5}}',
        JSON,
        400,
        'ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal '
        "number into Go struct field ObjectMeta.metadata.name of type string",
    ),
    (b" " * (LARGEST + 1), JSON, 413, "Request entity too large: limit is 3145728"),
]
"""Body, content type, code and message, as a real API server 1.37.2 answered a POST."""


def _client() -> Client:
    return Client(api_of(bare_registry()))


@pytest.mark.parametrize(("body", "content_type", "code", "message"), BODIES)
def test_a_body_that_is_no_object_is_refused_in_the_words_of_the_real_server(
    body: bytes, content_type: str, code: int, message: str
) -> None:
    @virtually
    async def ask() -> None:
        status = await _client().ask("POST", MAPS, body, content_type=content_type)
        assert (status["code"], status["message"]) == (code, message)
        assert status["kind"] == "Status"

    ask()


DEEP = [
    b"[" * 100_000,
    b'{"a":' * 100_000,
    b'{"data":' + b"[" * 5_000 + b"]" * 5_000 + b"}",
    b'{"metadata":{"labels":{"a":' + b'{"b":' * 600 + b"1" + b"}" * 600 + b"}}}",
]


@pytest.mark.parametrize("body", DEEP)
@pytest.mark.parametrize("content_type", [JSON, "application/yaml"])
def test_a_body_nested_without_measure_is_refused(body: bytes, content_type: str) -> None:
    @virtually
    async def ask() -> None:
        status = await _client().ask("POST", MAPS, body, content_type=content_type)
        assert status["code"] == 400

    ask()


@virtually
async def test_yaml_aliases_cannot_blow_a_body_up() -> None:
    lines = ["a0: &a0 [x,x,x,x,x,x,x,x,x,x]"]
    lines += [f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 10)]
    body = "\n".join(lines).encode()
    status = await _client().ask("POST", MAPS, body, content_type="application/yaml")
    assert status["code"] == 400
    assert "excessive aliasing" in status["message"]


@virtually
async def test_a_yaml_body_that_contains_itself_is_refused() -> None:
    status = await _client().ask("POST", MAPS, b"a: &a [*a]", content_type="application/yaml")
    assert status["code"] == 400


PATHS = [
    ("GET", "/foo", 404, ""),
    ("GET", "/apis/foo/v1/bars", 404, ""),
    ("GET", "/apis/nosuch", 404, ""),
    ("GET", "/readyz/nosuch", 404, ""),
    ("GET", "/api/v1/foos", 404, "the server could not find the requested resource"),
    ("GET", "/apis/apps/v2", 404, "the server could not find the requested resource"),
    ("GET", f"{MAPS}/x/nosub", 404, "the server could not find the requested resource"),
    ("GET", "/apis/apps/v1/deployments/x", 404, "the server could not find the requested resource"),
    ("GET", f"{MAPS}/x", 404, 'configmaps "x" not found'),
    ("PUT", MAPS, 405, "the server does not allow this method on the requested resource"),
    ("FOO", MAPS, 405, "the server does not allow this method on the requested resource"),
    ("POST", f"{MAPS}/x", 405, "the server does not allow this method on the requested resource"),
    (
        "POST",
        "/api/v1/configmaps",
        405,
        "the server does not allow this method on the requested resource",
    ),
    (
        "DELETE",
        "/api/v1/namespaces",
        405,
        "the server does not allow this method on the requested resource",
    ),
]


@pytest.mark.parametrize(("method", "path", "code", "message"), PATHS)
def test_paths_and_methods_that_are_not_served(
    method: str, path: str, code: int, message: str
) -> None:
    @virtually
    async def ask() -> None:
        answer = await _client().raw(method, path)
        assert isinstance(answer, Answer)
        assert answer.status == code
        if message:
            assert msgspec.json.decode(answer.body)["message"] == message
        else:
            assert answer.body == b"404 page not found\n"

    ask()


QUERIES = [
    ("limit=x", 400, 'strconv.ParseInt: parsing "x": invalid syntax'),
    (
        "resourceVersion=x",
        400,
        'invalid resource version: resourceVersion: Invalid value: "x": '
        'strconv.ParseUint: parsing "x": invalid syntax',
    ),
    (
        "watch=1&resourceVersion=x",
        500,
        'resourceVersion: Invalid value: "x": strconv.ParseUint: parsing "x": invalid syntax',
    ),
    (
        "continue=x",
        400,
        "invalid continue token: continue key is not valid: illegal base64 data at input byte 0",
    ),
    (
        "fieldSelector=foo%3Dbar",
        400,
        '"foo" is not a known field selector: only "metadata.name", "metadata.namespace"',
    ),
    ("fieldSelector=foo", 400, "invalid selector: 'foo'; can't understand 'foo'"),
    (
        "labelSelector=a%20b",
        400,
        "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt",
    ),
    (
        "labelSelector=!!",
        400,
        "unable to parse requirement: found '!', expected: identifier",
    ),
    ("labelSelector=a+in+b", 400, "unable to parse requirement: found 'b' expected: '('"),
    (
        "resourceVersionMatch=Exact",
        422,
        'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: '
        "resourceVersionMatch is forbidden unless resourceVersion is provided",
    ),
    (
        "watch=1&sendInitialEvents=true",
        422,
        'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: '
        "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan",
    ),
    (
        "resourceVersion=999999999",
        504,
        "Timeout: Too large resource version: 999999999, current: 0",
    ),
]


@pytest.mark.parametrize(("query", "code", "message"), QUERIES)
def test_queries_that_cannot_be_meant(query: str, code: int, message: str) -> None:
    @virtually
    async def ask() -> None:
        status = await _client().get(f"{MAPS}?{query}")
        assert (status["code"], status["message"]) == (code, message)

    ask()


@virtually
async def test_a_form_that_is_not_spoken_is_refused() -> None:
    client = _client()
    status = await client.ask("GET", MAPS, accept="text/html")
    assert (status["code"], status["reason"]) == (406, "NotAcceptable")
    assert status["message"].startswith("406: Not Acceptable\n\nAvailable representations: ")
    status = await client.ask("GET", MAPS, accept="application/json;as=Foo;v=v1;g=meta.k8s.io")
    assert status["code"] == 406
    watch = await client.raw("GET", f"{MAPS}?watch=1", headers={"accept": "application/yaml"})
    assert isinstance(watch, Answer)
    assert watch.status == 406


PATCHES = [
    (
        b"{",
        MERGE,
        "",
        400,
        "invalid JSON patch",
    ),
    (b"{}", JSON, "", 415, "415: Unsupported Media Type"),
    (
        b'{"metadata":{"name":"x"}}',
        MERGE,
        "",
        400,
        "the name of the object (x) does not match the name on the URL (m)",
    ),
    (
        b"{}",
        "application/apply-patch+yaml",
        "",
        422,
        'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: '
        "is required for apply patch",
    ),
    (
        b"a: [",
        "application/apply-patch+yaml",
        "?fieldManager=x",
        400,
        "error encoding patch: yaml: line 1: did not find expected node content",
    ),
    (
        b"{}",
        MERGE,
        "?force=true",
        422,
        'PatchOptions.meta.k8s.io "" is invalid: force: Forbidden: '
        "may not be specified for non-apply patch",
    ),
]


@pytest.mark.parametrize(("body", "content_type", "query", "code", "message"), PATCHES)
def test_patches_that_are_none(
    body: bytes, content_type: str, query: str, code: int, message: str
) -> None:
    @virtually
    async def ask() -> None:
        client = _client()
        await client.ask("POST", MAPS, {"metadata": {"name": "m"}})
        url = f"{MAPS}/m{query}"
        status = await client.ask("PATCH", url, body, content_type=content_type)
        assert (status["code"], status["message"]) == (code, message)

    ask()


DELETIONS: list[tuple[object, str]] = [
    (b"{", "couldn't get version/kind; json parse error: unexpected end of JSON input"),
    (
        {"propagationPolicy": "x"},
        'DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Unsupported value: "x": '
        'supported values: "Foreground", "Background", "Orphan", "nil"',
    ),
    (
        {"propagationPolicy": "Orphan", "orphanDependents": True},
        'DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Invalid value: "Orphan": '
        "orphanDependents and deletionPropagation cannot be both set",
    ),
    (
        {"preconditions": {"uid": "other"}},
        'Operation cannot be fulfilled on ConfigMap "m": the UID in the precondition (other) does '
        "not match the UID in record (UID). The object might have been deleted and then recreated",
    ),
]


@pytest.mark.parametrize(("options", "message"), DELETIONS)
def test_deletions_that_are_refused_leave_the_object(options: object, message: str) -> None:
    @virtually
    async def ask() -> None:
        client = _client()
        made: Object = await client.ask("POST", MAPS, {"metadata": {"name": "m"}})
        status = await client.ask("DELETE", f"{MAPS}/m", options)
        uid = made["metadata"]["uid"]
        assert status["message"] == message.replace("(UID)", f"({uid})")
        assert (await client.get(f"{MAPS}/m"))["metadata"] == made["metadata"]

    ask()


@pytest.mark.parametrize("rounds", [12, 40])
def test_copies_of_a_json_patch_cannot_blow_an_object_up(rounds: int) -> None:
    @virtually
    async def ask() -> None:
        registry = bare_registry()
        verbs = ("get", "create", "patch")
        registry.kinds.add(
            Kind(group="ex.com", version="v1", kind="Foo", plural="foos", verbs=verbs, custom=True)
        )
        client = Client(api_of(registry))
        foos = "/apis/ex.com/v1/namespaces/default/foos"
        await client.ask("POST", foos, {"metadata": {"name": "x"}, "spec": {"a": 1}})
        patch = [
            step
            for number in range(rounds)
            for step in (
                {"op": "move", "from": "/spec", "path": f"/old{number}"},
                {"op": "add", "path": "/spec", "value": {}},
                {"op": "copy", "from": f"/old{number}", "path": "/spec/left"},
                {"op": "move", "from": f"/old{number}", "path": "/spec/right"},
            )
        ]
        made = await client.ask(
            "PATCH", f"{foos}/x", patch, content_type="application/json-patch+json"
        )
        assert made["kind"] == ("Foo" if rounds == 12 else "Status")
        assert (await client.get(f"{foos}/x"))["kind"] == "Foo"

    ask()


@virtually
async def test_an_object_that_etcd_would_not_take_is_refused_after_all_else() -> None:
    client = _client()
    body = {"metadata": {"name": "m"}, "data": {"a": "x" * 1_800_000}}
    tried = await client.ask("POST", f"{MAPS}?dryRun=All", body)
    assert tried["kind"] == "ConfigMap"
    status = await client.ask("POST", MAPS, body)
    assert (status["code"], status["message"]) == (500, "etcdserver: request is too large")
    assert (await client.get(MAPS))["items"] == []
