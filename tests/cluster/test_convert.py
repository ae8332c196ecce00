"""API objects become nouns: what is kept, and how odd objects read."""

from typing import Any

import msgspec
import pytest

from bridgehead.cluster.convert import (
    component_from,
    controller_uid,
    node_from,
    pod_from,
    revision_from,
)
from bridgehead.core.model.component import template_of
from bridgehead.core.model.device import Offer
from bridgehead.core.model.node import Node, Taint
from bridgehead.core.model.pod import Pod
from bridgehead.kube.objects.node import Node as NodeObject
from bridgehead.kube.objects.pod import Pod as PodObject


def node(raw: dict[str, Any]) -> Node:
    return node_from(msgspec.json.decode(msgspec.json.encode(raw), type=NodeObject))


def pod(raw: dict[str, Any]) -> Pod:
    return pod_from(msgspec.json.decode(msgspec.json.encode(raw), type=PodObject))


def test_node_keeps_what_a_rollout_needs() -> None:
    read = node(
        {
            "metadata": {"name": "n1", "uid": "u", "labels": {"a": "b"}, "resourceVersion": "7"},
            "spec": {
                "unschedulable": True,
                "taints": [{"key": "gpu", "value": "yes", "effect": "NoSchedule"}],
            },
            "status": {
                "capacity": {"cpu": "8", "vendor.com/gpu": "2k", "hugepages-2Mi": "0"},
                "allocatable": {"cpu": "8", "vendor.com/gpu": "1"},
                "conditions": [{"type": "Ready", "status": "True"}],
                "nodeInfo": {
                    "osImage": "Debian 12",
                    "kernelVersion": "6.1",
                    "containerRuntimeVersion": "containerd://2.4.2",
                    "architecture": "amd64",
                    "kubeletVersion": "v1.37.2",
                    "bootID": "boot",
                },
            },
        }
    )
    assert read == Node(
        name="n1",
        uid="u",
        labels={"a": "b"},
        taints=(Taint("gpu", "NoSchedule", "yes"),),
        unschedulable=True,
        ready=True,
        offers={"vendor.com/gpu": Offer(2000, 1)},
        os_image="Debian 12",
        kernel="6.1",
        runtime="containerd://2.4.2",
        arch="amd64",
        kubelet="v1.37.2",
        boot_id="boot",
        resource_version="7",
    )


@pytest.mark.parametrize(
    ("conditions", "ready"),
    [
        ([], None),
        ([{"type": "Ready", "status": "Unknown"}], None),
        ([{"type": "Ready", "status": "False"}], False),
        ([{"type": "DiskPressure", "status": "True"}], None),
    ],
)
def test_a_node_that_does_not_say_is_neither_ready_nor_unready(
    conditions: list[dict[str, str]], ready: bool | None
) -> None:
    assert node({"status": {"conditions": conditions}}).ready is ready


def test_a_name_that_is_only_in_capacity_has_no_healthy_device() -> None:
    assert node({"status": {"capacity": {"a.b/c": "2"}}}).offers == {"a.b/c": Offer(2, 0)}


def test_an_unbound_daemon_pod_is_meant_for_the_node_of_its_affinity() -> None:
    term = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n1"]}]}
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}
    read = pod({"spec": {"affinity": {"nodeAffinity": required}}})
    assert (read.node, read.bound) == ("n1", False)
    bound = pod({"spec": {"nodeName": "n2", "affinity": {"nodeAffinity": required}}})
    assert (bound.node, bound.bound) == ("n2", True)


