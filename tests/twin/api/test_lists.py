"""Lists: pages that show one version, selectors, versions of the past and of the future."""

import asyncio
from base64 import urlsafe_b64encode

import msgspec
import pytest

from bridgehead.twin.api.exchange import Answer
from bridgehead.twin.api.labels import parse_labels
from bridgehead.twin.objects import Object
from bridgehead.twin.registry import Registry
from tests.twin.api.asking import MERGE, Client, Reader, api_of, bare_registry, settle
from tests.twin.virtually import virtually

MAPS = "/api/v1/namespaces/default/configmaps"
PODS = "/api/v1/pods"


async def _with_maps(number: int) -> tuple[Client, Registry]:
    registry = bare_registry()
    client = Client(api_of(registry))
    for place in range(number):
        body = {"metadata": {"name": f"m{place:03}", "labels": {"odd": str(place % 2)}}}
        await client.ask("POST", MAPS, body)
    return client, registry


def _names(page: Object) -> list[str]:
    return [item["metadata"]["name"] for item in page["items"]]


@virtually
async def test_pages_show_the_version_of_the_first_one_whatever_is_written_meanwhile() -> None:
    client, _ = await _with_maps(10)
    page = await client.get(f"{MAPS}?limit=4")
    assert page["metadata"]["remainingItemCount"] == 6
    version = page["metadata"]["resourceVersion"]
    await client.ask("DELETE", f"{MAPS}/m005")
    await client.ask("POST", MAPS, {"metadata": {"name": "m0045"}})
    await client.ask("PATCH", f"{MAPS}/m006", {"data": {"a": "b"}}, content_type=MERGE)
    names = _names(page)
    while token := page["metadata"].get("continue"):
        page = await client.get(f"{MAPS}?limit=4&continue={token}")
        assert page["metadata"]["resourceVersion"] == version
        assert all("data" not in item for item in page["items"])
        names += _names(page)
    assert names == [f"m{place:03}" for place in range(10)]


@virtually
async def test_a_token_of_a_version_to_come_is_refused() -> None:
    client, _ = await _with_maps(1)
    token = msgspec.json.encode({"v": "meta.k8s.io/v1", "rv": 10**9, "start": "/default/a"})
    status = await client.get(f"{MAPS}?continue={urlsafe_b64encode(token).decode().rstrip('=')}")
    assert (status["code"], status["kind"]) == (500, "Status")


@virtually
async def test_a_page_that_is_too_old_says_how_to_go_on_inconsistently() -> None:
    client, registry = await _with_maps(10)
    page = await client.get(f"{MAPS}?limit=4")
    await client.ask("POST", MAPS, {"metadata": {"name": "m0045"}})
    registry.store.compact()
    token = page["metadata"]["continue"]
    status = await client.get(f"{MAPS}?limit=4&continue={token}")
    assert (status["code"], status["reason"]) == (410, "Expired")
    rest = await client.get(f"{MAPS}?continue={status['metadata']['continue']}")
    assert _names(rest) == ["m004", "m0045", "m005", "m006", "m007", "m008", "m009"]


@virtually
async def test_pages_of_a_selection_have_no_count_and_may_end_with_an_empty_one() -> None:
    client, _ = await _with_maps(5)
    page = await client.get(f"{MAPS}?limit=2&labelSelector=odd%3D1")
    assert _names(page) == ["m001", "m003"]
    assert "remainingItemCount" not in page["metadata"]
    last = await client.get(
        f"{MAPS}?limit=2&labelSelector=odd%3D1&continue={page['metadata']['continue']}"
    )
    assert last["items"] == []
    assert "continue" not in last["metadata"]


@virtually
async def test_a_version_of_the_past_is_shown_exactly_until_it_is_compacted() -> None:
    client, registry = await _with_maps(3)
    await client.ask("DELETE", f"{MAPS}/m001")
    old = await client.get(f"{MAPS}?resourceVersion=3&resourceVersionMatch=Exact")
    assert _names(old) == ["m000", "m001", "m002"]
    assert old["metadata"]["resourceVersion"] == "3"
    newer = await client.get(f"{MAPS}?resourceVersion=3&resourceVersionMatch=NotOlderThan")
    assert _names(newer) == ["m000", "m002"]
    registry.store.compact()
    gone = await client.get(f"{MAPS}?resourceVersion=3&resourceVersionMatch=Exact")
    assert (gone["code"], gone["message"]) == (
        410,
        "The resourceVersion for the provided list is too old.",
    )


@virtually
async def test_version_zero_lists_everything_whatever_the_limit() -> None:
    client, _ = await _with_maps(5)
    page = await client.get(f"{MAPS}?resourceVersion=0&limit=2")
    assert len(page["items"]) == 5


