"""Every template is kept once, under a number that grows with each use."""

from tests.twin.controllers.daemonsets.daemon_cluster import DaemonCluster
from tests.twin.virtually import virtually


def hash_of(cluster: DaemonCluster, image: str) -> str:
    (found,) = [
        each["metadata"]["labels"]["controller-revision-hash"]
        for each in cluster.all("ControllerRevision")
        if each["data"]["spec"]["template"]["spec"]["containers"][0]["image"] == image
    ]
    return str(found)


@virtually
async def test_a_revision_holds_the_template_as_a_patch() -> None:
    cluster = DaemonCluster(1)
    daemon_set = cluster.daemon_set()
    await cluster.until(cluster.settled)
    (revision,) = cluster.all("ControllerRevision")
    hashed = hash_of(cluster, "plugin:v1")
    assert revision["metadata"]["name"] == f"plugin-{hashed}"
    assert revision["metadata"]["labels"] == {"app": "plugin", "controller-revision-hash": hashed}
    assert revision["metadata"]["annotations"] == {"deprecated.daemonset.template.generation": "1"}
    assert revision["metadata"]["ownerReferences"][0]["uid"] == daemon_set["metadata"]["uid"]
    assert revision["revision"] == 1
    template = daemon_set["spec"]["template"]
    assert revision["data"] == {"spec": {"template": {**template, "$patch": "replace"}}}


@virtually
async def test_a_template_that_comes_back_keeps_its_hash_and_gets_a_new_number() -> None:
    cluster = DaemonCluster(1)
    cluster.daemon_set(updateStrategy={"type": "OnDelete"})
    await cluster.until(cluster.settled)
    first = hash_of(cluster, "plugin:v1")
    cluster.set_image("plugin:v2")
    await cluster.settle()
    assert cluster.revisions() == {"plugin:v1": 1, "plugin:v2": 2}
    cluster.set_image("plugin:v1")
    await cluster.settle()
    assert cluster.revisions() == {"plugin:v1": 3, "plugin:v2": 2}
    assert hash_of(cluster, "plugin:v1") == first
    assert cluster.images() == {"node-1": "plugin:v1"}
    assert cluster.status()["updatedNumberScheduled"] == 1


@virtually
async def test_old_revisions_go_beyond_the_limit_unless_a_pod_has_one() -> None:
    cluster = DaemonCluster(1)
    cluster.daemon_set(updateStrategy={"type": "OnDelete"}, revisionHistoryLimit=2)
    await cluster.until(cluster.settled)
    for number in range(2, 7):
        cluster.set_image(f"plugin:v{number}")
        await cluster.settle()
    assert cluster.revisions() == {"plugin:v1": 1, "plugin:v5": 5, "plugin:v6": 6}


@virtually
async def test_a_name_that_is_taken_raises_the_count_of_collisions() -> None:
    cluster = DaemonCluster(1)
    cluster.daemon_set()
    await cluster.until(cluster.settled)
    (revision,) = cluster.all("ControllerRevision")
    name = revision["metadata"]["name"]
    cluster.delete("DaemonSet", "plugin")
    for pod in cluster.all("Pod"):
        cluster.delete("Pod", pod["metadata"]["name"])
    cluster.delete("ControllerRevision", name)
    cluster.apply(
        {
            "apiVersion": "apps/v1",
            "kind": "ControllerRevision",
            "metadata": {"name": name},
            "revision": 1,
            "data": {"of": "somebody else"},
        }
    )
    await cluster.settle(5)
    cluster.daemon_set()
    await cluster.until(cluster.settled)
    assert cluster.status()["collisionCount"] == 1
    assert len(cluster.all("ControllerRevision")) == 2


@virtually
async def test_the_same_template_twice_becomes_one_revision() -> None:
    cluster = DaemonCluster(1)
    cluster.daemon_set()
    await cluster.until(cluster.settled)
    (revision,) = cluster.all("ControllerRevision")
    metadata = revision["metadata"]
    labels = {**metadata["labels"], "controller-revision-hash": "other"}
    twin = {"name": "plugin-other", "labels": labels}
    twin["ownerReferences"] = metadata["ownerReferences"]
    cluster.apply({**revision, "metadata": twin, "revision": 9})
    await cluster.settle()
    (kept,) = cluster.all("ControllerRevision")
    assert kept["metadata"]["name"] == "plugin-other"
    assert cluster.on("node-1")["metadata"]["labels"]["controller-revision-hash"] == "other"
