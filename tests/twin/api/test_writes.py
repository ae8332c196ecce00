"""What a write does to an object beside its content: identity, generation, deletion in steps."""

from typing import Any

from tests.twin.api.asking import MERGE, Client, api_of, bare_registry
from tests.twin.virtually import virtually

MAPS = "/api/v1/namespaces/default/configmaps"
PODS = "/api/v1/namespaces/default/pods"
SETS = "/apis/apps/v1/namespaces/default/daemonsets"


def _client() -> Client:
    return Client(api_of(bare_registry()))


async def _finalizers(client: Client, url: str, *names: str) -> dict[str, Any]:
    patch = {"metadata": {"finalizers": list(names)}}
    return await client.ask("PATCH", url, patch, content_type=MERGE)


@virtually
async def test_a_dry_run_answers_as_if_and_changes_nothing() -> None:
    client = _client()
    made = await client.ask("POST", f"{MAPS}?dryRun=All", {"metadata": {"name": "m"}})
    assert made["metadata"]["uid"]
    assert "resourceVersion" not in made["metadata"]
    assert (await client.get(MAPS))["items"] == []


@virtually
async def test_names_are_generated_and_differ() -> None:
    client = _client()
    names = [
        (await client.ask("POST", MAPS, {"metadata": {"generateName": "g-"}}))["metadata"]["name"]
        for _ in range(3)
    ]
    assert len(set(names)) == 3
    assert all(name.startswith("g-") and len(name) == 7 for name in names)


@virtually
async def test_a_generation_counts_changes_of_the_spec_alone() -> None:
    client = _client()
    await client.ask("POST", SETS, {"metadata": {"name": "s"}, "spec": {"a": 1}})
    for patch in ({"metadata": {"labels": {"x": "y"}}}, {"status": {"numberReady": 1}}):
        made = await client.ask("PATCH", f"{SETS}/s", patch, content_type=MERGE)
        assert made["metadata"]["generation"] == 1
    assert "status" not in made
    made = await client.ask("PATCH", f"{SETS}/s", {"spec": {"a": 2}}, content_type=MERGE)
    assert made["metadata"]["generation"] == 2


@virtually
async def test_the_status_is_changed_apart_from_the_rest() -> None:
    client = _client()
    await client.ask("POST", SETS, {"metadata": {"name": "s"}, "spec": {"a": 1}})
    patch = {"spec": {"a": 2}, "status": {"numberReady": 1}}
    made = await client.ask("PATCH", f"{SETS}/s/status", patch, content_type=MERGE)
    assert (made["spec"], made["status"]) == ({"a": 1}, {"numberReady": 1})


@virtually
async def test_what_changes_nothing_is_not_written() -> None:
    client = _client()
    made = await client.ask("POST", MAPS, {"metadata": {"name": "m"}, "data": {"a": "b"}})
    same = await client.ask("PATCH", f"{MAPS}/m", {"data": {"a": "b"}}, content_type=MERGE)
    assert same["metadata"]["resourceVersion"] == made["metadata"]["resourceVersion"]


@virtually
async def test_an_object_with_finalizers_goes_with_the_last_of_them() -> None:
    client = _client()
    await client.ask("POST", MAPS, {"metadata": {"name": "m", "finalizers": ["a/b", "c/d"]}})
    marked = await client.ask("DELETE", f"{MAPS}/m")
    assert marked["metadata"]["deletionGracePeriodSeconds"] == 0
    again = await client.ask("DELETE", f"{MAPS}/m")
    assert again["metadata"]["resourceVersion"] == marked["metadata"]["resourceVersion"]
    await _finalizers(client, f"{MAPS}/m", "c/d")
    assert (await client.get(f"{MAPS}/m"))["kind"] == "ConfigMap"
    await _finalizers(client, f"{MAPS}/m")
    assert (await client.get(f"{MAPS}/m"))["code"] == 404