def test_pod_keeps_owner_state_and_host_paths() -> None:
    read = pod(
        {
            "metadata": {
                "name": "p",
                "namespace": "ns",
                "uid": "u",
                "labels": {"controller-revision-hash": "h1"},
                "creationTimestamp": "1970-01-01T00:01:00Z",
                "deletionTimestamp": "1970-01-01T00:02:00Z",
                "ownerReferences": [
                    {"kind": "Other", "name": "x", "uid": "1"},
                    {"kind": "DaemonSet", "name": "ds", "uid": "2", "controller": True},
                ],
            },
            "spec": {
                "nodeName": "n1",
                "containers": [{"name": "c", "image": "i:1"}, {"name": "d", "image": "j"}],
                "volumes": [
                    {"name": "b", "hostPath": {"path": "/var/lib/kubelet/device-plugins"}},
                    {"name": "a", "hostPath": {"path": "/dev"}},
                    {"name": "c", "emptyDir": {}},
                ],
            },
            "status": {
                "phase": "Running",
                "startTime": "1970-01-01T00:01:01Z",
                "conditions": [{"type": "Ready", "status": "False"}],
                "containerStatuses": [
                    {
                        "name": "c",
                        "imageID": "i@sha256:1",
                        "containerID": "containerd://1",
                        "restartCount": 2,
                        "state": {"waiting": {"reason": "CrashLoopBackOff", "message": "back-off"}},
                        "lastState": {"terminated": {"exitCode": 1, "reason": "Error"}},
                    }
                ],
            },
        }
    )
    assert (read.owner_kind, read.owner_name, read.owner_uid) == ("DaemonSet", "ds", "2")
    assert (read.revision, read.created, read.deleting, read.admitted) == ("h1", 60.0, True, True)
    assert read.host_paths == ("/dev", "/var/lib/kubelet/device-plugins")
    first, second = read.containers
    assert (first.image, first.image_id, first.state) == ("i:1", "i@sha256:1", "waiting")
    assert (first.reason, first.last_exit_code, first.restarts) == ("CrashLoopBackOff", 1, 2)
    assert (second.name, second.state, second.container_id) == ("d", "", "")


def container(count: int, *, sidecar: bool = False) -> dict[str, Any]:
    asked = {"limits": {"a.b/c": str(count), "cpu": "1", "hugepages-2Mi": "4Mi"}}
    return {"name": "x", "resources": asked, **({"restartPolicy": "Always"} if sidecar else {})}


@pytest.mark.parametrize(
    ("init", "main", "expected"),
    [
        ([], [container(1), container(2)], 3),
        ([container(4)], [container(1), container(2)], 4),
        ([container(1, sidecar=True)], [container(2)], 3),
        ([container(1, sidecar=True), container(5)], [container(2)], 6),
        ([container(5), container(1, sidecar=True)], [container(2)], 5),
    ],
)
def test_devices_are_counted_as_the_scheduler_counts_them(
    init: list[dict[str, Any]], main: list[dict[str, Any]], expected: int
) -> None:
    read = pod({"spec": {"initContainers": init, "containers": main}})
    assert read.requests == {"a.b/c": expected}


DAEMON_SET: dict[str, Any] = {
    "metadata": {
        "namespace": "ns",
        "name": "ds",
        "uid": "u",
        "generation": 3,
        "resourceVersion": "9",
        "annotations": {"meta.helm.sh/release-name": "r"},
        "managedFields": [
            {"manager": "new", "time": "2026-01-02T00:00:00Z"},
            {"manager": "old", "time": "2026-01-01T00:00:00Z"},
        ],
    },
    "spec": {
        "selector": {"matchLabels": {"a": "b"}},
        "updateStrategy": {"type": "OnDelete"},
        "template": {
            "metadata": {"creationTimestamp": None, "labels": {"a": "b"}},
            "spec": {"containers": [{"name": "c", "image": "i:1"}]},
        },
    },
    "status": {"observedGeneration": 2, "desiredNumberScheduled": 4},
}


def test_component_keeps_the_template_as_stored() -> None:
    read = component_from(DAEMON_SET)
    assert read.template == DAEMON_SET["spec"]["template"]
    assert (read.generation, read.observed_generation, read.desired) == (3, 2, 4)
    assert (read.strategy_type, read.images) == ("OnDelete", {"c": "i:1"})
    assert [owner.kind for owner in read.owners] == ["helm"]
    assert [manager for manager, _ in read.managers] == ["old", "new"]
    assert not read.deleting


def test_a_component_whose_status_is_missing_does_not_say_how_many_pods_it_wants() -> None:
    assert component_from({"metadata": {"name": "ds"}}).desired is None


def test_the_standing_templates_revision_has_the_same_digest() -> None:
    template = {**DAEMON_SET["spec"]["template"], "metadata": {"labels": {"a": "b"}}}
    raw: dict[str, Any] = {
        "metadata": {
            "name": "ds-h1",
            "labels": {"controller-revision-hash": "h1"},
            "ownerReferences": [
                {"kind": "DaemonSet", "name": "ds", "uid": "u", "controller": True}
            ],
        },
        "revision": 5,
        "data": {"spec": {"template": {**template, "$patch": "replace"}}},
    }
    read = revision_from(raw)
    assert (read.name, read.hash, read.number) == ("ds-h1", "h1", 5)
    assert read.template_digest == component_from(DAEMON_SET).template_digest
    assert template_of(raw) == template
    assert controller_uid(raw) == "u"
