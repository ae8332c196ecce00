"""The garbage collector: background, foreground, orphan; what may own what."""

from typing import Any

from bridgehead.twin.controllers.deployments import DeploymentController
from bridgehead.twin.controllers.garbage import GarbageCollector
from bridgehead.twin.controllers.replicasets import ReplicaSetController
from bridgehead.twin.kinds import Kind
from bridgehead.twin.objects import Object
from tests.twin.controllers.cluster import Cluster, Nodes
from tests.twin.controllers.test_deployments import WEB
from tests.twin.virtually import virtually


def cluster() -> Cluster:
    made = Cluster()
    GarbageCollector(made.registry).start()
    return made


def thing(twin: Cluster, name: str, *owners: Object, namespace: str = "ai", **more: Any) -> Object:
    """A ConfigMap with owners; ``block`` in them makes a foreground deletion wait."""
    references = [
        {
            "apiVersion": owner["apiVersion"],
            "kind": owner["kind"],
            "name": owner["metadata"]["name"],
            "uid": owner["metadata"]["uid"],
            "blockOwnerDeletion": True,
        }
        for owner in owners
    ]
    metadata = {"name": name, "namespace": namespace, "ownerReferences": references, **more}
    return twin.apply({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata})


@virtually
async def test_dependents_go_after_their_owner() -> None:
    twin = cluster()
    owner = thing(twin, "owner")
    child = thing(twin, "child", owner)
    thing(twin, "grandchild", child)
    twin.delete("ConfigMap", "owner")
    await twin.settle()
    assert twin.all("ConfigMap") == []


@virtually
async def test_a_whole_deployment_goes_with_its_pods() -> None:
    twin = cluster()
    Nodes(twin)
    ReplicaSetController(twin.registry).start()
    DeploymentController(twin.registry).start()
    twin.apply(WEB)
    await twin.until(lambda: len(twin.all("Pod")) == 4)
    twin.delete("Deployment", "web", propagation="Background")
    assert not twin.has("Deployment", "web")
    await twin.until(lambda: not twin.all("Pod") and not twin.all("ReplicaSet"))


@virtually
async def test_in_the_foreground_an_owner_waits_for_what_blocks_it() -> None:
    twin = cluster()
    owner = thing(twin, "owner")
    thing(twin, "child", owner, finalizers=["example.com/wait"])
    twin.delete("ConfigMap", "owner", propagation="Foreground")
    assert twin.get("ConfigMap", "owner")["metadata"]["finalizers"] == ["foregroundDeletion"]
    await twin.settle()
    assert twin.has("ConfigMap", "owner")
    assert twin.get("ConfigMap", "child")["metadata"]["deletionTimestamp"]
    twin.change("ConfigMap", "child", "metadata.finalizers", None)
    await twin.settle()
    assert twin.all("ConfigMap") == []


@virtually
async def test_orphans_stay_and_lose_their_reference() -> None:
    twin = cluster()
    owner = thing(twin, "owner")
    thing(twin, "child", owner)
    twin.delete("ConfigMap", "owner", propagation="Orphan")
    await twin.settle()
    assert not twin.has("ConfigMap", "owner")
    assert "ownerReferences" not in twin.get("ConfigMap", "child")["metadata"]


@virtually
async def test_a_reference_to_nothing_is_dangling() -> None:
    twin = cluster()
    gone: Object = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "gone", "uid": "nobody"},
    }
    thing(twin, "child", gone)
    other = thing(twin, "other")
    thing(twin, "shared", gone, other)
    await twin.settle()
    assert not twin.has("ConfigMap", "child")
    kept = twin.get("ConfigMap", "shared")["metadata"]["ownerReferences"]
    assert [owner["name"] for owner in kept] == ["other"]


@virtually
async def test_an_owner_in_another_namespace_is_none() -> None:
    twin = cluster()
    twin.apply("{apiVersion: v1, kind: Namespace, metadata: {name: other}}")
    owner = thing(twin, "owner", namespace="other")
    thing(twin, "child", owner)
    await twin.settle()
    assert not twin.has("ConfigMap", "child")
    ((kind, reason, message),) = twin.events("child")
    assert (kind, reason) == ("Warning", "OwnerRefInvalidNamespace")
    uid = owner["metadata"]["uid"]
    named = f"[v1/ConfigMap, namespace: ai, name: owner, uid: {uid}]"
    assert message == f'ownerRef {named} does not exist in namespace "ai"'


@virtually
async def test_a_cluster_wide_object_with_a_namespaced_owner_stays() -> None:
    twin = cluster()
    owner = thing(twin, "owner")
    reference = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "name": "owner",
        "uid": owner["metadata"]["uid"],
    }
    metadata = {"name": "wide", "ownerReferences": [reference]}
    twin.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": metadata})
    twin.delete("ConfigMap", "owner")
    await twin.settle()
    assert twin.has("Namespace", "wide")


@virtually
async def test_custom_resources_own_and_are_owned() -> None:
    twin = cluster()
    kind = Kind(
        group="example.com", version="v1", kind="Widget", plural="widgets", verbs=("delete",)
    )
    twin.registry.kinds.add(kind)
    widget = twin.apply(
        {"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "one"}}
    )
    thing(twin, "child", widget)
    twin.delete("Widget", "one")
    await twin.settle()
    assert not twin.has("ConfigMap", "child")


@virtually
async def test_dependents_of_a_kind_that_is_no_longer_served_are_left_alone() -> None:
    twin = cluster()
    kind = Kind(
        group="example.com", version="v1", kind="Widget", plural="widgets", verbs=("delete",)
    )
    twin.registry.kinds.add(kind)
    owner = thing(twin, "owner")
    reference = {"apiVersion": "v1", "kind": "ConfigMap", "name": "owner"}
    references = [{**reference, "uid": owner["metadata"]["uid"]}]
    metadata = {"name": "one", "ownerReferences": references}
    widget = {"apiVersion": "example.com/v1", "kind": "Widget", "metadata": metadata}
    twin.apply(widget)
    await twin.settle()
    twin.registry.kinds.remove(kind)
    twin.delete("ConfigMap", "owner")
    await twin.settle()
    assert twin.registry.store.count(kind.stored) == 1