@virtually
async def test_a_pod_on_a_node_waits_for_its_kubelet_and_no_deletion_lengthens_that() -> None:
    client = _client()
    body = {"metadata": {"name": "p"}, "spec": {"nodeName": "n", "containers": []}}
    await client.ask("POST", PODS, body)
    marked = await client.ask("DELETE", f"{PODS}/p", {"gracePeriodSeconds": 20})
    assert marked["metadata"]["deletionGracePeriodSeconds"] == 20
    longer = await client.ask("DELETE", f"{PODS}/p", {"gracePeriodSeconds": 60})
    assert longer["metadata"]["deletionGracePeriodSeconds"] == 20
    shorter = await client.ask("DELETE", f"{PODS}/p", {"gracePeriodSeconds": 5})
    assert shorter["metadata"]["deletionGracePeriodSeconds"] == 5
    gone = await client.ask("DELETE", f"{PODS}/p", {"gracePeriodSeconds": 0})
    assert gone["metadata"]["deletionGracePeriodSeconds"] == 0
    assert (await client.get(f"{PODS}/p"))["code"] == 404


@virtually
async def test_a_deletion_in_the_foreground_leaves_the_object_to_the_garbage_collector() -> None:
    client = _client()
    await client.ask("POST", SETS, {"metadata": {"name": "s"}})
    marked = await client.ask("DELETE", f"{SETS}/s", {"propagationPolicy": "Foreground"})
    assert marked["metadata"]["finalizers"] == ["foregroundDeletion"]
    assert marked["metadata"]["generation"] == 2


@virtually
async def test_a_deletion_is_answered_by_what_has_gone() -> None:
    client = _client()
    made = await client.ask("POST", SETS, {"metadata": {"name": "s"}})
    gone = await client.ask("DELETE", f"{SETS}/s")
    assert gone["status"] == "Success"
    assert gone["details"] == {
        "name": "s",
        "group": "apps",
        "kind": "daemonsets",
        "uid": made["metadata"]["uid"],
    }


@virtually
async def test_a_collection_is_deleted_by_its_selection() -> None:
    client = _client()
    for number in range(4):
        metadata = {"name": f"m{number}", "labels": {"odd": str(number % 2)}}
        await client.ask("POST", MAPS, {"metadata": metadata})
    gone = await client.ask("DELETE", f"{MAPS}?labelSelector=odd%3D1")
    assert [item["metadata"]["name"] for item in gone["items"]] == ["m1", "m3"]
    left = await client.get(MAPS)
    assert [item["metadata"]["name"] for item in left["items"]] == ["m0", "m2"]


@virtually
async def test_a_lease_is_created_by_an_update_and_then_updated_by_version_only() -> None:
    client = _client()
    url = "/apis/coordination.k8s.io/v1/namespaces/default/leases/l"
    made = await client.ask("PUT", url, {"metadata": {"name": "l"}})
    assert made["metadata"]["uid"]
    status = await client.ask("PUT", url, {"metadata": {"name": "l"}, "spec": {}})
    assert status["message"] == (
        'leases.coordination.k8s.io "l" is invalid: metadata.resourceVersion: '
        "Invalid value: 0: must be specified for an update"
    )
    metadata = {"name": "l", "resourceVersion": made["metadata"]["resourceVersion"]}
    body = {"metadata": metadata, "spec": {"holderIdentity": "x"}}
    assert (await client.ask("PUT", url, body))["spec"] == {"holderIdentity": "x"}
    assert (await client.ask("PUT", url, body))["reason"] == "Conflict"


@virtually
async def test_a_namespace_keeps_its_finalizers_until_they_are_finalized() -> None:
    client = _client()
    url = "/api/v1/namespaces/x"
    body = {"metadata": {"name": "x"}, "spec": {"finalizers": ["kubernetes"]}}
    await client.ask("POST", "/api/v1/namespaces", body)
    await client.ask("PATCH", url, {"spec": None}, content_type=MERGE)
    marked = await client.ask("DELETE", url)
    assert marked["spec"] == {"finalizers": ["kubernetes"]}
    assert marked["status"]["phase"] == "Terminating"
    assert "deletionGracePeriodSeconds" not in marked["metadata"]
    await client.ask("PUT", f"{url}/finalize", {"metadata": {"name": "x"}, "spec": {}})
    assert (await client.get(url))["code"] == 404
