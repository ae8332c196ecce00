"""Our client against a real API server: what scripted servers can only imitate."""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import msgspec
import pytest

from bridgehead.kube import errors
from bridgehead.kube.access import AccessAttributes
from bridgehead.kube.client import Kube
from bridgehead.kube.config import load_config
from bridgehead.kube.config.values import Impersonation
from bridgehead.kube.resources import (
    CONFIG_MAPS,
    LEAN_PODS,
    LEASES,
    NAMESPACES,
    NODES,
    PODS,
    RESOURCE_SLICES,
)
from bridgehead.kube.watch import Reflector
from testbed.base_image import BASE_IMAGE
from testbed.cluster import Cluster
from testbed.node import Node

pytestmark = pytest.mark.cluster

Until = Callable[[Callable[[], Awaitable[bool]]], Awaitable[None]]


@pytest.fixture
async def jane(cluster: Cluster) -> AsyncIterator[Kube]:
    """The administrator, acting as a user without any right."""
    config = load_config(cluster.kubeconfig)
    acting = msgspec.structs.replace(config, impersonation=Impersonation("jane", ("dev",)))
    async with await Kube.connect(acting) as client:
        yield client


def config_map(namespace: str, name: str = "notes", **data: str) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name, "namespace": namespace},
        "data": data,
    }


async def test_the_server_says_its_version_and_who_we_are(kube: Kube, jane: Kube) -> None:
    assert (await kube.server_version()).git_version.startswith("v1.")
    assert "system:masters" in (await kube.self_subject_review()).groups
    acted = await jane.self_subject_review()
    assert acted.username == "jane"
    assert "dev" in acted.groups


async def test_nodes_and_slices_decode(kube: Kube) -> None:
    nodes = (await kube.list(NODES)).items
    assert all(node.status.node_info.kubelet_version.startswith("v1.") for node in nodes)
    assert all("cpu" in node.status.allocatable for node in nodes)
    assert all(node.metadata.creation_timestamp for node in nodes)
    assert (await kube.list(RESOURCE_SLICES)).resource_version


async def test_pages_give_what_one_answer_gives(kube: Kube, namespace: str) -> None:
    for number in range(5):
        await kube.create(CONFIG_MAPS, config_map(namespace, f"notes-{number}"))
    paged = await kube.list(CONFIG_MAPS, namespace, page=2)
    whole = await kube.list(CONFIG_MAPS, namespace)
    assert paged.items == whole.items
    assert len(paged.items) == 6  # one of them is kube-root-ca.crt


async def test_a_dry_run_answers_and_stores_nothing(kube: Kube, namespace: str) -> None:
    stored = await kube.create(CONFIG_MAPS, config_map(namespace, a="1"), dry_run=True)
    assert stored["metadata"]["uid"]
    with pytest.raises(errors.NotFound):
        await kube.get(CONFIG_MAPS, "notes", namespace)


async def test_creating_twice_and_misspelt_fields_are_refused(kube: Kube, namespace: str) -> None:
    await kube.create(CONFIG_MAPS, config_map(namespace))
    with pytest.raises(errors.AlreadyExists):
        await kube.create(CONFIG_MAPS, config_map(namespace))
    with pytest.raises(errors.BadRequest, match='unknown field "datum"'):
        await kube.create(CONFIG_MAPS, config_map(namespace, "other") | {"datum": {}})


async def test_an_apply_over_another_managers_field_names_both(kube: Kube, namespace: str) -> None:
    await kube.apply(CONFIG_MAPS, config_map(namespace, a="1"), field_manager="helm")
    with pytest.raises(errors.Conflict) as refused:
        await kube.apply(CONFIG_MAPS, config_map(namespace, a="2"))
    (conflict,) = refused.value.managers
    assert (conflict.manager, conflict.field) == ("helm", ".data.a")
    forced = await kube.apply(CONFIG_MAPS, config_map(namespace, a="2"), force=True)
    assert forced["data"] == {"a": "2"}