@virtually
async def test_items_of_a_typed_list_have_no_kind_of_their_own() -> None:
    client, _ = await _with_maps(1)
    page = await client.get(MAPS)
    assert page["kind"] == "ConfigMapList"
    assert "kind" not in page["items"][0]
    assert (await client.get(f"{MAPS}/m000"))["kind"] == "ConfigMap"


SELECTORS = [
    ("a=b", {"a": "b"}, True),
    ("a==b", {"a": "c"}, False),
    ("a!=b", {}, True),
    ("a in (b,c)", {"a": "c"}, True),
    ("a in (b,,c)", {"a": ""}, True),
    ("a in ()", {"a": ""}, True),
    ("a notin (b)", {}, True),
    ("a notin (b)", {"a": "b"}, False),
    ("a", {"a": ""}, True),
    ("!a", {"a": ""}, False),
    ("a=", {"a": ""}, True),
    ("a=,b", {"a": "", "b": "x"}, True),
    ("a>3", {"a": "4"}, True),
    ("a<3", {"a": "4"}, False),
    ("a>3", {"a": "x"}, False),
    ("x/in in (in)", {"x/in": "in"}, True),
    ("", {}, True),
]


@pytest.mark.parametrize(("selector", "labels", "expected"), SELECTORS)
def test_label_selectors_select_as_those_of_kubernetes(
    selector: str, labels: dict[str, str], expected: bool
) -> None:
    found = all(requirement.matches(labels) for requirement in parse_labels(selector))
    assert found is expected


async def _pods() -> Client:
    client = Client(api_of(bare_registry()))
    for number in range(6):
        space, node = f"s{number % 2}", f"n{number % 3}"
        body = {
            "metadata": {"name": f"p{number}"},
            "spec": {"nodeName": node, "hostNetwork": number == 0},
            "status": {"phase": "Running" if number else "Pending"},
        }
        await client.ask("POST", f"/api/v1/namespaces/{space}/pods", body)
    return client


FIELDS = [
    ("spec.nodeName=n1", ["p4", "p1"]),
    ("spec.host=n1", ["p4", "p1"]),
    ("spec.nodeName!=n1", ["p0", "p2", "p3", "p5"]),
    ("status.phase=Pending", ["p0"]),
    ("spec.nodeName=n0,status.phase!=Pending", ["p3"]),
    ("spec.hostNetwork=true", ["p0"]),
    ("metadata.name=p3", ["p3"]),
    ("metadata.namespace=s1,spec.nodeName=n1", ["p1"]),
    ("status.podIP=", ["p0", "p2", "p4", "p1", "p3", "p5"]),
]


@pytest.mark.parametrize(("selector", "expected"), FIELDS)
def test_field_selectors_of_pods(selector: str, expected: list[str]) -> None:
    @virtually
    async def ask() -> None:
        client = await _pods()
        listed = await client.ask("GET", f"{PODS}?fieldSelector={selector.replace('=', '%3D')}")
        assert _names(listed) == expected

    ask()


@virtually
async def test_pods_of_a_node_come_in_pages_too() -> None:
    client = await _pods()
    url = f"{PODS}?fieldSelector=spec.nodeName%3Dn1&limit=1"
    first = await client.get(url)
    assert _names(first) == ["p4"]
    second = await client.get(f"{url}&continue={first['metadata']['continue']}")
    assert _names(second) == ["p1"]
    assert "continue" not in second["metadata"]


@virtually
async def test_an_object_that_leaves_a_selection_is_deleted_for_its_watch_as_it_was_last() -> None:
    client, _ = await _with_maps(1)
    reader = Reader(await client.watch(f"{MAPS}?watch=1&labelSelector=odd%3D0"))
    patch = {"metadata": {"labels": {"odd": "1"}}}
    made = await client.ask("PATCH", f"{MAPS}/m000", patch, content_type=MERGE)
    await settle()
    added, deleted = reader.events
    assert (added["type"], deleted["type"]) == ("ADDED", "DELETED")
    metadata = deleted["object"]["metadata"]
    assert metadata["labels"] == {"odd": "0"}
    assert metadata["resourceVersion"] == made["metadata"]["resourceVersion"]
    await reader.close()


@virtually
async def test_a_watch_from_a_version_that_is_gone_says_so_and_ends() -> None:
    client, registry = await _with_maps(3)
    registry.store.compact()
    reader = Reader(await client.watch(f"{MAPS}?watch=1&resourceVersion=1"))
    await reader.task
    (event,) = reader.events
    assert event["type"] == "ERROR"
    assert event["object"]["message"] == "too old resource version: 1 (3)"
    assert event["object"]["code"] == 410


