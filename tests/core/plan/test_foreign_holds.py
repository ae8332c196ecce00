"""Marks and objects by which others say that they work on a node."""

import pytest

from bridgehead.core.model.json import JsonObject
from bridgehead.core.model.node import HELD_BY, Node, Taint
from bridgehead.core.plan.foreign_holds import foreign_hold
from bridgehead.core.plan.maintenance import (
    joined,
    lock_holds,
    maintenance_holds,
    unknown_holds,
    with_holds,
)

FLATCAR = "flatcar-linux-update.v1.flatcar-linux.net"


def labelled(name: str, value: str) -> Node:
    return Node(name="n", labels={name: value})


def annotated(name: str, value: str) -> Node:
    return Node(name="n", annotations={name: value})


def tainted(key: str, effect: str = "NoSchedule", value: str = "") -> Node:
    return Node(name="n", taints=(Taint(key, effect, value),))


@pytest.mark.parametrize(
    ("node", "who"),
    [
        (annotated(HELD_BY, "other-1"), "held by the bridgehead run other-1"),
        (labelled("nvidia.com/gpu-driver-upgrade-state", "drain-required"), "GPU Operator is upg"),
        (labelled("nvidia.com/gpu-driver-upgrade-state", "upgrade-failed"), "GPU Operator failed"),
        (labelled("nvidia.com/ofed-driver-upgrade-state", "cordon-required"), "of NVIDIA's is upg"),
        (annotated("weave.works/kured-reboot-in-progress", "2026-01-01T00:00:00Z"), "kured"),
        (annotated(f"{FLATCAR}/reboot-in-progress", "true"), "is rebooting it"),
        (annotated(f"{FLATCAR}/reboot-ok", "true"), "is rebooting it"),
        (labelled(f"{FLATCAR}/before-reboot", "true"), "is rebooting it"),
        (annotated("container-linux-update.v1.coreos.com/reboot-ok", "true"), "is rebooting it"),
        (annotated("machineconfiguration.openshift.io/state", "Working"), "Machine Config"),
        (tainted("karpenter.sh/disrupted"), "Karpenter"),
        (tainted("karpenter.sh/disruption", value="disrupting"), "Karpenter"),
        (tainted("ToBeDeletedByClusterAutoscaler", value="1700000000"), "autoscaler"),
        (tainted("medik8s.io/drain"), "in maintenance"),
        (tainted("node.kubernetes.io/out-of-service", "NoExecute"), "out of service"),
        (Node(name="n", holds=("it is in maintenance (x)",)), "it is in maintenance (x)"),
    ],
    ids=lambda item: item if isinstance(item, str) else "",
)
def test_a_node_that_others_work_on_is_held_by_them(node: Node, who: str) -> None:
    assert who in foreign_hold(node, "mine-1")


@pytest.mark.parametrize(
    "node",
    [
        Node(name="n", unschedulable=True),
        annotated(HELD_BY, "mine-1"),
        labelled("nvidia.com/gpu-driver-upgrade-state", "upgrade-done"),
        labelled("nvidia.com/gpu-driver-upgrade-enabled", "true"),
        annotated(f"{FLATCAR}/reboot-needed", "true"),
        annotated(f"{FLATCAR}/reboot-in-progress", "false"),
        annotated("machineconfiguration.openshift.io/state", "Done"),
        tainted("DeletionCandidateOfClusterAutoscaler", "PreferNoSchedule"),
        tainted("nvidia.com/gpu"),
    ],
    ids=["cordoned", "ours", "done", "enabled", "needed", "off", "mcd done", "candidate", "taint"],
)
def test_a_node_that_nobody_works_on_is_free(node: Node) -> None:
    assert foreign_hold(node, "mine-1") == ""


def maintenance(group: str, node: str, **rest: object) -> JsonObject:
    spec: JsonObject = {"nodeName": node, "requestorID": "network.example"}
    if "medik8s" in group:
        spec = {"nodeName": node, "reason": "new memory"}
    base = {"apiVersion": f"{group}/v1", "kind": "NodeMaintenance", "metadata": {"name": "m"}}
    return {**base, "spec": spec, **rest}  # type: ignore[dict-item]


def ready(reason: str) -> dict[str, object]:
    return {"status": {"conditions": [{"type": "Ready", "status": "False", "reason": reason}]}}


@pytest.mark.parametrize("reason", ["Scheduled", "Cordon", "Draining", "Ready", "RequestorFailed"])
def test_nvidias_maintenance_holds_its_node_from_when_it_is_scheduled(reason: str) -> None:
    item = maintenance("maintenance.nvidia.com", "n", **ready(reason))
    assert maintenance_holds([item]) == {
        "n": (
            "it is in maintenance "
            f"(nodemaintenance.maintenance.nvidia.com m: network.example, {reason})",
        )
    }


@pytest.mark.parametrize("rest", [{}, ready("Pending")], ids=["new", "pending"])
def test_nvidias_maintenance_that_is_only_requested_holds_nothing(rest: dict[str, object]) -> None:
    assert maintenance_holds([maintenance("maintenance.nvidia.com", "n", **rest)]) == {}


@pytest.mark.parametrize("phase", ["", "Running", "Succeeded", "Failed"])
def test_a_maintenance_of_medik8s_holds_its_node_as_long_as_it_is_there(phase: str) -> None:
    item = maintenance("nodemaintenance.medik8s.io", "n", status={"phase": phase})
    (words,) = maintenance_holds([item])["n"]
    assert "nodemaintenance.nodemaintenance.medik8s.io m: new memory" in words


LOCK = (
    '{"nodeID":"n1","metadata":{"unschedulable":false},"created":"2026-01-01T00:00:00.123456789Z"'
)
CREATED = 1767225600.0


@pytest.mark.parametrize(
    ("annotation", "nodes"),
    [
        (f'{LOCK},"TTL":0}}', ["n1"]),
        (f'{LOCK},"TTL":3600000000000}}', ["n1"]),
        (f'{LOCK},"TTL":1000000000}}', []),
        (f'{{"maxOwners":2,"locks":[{LOCK},"TTL":0}},{{"nodeID":"n2"}}]}}', ["n1", "n2"]),
        ('{"nodeID":"manual"}', ["manual"]),
        ("", []),
        ("no json", []),
        ("[]", []),
    ],
    ids=["for ever", "for an hour", "over", "two", "by hand", "none", "no json", "no lock"],
)
def test_kureds_lock_names_the_nodes_that_it_reboots(annotation: str, nodes: list[str]) -> None:
    found = lock_holds(annotation, "daemonset/kube-system/kured", CREATED + 60)
    assert sorted(found) == nodes


def test_everything_that_holds_a_node_is_told() -> None:
    holds = joined({"a": ("x",)}, {"a": ("y",), "b": ("z",)}, dict(unknown_holds(["c"], "no")))
    nodes = with_holds([Node(name=name) for name in "abcd"], holds)
    assert [foreign_hold(node) for node in nodes] == [
        "x; y",
        "z",
        "whether it is in maintenance is not known: no",
        "",
    ]
