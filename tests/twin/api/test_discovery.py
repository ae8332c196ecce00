"""The API's description of itself: as a real server's, whole or in pieces; and custom kinds."""

import msgspec

from bridgehead.twin.api.discovery import AGGREGATED
from bridgehead.twin.api.exchange import Answer
from bridgehead.twin.kinds import Kind, Subresource
from bridgehead.twin.schema.recorded import recorded
from tests.twin.api.asking import Client, api_of, bare_registry
from tests.twin.virtually import virtually

EVERYTHING = {"accept": f"{AGGREGATED},application/json"}


@virtually
async def test_each_group_version_lists_what_a_real_server_lists() -> None:
    client = Client(api_of(bare_registry()))
    for listed in recorded("discovery")["resources"]:
        version = listed["groupVersion"]
        root = f"/apis/{version}" if "/" in version else f"/api/{version}"
        assert await client.get(root) == listed


@virtually
async def test_the_groups_are_those_of_a_real_server_in_its_order() -> None:
    client = Client(api_of(bare_registry()))
    assert (await client.get("/apis"))["groups"] == recorded("discovery")["groups"]
    assert await client.get("/version") == recorded("discovery")["version"]


@virtually
async def test_everything_at_once_says_the_same_as_the_pieces() -> None:
    client = Client(api_of(bare_registry()))
    found = []
    for root in ("/api", "/apis"):
        answer = await client.raw("GET", root, headers=EVERYTHING)
        assert isinstance(answer, Answer)
        assert answer.content_type == AGGREGATED
        for group in msgspec.json.decode(answer.body)["items"]:
            prefix = f"{group['metadata']['name']}/" if group["metadata"] else ""
            for version in group["versions"]:
                found += [
                    (f"{prefix}{version['version']}", item["resource"], tuple(item["verbs"]))
                    for item in version["resources"]
                ]
    assert sorted(found) == sorted(
        (listed["groupVersion"], item["name"], tuple(item["verbs"]))
        for listed in recorded("discovery")["resources"]
        for item in listed["resources"]
        if "/" not in item["name"]
    )


@virtually
async def test_a_custom_kind_appears_and_goes() -> None:
    registry = bare_registry()
    client = Client(api_of(registry))
    kind = Kind(
        group="ex.com",
        version="v1",
        kind="Foo",
        plural="foos",
        singular="foo",
        verbs=("get", "list"),
        short_names=("fo",),
        subresources=(Subresource(name="status", kind="Foo", verbs=("get",)),),
        custom=True,
    )
    registry.kinds.add(kind)
    listed = await client.get("/apis/ex.com/v1")
    assert [item["name"] for item in listed["resources"]] == ["foos", "foos/status"]
    answer = await client.raw("GET", "/apis", headers=EVERYTHING)
    assert isinstance(answer, Answer)
    group = msgspec.json.decode(answer.body)["items"][-1]
    assert group["metadata"] == {"name": "ex.com"}
    (resource,) = group["versions"][0]["resources"]
    assert resource["responseKind"] == {"group": "ex.com", "version": "v1", "kind": "Foo"}
    registry.kinds.remove(kind)
    gone = await client.raw("GET", "/apis/ex.com/v1")
    assert isinstance(gone, Answer)
    assert gone.status == 404


@virtually
async def test_health_is_told_to_whoever_asks() -> None:
    client = Client(api_of(bare_registry()))
    for path in ("/readyz", "/livez", "/healthz", "/readyz/ping"):
        answer = await client.raw("GET", path)
        assert isinstance(answer, Answer)
        assert (answer.status, answer.body) == (200, b"ok")
    told = await client.raw("GET", "/readyz?verbose")
    assert isinstance(told, Answer)
    assert told.body.endswith(b"readyz check passed\n")


@virtually
async def test_openapi_documents_are_where_their_index_says() -> None:
    client = Client(api_of(bare_registry()))
    index = await client.get("/openapi/v3")
    url = index["paths"]["apis/apps/v1"]["serverRelativeURL"]
    assert await client.get(url) == recorded("openapi/apis__apps__v1")