@virtually
async def test_a_watch_lasts_as_long_as_it_asks_and_says_where_it_stands_at_the_end() -> None:
    client, _ = await _with_maps(1)
    loop = asyncio.get_running_loop()
    begun = loop.time()
    url = f"{MAPS}?watch=1&resourceVersion=1&allowWatchBookmarks=1&timeoutSeconds=90"
    reader = Reader(await client.watch(url))
    await asyncio.sleep(10)
    await client.ask("POST", "/api/v1/namespaces", {"metadata": {"name": "x"}})
    await reader.task
    assert loop.time() - begun == pytest.approx(90)
    assert [event["type"] for event in reader.events] == ["BOOKMARK", "BOOKMARK"]
    assert reader.events[-1]["object"]["metadata"]["resourceVersion"] == "2"


async def _slow_reader(limit: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bridgehead.twin.api.watching.SLOWEST", limit)
    client, _ = await _with_maps(0)
    url = f"{MAPS}?watch=1&resourceVersion=1&allowWatchBookmarks=true"
    chunks = await client.watch(url)
    for number in range(limit + 3):
        await client.ask("POST", MAPS, {"metadata": {"name": f"m{number}"}})
    reader = Reader(chunks)
    await reader.task
    heard = [event["object"]["metadata"]["resourceVersion"] for event in reader.events]
    assert heard == [str(version) for version in range(2, limit + 2)]
    again = Reader(await client.watch(f"{MAPS}?watch=1&resourceVersion={heard[-1]}"))
    await settle()
    assert [event["object"]["metadata"]["name"] for event in again.events] == ["m6", "m7"]
    await again.close()


def test_a_client_that_is_too_slow_is_cut_off_and_misses_nothing_when_it_comes_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    @virtually
    async def ask() -> None:
        await _slow_reader(5, monkeypatch)

    ask()


@virtually
async def test_initial_events_end_with_their_bookmark() -> None:
    client, _ = await _with_maps(2)
    url = f"{MAPS}?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan"
    reader = Reader(await client.watch(f"{url}&allowWatchBookmarks=true"))
    await settle()
    assert [event["type"] for event in reader.events] == ["ADDED", "ADDED", "BOOKMARK"]
    metadata = reader.events[-1]["object"]["metadata"]
    assert metadata["annotations"] == {"k8s.io/initial-events-end": "true"}
    await reader.close()


@virtually
async def test_a_watch_of_the_future_is_silent_until_then() -> None:
    client, _ = await _with_maps(2)
    reader = Reader(await client.watch(f"{MAPS}?watch=1&resourceVersion=3"))
    for name in ("x", "y"):
        await client.ask("POST", MAPS, {"metadata": {"name": name}})
    await settle()
    assert [event["object"]["metadata"]["name"] for event in reader.events] == ["y"]
    await reader.close()


@virtually
async def test_events_of_both_groups_are_the_same_ones() -> None:
    client = Client(api_of(bare_registry()))
    body = {"metadata": {"name": "e"}, "involvedObject": {"kind": "Pod"}, "message": "hello"}
    await client.ask("POST", "/api/v1/namespaces/default/events", body)
    served = await client.get("/apis/events.k8s.io/v1/namespaces/default/events/e")
    assert (served["apiVersion"], served["note"]) == ("events.k8s.io/v1", "hello")
    assert served["regarding"] == {"kind": "Pod"}
    listed = await client.get("/apis/events.k8s.io/v1/events?fieldSelector=regarding.kind%3DPod")
    assert [item["note"] for item in listed["items"]] == ["hello"]


@virtually
async def test_yaml_and_indented_json_say_the_same() -> None:
    client, _ = await _with_maps(1)
    plain = await client.get(f"{MAPS}/m000")
    text = await client.raw("GET", f"{MAPS}/m000", headers={"accept": "application/yaml"})
    pretty = await client.raw("GET", f"{MAPS}/m000?pretty=true")
    assert isinstance(text, Answer)
    assert isinstance(pretty, Answer)
    assert msgspec.yaml.decode(text.body) == plain
    assert b'\n  "kind": "ConfigMap"' in pretty.body
    assert msgspec.json.decode(pretty.body) == plain


@virtually
async def test_metadata_alone_can_be_asked_for() -> None:
    client, _ = await _with_maps(1)
    accept = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"
    listed = await client.ask("GET", MAPS, accept=accept)
    assert listed["kind"] == "PartialObjectMetadataList"
    assert set(listed["items"][0]) == {"kind", "apiVersion", "metadata"}
