"""The inventory as a page."""

import json

from bridgehead.core.inventory.build import build_inventory
from bridgehead.core.inventory.drift import Difference
from bridgehead.core.model.device import Offer
from bridgehead.core.model.snapshot import Snapshot, Unread
from bridgehead.report.inventory import (
    drift_json,
    drift_text,
    inventory_json,
    inventory_markdown,
    inventory_text,
)
from tests.core.inventory.cluster import component, daemon_pod, node, snapshot


def page(of: Snapshot) -> str:
    return inventory_text(build_inventory(of))


def test_the_page_of_a_small_cluster() -> None:
    assert (
        page(snapshot())
        == """\
Cluster as of 1970-01-01T00:16:40.000Z
  API server v1.37.2
  kubelet v1.37.2 on 3 nodes

Cohorts
  NODES  DEVICE          OS         KERNEL  RUNTIME             ARCH   KUBELET
  1      vendor.com/gpu  Debian 12  6.1     containerd://2.4.2  amd64  v1.37.2
  1      vendor.com/gpu  Debian 12  6.18    containerd://2.4.2  amd64  v1.37.2

Device plugins
  COMPONENT        FAMILY   RESOURCES       PODS READY  STRATEGY       OWNER
  daemonset/ns/dp  generic  vendor.com/gpu  2/2         RollingUpdate  helm ns/release
  daemonset/ns/dp: plugin=example.com/plugin:1
  daemonset/ns/dp: revision h1 on all its pods
  daemonset/ns/dp: resources inferred, confidence medium: offered only on nodes with its pods

Nodes
  NODE  STATUS  RESOURCE        CAPACITY  ALLOCATABLE  IN USE  FREE  HELD BY
  n1    Ready   vendor.com/gpu  2         2            1       1     apps/train
  n2    Ready   vendor.com/gpu  2         1            0       1     -
  1 node without devices and plugins
"""
    )


def test_mixed_revisions_are_told_with_their_nodes() -> None:
    plugin = component()
    other = daemon_pod(plugin, "n2", labels={"controller-revision-hash": "h0"})
    found = page(snapshot(pods=(daemon_pod(plugin, "n1"), other)))
    assert "daemonset/ns/dp: revision h1 (standing) on n1" in found
    assert "daemonset/ns/dp: revision h0 on n2" in found


def test_a_component_under_a_rollout_says_so() -> None:
    plugin = component(annotations={"bridgehead.dev/run": "bridgehead/run-1/1"})
    assert "held by the rollout bridgehead/run-1/1" in page(snapshot(components=(plugin,)))


def test_a_node_that_a_rollout_holds_says_so() -> None:
    held = node("n1", unschedulable=True, annotations={"bridgehead.dev/held-by": "run-1"})
    assert "n1: held out of scheduling by the rollout run-1" in page(snapshot(nodes=(held,)))


def test_what_is_not_known_is_called_unknown() -> None:
    unread = (Unread("pods", "User me cannot list pods", "list pods"),)
    found = page(snapshot(unread=unread, server="", pods=()))
    assert "API server of unknown version" in found
    assert "n1    Ready   vendor.com/gpu  2         2            unknown  unknown  -" in found
    assert "  pods  list pods  User me cannot list pods" in found


def test_conflicts_and_dead_names_have_their_sections() -> None:
    first, second = component("a"), component("b")
    image = "nvidia/k8s-device-plugin:1"
    for item in (first, second):
        item.template["spec"]["containers"][0]["image"] = image  # type: ignore[index,call-overload]
    nodes = (
        node("n1", offers={"nvidia.com/gpu": Offer(1, 1)}),
        node("n2", offers={"old.com/x": Offer(0, 0)}),
    )
    pods = (daemon_pod(first, "n1"), daemon_pod(second, "n1"))
    found = page(snapshot(components=(first, second), nodes=nodes, pods=pods))
    assert "nvidia.com/gpu  n1    daemonset/ns/a, daemonset/ns/b" in found
    assert "Dead names (0/0, offered by nothing there)" in found


def test_a_page_of_ordinary_names_takes_100_columns_at_most() -> None:
    nodes = tuple(node(f"ip-10-0-12-{n}.internal", Offer(8, 8)) for n in range(3))
    table = [line for line in page(snapshot(nodes=nodes)).splitlines() if ": " not in line]
    assert max(map(len, table)) <= 100


def test_json_names_its_schema_and_what_was_not_read() -> None:
    found = json.loads(inventory_json(build_inventory(snapshot())))
    assert found["schema"] == "bridgehead.dev/inventory/v1"
    assert found["unread"] == []
    assert found["view"]["nodes"][0]["resources"][0]["inUse"] == 1


def test_markdown_has_the_same_sections() -> None:
    found = inventory_markdown(build_inventory(snapshot()))
    assert "## Cohorts" in found
    assert "| n1 | Ready | vendor.com/gpu | 2 | 2 | 1 | 1 | apps/train |" in found


def test_drift_is_a_row_a_difference() -> None:
    difference = Difference("node/n1", "kernel", "6.1", "6.2")
    assert drift_text((difference,)).splitlines()[2] == "  node/n1  kernel  6.1     6.2"
    assert "none in what was read" in drift_text(())
    assert json.loads(drift_json((difference,), ()))["differences"] == [
        {"object": "node/n1", "what": "kernel", "before": "6.1", "after": "6.2"}
    ]


def test_without_permission_to_read_daemonsets_nothing_is_said_of_plugins() -> None:
    unread = (Unread("daemonsets in namespace gpu", "User nobody cannot list", "list daemonsets"),)
    found = page(snapshot(unread=unread, components=(), pods=()))
    assert "no DaemonSet mounts" not in found
    assert "not read: whether a DaemonSet mounts the device plugin folder" in found
    assert "without devices and plugins" not in found


def test_without_permission_to_read_pods_no_plugin_is_said_to_be_unready() -> None:
    unread = (Unread("pods", "User nobody cannot list pods", "list pods"),)
    assert " unknown/2 " in page(snapshot(unread=unread, pods=()))