async def test_a_json_patch_whose_test_fails_is_told_from_an_invalid_result(
    kube: Kube, namespace: str
) -> None:
    await kube.create(CONFIG_MAPS, config_map(namespace, a="1"))
    replace = {"op": "replace", "path": "/data/a", "value": "2"}
    for test in (
        {"op": "test", "path": "/data/a", "value": "other"},
        {"op": "test", "path": "/data", "value": {"a": "other"}},
        {"op": "test", "path": "/metadata/uid", "value": "another"},
        {"op": "test", "path": "/metadata/annotations/run", "value": "missing"},
    ):
        with pytest.raises(errors.PatchTestFailed):
            await kube.patch_json(CONFIG_MAPS, "notes", [test, replace], namespace=namespace)
    number = {"op": "replace", "path": "/data/a", "value": 2}
    with pytest.raises(errors.Invalid) as refused:
        await kube.patch_json(CONFIG_MAPS, "notes", [number], namespace=namespace)
    assert not isinstance(refused.value, errors.PatchTestFailed)
    kept = {"op": "test", "path": "/data/a", "value": "1"}
    changed = await kube.patch_json(CONFIG_MAPS, "notes", [kept, replace], namespace=namespace)
    assert changed["data"] == {"a": "2"}
    assert changed["metadata"]["managedFields"][-1]["manager"] == "bridgehead"


async def test_the_server_does_not_tell_a_missing_path_from_a_failed_test(
    kube: Kube, namespace: str
) -> None:
    """Seen on 1.37.2: one general sentence for all, and a `replace` of a missing key adds it."""
    await kube.create(CONFIG_MAPS, config_map(namespace, a="1"))
    remove = {"op": "remove", "path": "/data/nothing"}
    with pytest.raises(errors.PatchTestFailed):
        await kube.patch_json(CONFIG_MAPS, "notes", [remove], namespace=namespace)
    replace = {"op": "replace", "path": "/data/nothing", "value": "2"}
    changed = await kube.patch_json(CONFIG_MAPS, "notes", [replace], namespace=namespace)
    assert changed["data"] == {"a": "1", "nothing": "2"}


async def test_a_merge_patch_of_an_old_version_is_a_conflict(kube: Kube, namespace: str) -> None:
    first = await kube.create(CONFIG_MAPS, config_map(namespace))
    old = {"metadata": {"resourceVersion": first["metadata"]["resourceVersion"]}}
    await kube.patch_merge(CONFIG_MAPS, "notes", old | {"data": {"a": "1"}}, namespace=namespace)
    with pytest.raises(errors.Conflict):
        await kube.patch_merge(
            CONFIG_MAPS, "notes", old | {"data": {"a": "2"}}, namespace=namespace
        )


async def test_a_delete_of_another_uid_is_a_conflict(kube: Kube, namespace: str) -> None:
    created = await kube.create(CONFIG_MAPS, config_map(namespace))
    with pytest.raises(errors.Conflict, match="UID"):
        await kube.delete(CONFIG_MAPS, "notes", namespace, uid="another")
    await kube.delete(CONFIG_MAPS, "notes", namespace, uid=created["metadata"]["uid"])
    with pytest.raises(errors.NotFound):
        await kube.get(CONFIG_MAPS, "notes", namespace)


async def test_a_lease_taken_over_meanwhile_is_a_conflict(kube: Kube, namespace: str) -> None:
    lease = {
        "metadata": {"name": "run", "namespace": namespace},
        "spec": {"holderIdentity": "one", "leaseDurationSeconds": 5},
    }
    held = await kube.create(LEASES, lease)
    await kube.replace(LEASES, held | {"spec": held["spec"] | {"holderIdentity": "two"}})
    with pytest.raises(errors.Conflict):
        await kube.replace(LEASES, held)
    assert (await kube.get(LEASES, "run", namespace)).spec.holder_identity == "two"


