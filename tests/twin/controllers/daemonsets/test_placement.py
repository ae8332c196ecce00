"""On which nodes a DaemonSet has a pod, and what that pod is like."""

from bridgehead.twin.objects import with_field
from tests.twin.controllers.daemonsets.daemon_cluster import DaemonCluster
from tests.twin.virtually import virtually


@virtually
async def test_every_node_gets_a_pod_made_as_the_real_controller_makes_it() -> None:
    cluster = DaemonCluster()
    daemon_set = cluster.daemon_set()
    await cluster.until(cluster.settled)
    assert sorted(cluster.images()) == ["node-1", "node-2", "node-3"]
    pod = cluster.on("node-2")
    (revision,) = cluster.all("ControllerRevision")
    hashed = revision["metadata"]["labels"]["controller-revision-hash"]
    assert pod["metadata"]["generateName"] == "plugin-"
    assert pod["metadata"]["labels"] == {
        "app": "plugin",
        "controller-revision-hash": hashed,
        "pod-template-generation": "1",
    }
    assert pod["metadata"]["ownerReferences"] == [
        {
            "apiVersion": "apps/v1",
            "kind": "DaemonSet",
            "name": "plugin",
            "uid": daemon_set["metadata"]["uid"],
            "controller": True,
            "blockOwnerDeletion": True,
        }
    ]
    named = {"key": "metadata.name", "operator": "In", "values": ["node-2"]}
    assert pod["spec"]["affinity"] == {
        "nodeAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": {
                "nodeSelectorTerms": [{"matchFields": [named]}]
            }
        }
    }
    tolerated = [(each["key"], each["effect"]) for each in pod["spec"]["tolerations"]]
    assert tolerated == [
        ("node.kubernetes.io/not-ready", "NoExecute"),
        ("node.kubernetes.io/unreachable", "NoExecute"),
        ("node.kubernetes.io/disk-pressure", "NoSchedule"),
        ("node.kubernetes.io/memory-pressure", "NoSchedule"),
        ("node.kubernetes.io/pid-pressure", "NoSchedule"),
        ("node.kubernetes.io/unschedulable", "NoSchedule"),
    ]
    assert ("Normal", "SuccessfulCreate", f"Created pod: {pod['metadata']['name']}") in (
        cluster.events("plugin")
    )


@virtually
async def test_the_status_counts_and_names_the_generation_that_was_seen() -> None:
    cluster = DaemonCluster()
    cluster.daemon_set()
    await cluster.settle(0.5)
    assert cluster.status() == {
        "observedGeneration": 1,
        "desiredNumberScheduled": 3,
        "currentNumberScheduled": 3,
        "numberMisscheduled": 0,
        "numberReady": 0,
        "updatedNumberScheduled": 3,
        "numberUnavailable": 3,
    }
    await cluster.until(cluster.settled)
    assert cluster.status() == {
        "observedGeneration": 1,
        "desiredNumberScheduled": 3,
        "currentNumberScheduled": 3,
        "numberMisscheduled": 0,
        "numberReady": 3,
        "updatedNumberScheduled": 3,
        "numberAvailable": 3,
    }


@virtually
async def test_a_generation_is_observed_a_moment_later() -> None:
    cluster = DaemonCluster()
    cluster.daemon_set(updateStrategy={"type": "OnDelete"})
    await cluster.until(cluster.settled)
    cluster.set_image("plugin:v2")
    assert cluster.status()["observedGeneration"] == 1
    await cluster.settle(0.1)
    assert cluster.status()["observedGeneration"] == 2


@virtually
async def test_the_present_template_decides_who_may_stay_under_on_delete_too() -> None:
    cluster = DaemonCluster()
    cluster.change("Node", "node-1", "metadata.labels.pool", "gpu")
    cluster.daemon_set(updateStrategy={"type": "OnDelete"})
    await cluster.until(cluster.settled)
    selector = "spec.template.spec.nodeSelector"
    cluster.change("DaemonSet", "plugin", selector, {"pool": "gpu"})
    await cluster.settle(5)
    assert sorted(cluster.images()) == ["node-1"]
    assert cluster.status()["desiredNumberScheduled"] == 1
    assert cluster.status()["numberMisscheduled"] == 0
    cluster.change("Node", "node-3", "metadata.labels.pool", "gpu")
    await cluster.settle(5)
    assert sorted(cluster.images()) == ["node-1", "node-3"]


@virtually
async def test_a_node_that_joins_gets_a_pod_even_when_it_is_cordoned() -> None:
    cluster = DaemonCluster(1)
    cluster.daemon_set()
    await cluster.until(cluster.settled)
    unschedulable = {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}
    cluster.node("node-7", unschedulable=True, taints=[unschedulable])
    await cluster.settle(5)
    assert sorted(cluster.images()) == ["node-1", "node-7"]