async def test_access_reviews_tell_what_is_allowed_and_refusals_name_who(
    kube: Kube, jane: Kube, namespace: str
) -> None:
    question = AccessAttributes("list", "pods", namespace=namespace)
    assert [result.allowed for result in await kube.can_i([question])] == [True]
    assert [result.allowed for result in await jane.can_i([question])] == [False]
    assert not (await kube.subject_access_review("jane", (), question)).allowed
    with pytest.raises(errors.Forbidden) as refused:
        await jane.list(PODS, namespace)
    error = refused.value
    assert (error.user, error.verb, error.resource) == ("jane", "list", "pods")
    assert error.namespace == namespace


async def test_a_reflector_follows_what_happens(kube: Kube, namespace: str, until: Until) -> None:
    async with Reflector(kube, CONFIG_MAPS, namespace, "watched=yes") as watched:
        assert not watched.objects
        body = config_map(namespace, a="1")
        body["metadata"]["labels"] = {"watched": "yes"}
        await kube.create(CONFIG_MAPS, body)
        since = await watched.changed(watched.revision if not watched.objects else -1)
        assert [only.data for only in watched.objects.values()] == [{"a": "1"}]
        await kube.patch_merge(CONFIG_MAPS, "notes", {"data": {"a": "2"}}, namespace=namespace)
        since = await watched.changed(since)
        assert [only.data for only in watched.objects.values()] == [{"a": "2"}]
        # An object that stops matching the selector leaves as if it were deleted.
        unlabelled = {"metadata": {"labels": {"watched": None}}}
        await kube.patch_merge(CONFIG_MAPS, "notes", unlabelled, namespace=namespace)
        await watched.changed(since)
        assert not watched.objects
        assert not watched.stale


async def test_a_watch_without_the_right_says_which_one_is_missing(
    jane: Kube, namespace: str
) -> None:
    reflector = Reflector(jane, PODS, namespace)
    with pytest.raises(errors.Forbidden, match='User "jane" cannot list resource "pods"'):
        await reflector.__aenter__()


async def test_discovery_finds_what_the_server_serves(kube: Kube) -> None:
    discovery = await kube.discover()
    daemon_sets = discovery.find("DaemonSet")
    assert daemon_sets is not None
    assert daemon_sets.qualified == "daemonsets.apps"
    assert discovery.find("ResourceSlice", "resource.k8s.io/v1") is not None
    assert not discovery.unread
    namespaces = discovery.find("Namespace")
    assert namespaces is not None
    listed = await kube.list(namespaces)
    assert {item.metadata.name for item in listed.items} >= {"default", "kube-system"}
    assert not NAMESPACES.namespaced


async def test_logs_and_the_lean_form_of_a_running_pod(
    kube: Kube, namespace: str, lease_nodes: Callable[..., Awaitable[list[Node]]], until: Until
) -> None:
    (node,) = await lease_nodes(1)
    container = {
        "name": "talker",
        "image": BASE_IMAGE,
        "imagePullPolicy": "IfNotPresent",
        "command": ["/bin/sh", "-c", "echo one; echo two"],
    }
    spec = {"nodeName": node.name, "restartPolicy": "Never", "containers": [container]}
    body = {"metadata": {"name": "talker", "namespace": namespace}, "spec": spec}
    await kube.create(PODS, body)

    async def ended() -> bool:
        return (await kube.get(PODS, "talker", namespace)).status.phase == "Succeeded"

    await until(ended)
    assert await kube.logs(namespace, "talker", "talker") == "one\ntwo\n"
    assert await kube.logs(namespace, "talker", "talker", tail_lines=1) == "two\n"
    with pytest.raises(errors.BadRequest, match="previous"):
        await kube.logs(namespace, "talker", "talker", previous=True)
    with pytest.raises(errors.BadRequest, match="nobody"):
        await kube.logs(namespace, "talker", "nobody")
    (status,) = (await kube.get(PODS, "talker", namespace)).status.container_statuses
    assert status.state.terminated is not None
    assert status.state.terminated.reason == "Completed"
    (lean,) = (await kube.list(LEAN_PODS, namespace)).items
    assert (lean.spec.node_name, lean.status.phase) == (node.name, "Succeeded")
    assert lean.status.start_time