@virtually
async def test_a_taint_keeps_new_pods_off_and_only_no_execute_ends_old_ones() -> None:
    cluster = DaemonCluster(2)
    cluster.daemon_set()
    await cluster.until(cluster.settled)
    taint = {"key": "maintenance", "effect": "NoSchedule"}
    cluster.change("Node", "node-1", "spec.taints", [taint])
    await cluster.settle(5)
    assert sorted(cluster.images()) == ["node-1", "node-2"]
    assert cluster.status()["desiredNumberScheduled"] == 1
    assert cluster.status()["numberMisscheduled"] == 1
    cluster.change("Node", "node-1", "spec.taints", [{**taint, "effect": "NoExecute"}])
    await cluster.settle(5)
    assert sorted(cluster.images()) == ["node-2"]


@virtually
async def test_a_pod_that_goes_is_replaced_by_one_of_the_present_template() -> None:
    cluster = DaemonCluster()
    cluster.daemon_set(updateStrategy={"type": "OnDelete"})
    await cluster.until(cluster.settled)
    cluster.set_image("plugin:v2")
    cluster.delete("Pod", cluster.on("node-2")["metadata"]["name"])
    await cluster.settle(5)
    assert cluster.images() == {
        "node-1": "plugin:v1",
        "node-2": "plugin:v2",
        "node-3": "plugin:v1",
    }
    assert cluster.status()["updatedNumberScheduled"] == 1


@virtually
async def test_failed_pods_are_replaced_after_pauses_that_grow() -> None:
    cluster = DaemonCluster(1)
    cluster.daemon_set(labels={"outcome": "fail"})
    await cluster.settle(12)
    failed = [message for _, reason, message in cluster.events() if reason == "FailedDaemonPod"]
    assert 3 <= len(failed) <= 5
    assert failed[0].startswith("Found failed daemon pod ai/plugin-")
    assert failed[0].endswith(" on node node-1, will try to kill it")


@virtually
async def test_an_orphan_is_adopted_and_a_pod_that_no_longer_matches_is_released() -> None:
    cluster = DaemonCluster(1)
    cluster.daemon_set()
    await cluster.until(cluster.settled)
    pod = cluster.on("node-1")
    name = pod["metadata"]["name"]
    cluster.change("Pod", name, "metadata.labels.app", "debugged")
    await cluster.settle(5)
    assert "ownerReferences" not in cluster.get("Pod", name)["metadata"]
    cluster.change("Pod", name, "metadata.labels.app", "plugin")
    await cluster.settle(5)
    # two pods on one node: the older one is kept
    assert cluster.on("node-1")["metadata"]["name"] == name
    assert cluster.get("Pod", name)["metadata"]["ownerReferences"][0]["name"] == "plugin"


@virtually
async def test_pods_of_a_large_cluster_come_at_the_pace_of_a_real_controller() -> None:
    cluster = DaemonCluster(130)
    cluster.daemon_set()
    await cluster.settle(4)
    assert not cluster.status().get("observedGeneration")
    assert 100 <= len(cluster.all("Pod")) < 120
    await cluster.until(cluster.settled, within=60)
    assert len(cluster.images()) == 130


@virtually
async def test_creations_that_fail_are_told_and_tried_again() -> None:
    cluster = DaemonCluster(1)
    cluster.delete("ServiceAccount", "default")
    cluster.daemon_set()
    await cluster.settle(0.5)
    assert cluster.all("Pod") == []
    failed = [message for _, reason, message in cluster.events() if reason == "FailedCreate"]
    assert failed[0].startswith('Error creating: pods "plugin-')
    cluster.apply("{apiVersion: v1, kind: ServiceAccount, metadata: {name: default}}")
    await cluster.until(cluster.settled, within=60)


@virtually
async def test_the_selector_and_limit_of_a_pod_on_a_lost_node_do_not_hold_others_up() -> None:
    cluster = DaemonCluster(2)
    cluster.daemon_set()
    await cluster.until(cluster.settled)
    cluster.delete("Node", "node-2")
    await cluster.settle(2)
    assert cluster.status()["desiredNumberScheduled"] == 1
    template = with_field(
        cluster.get("DaemonSet", "plugin")["spec"]["template"], ("metadata", "labels", "x"), "y"
    )
    cluster.change("DaemonSet", "plugin", "spec.template", template)
    await cluster.until(lambda: cluster.on("node-1")["metadata"]["labels"].get("x") == "y")
