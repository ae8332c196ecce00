"""The inventory says what runs where, who holds what, and what is not known."""

import random

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridgehead.core.inventory.build import MANY_COHORTS, build_inventory
from bridgehead.core.inventory.view import Conflict, DeadName, Holder, NodeRow, ResourceView
from bridgehead.core.model.confidence import Confidence
from bridgehead.core.model.device import Offer
from bridgehead.core.model.pod import Pod
from bridgehead.core.model.snapshot import Snapshot, Unread
from tests.core.inventory.cluster import (
    GPU,
    PATH,
    component,
    daemon_pod,
    node,
    snapshot,
    template,
    workload,
)

REF = "daemonset/ns/dp"


def row(name: str, of: Snapshot) -> NodeRow:
    found = build_inventory(of).node(name)
    assert found is not None
    return found


def resource(name: str, of: Snapshot) -> ResourceView:
    return next(item for item in row(name, of).resources if item.resource == GPU)


def test_free_is_what_is_healthy_less_what_pods_hold() -> None:
    assert resource("n1", snapshot()) == ResourceView(
        resource=GPU,
        capacity=2,
        allocatable=2,
        in_use=1,
        free=1,
        holders=(Holder(pod="apps/train", count=1),),
        claimants=(REF,),
    )


def test_pods_that_ended_or_are_not_bound_hold_nothing() -> None:
    pods = (
        workload("done", "n1", 1, phase="Succeeded"),
        workload("waits", "n1", 1, bound=False),
    )
    assert resource("n1", snapshot(pods=pods)).in_use == 0


def test_use_is_unknown_where_pods_could_not_be_read() -> None:
    view = resource("n1", snapshot(unread=(Unread("pods of other namespaces", "forbidden"),)))
    assert (view.in_use, view.free, view.allocatable) == (None, None, 2)


def test_devices_held_on_a_node_that_no_longer_has_the_name_are_shown() -> None:
    pods = (workload("train", "n3", 1),)
    assert resource("n3", snapshot(pods=pods)).free == -1


def test_component_shows_standing_revision_owner_pods_and_eligible_nodes() -> None:
    (item,) = build_inventory(snapshot()).components
    assert (item.ref, item.revision, item.update_strategy) == (REF, "h1", "RollingUpdate")
    assert (item.owners, item.desired, item.ready) == (("helm ns/release",), 2, 2)
    assert item.eligible == ("n1", "n2")
    assert (item.resources, item.confidence) == ((GPU,), Confidence.MEDIUM)
    assert [pod.node for pod in item.pods] == ["n1", "n2"]
    assert item.pods[0].containers[0].image_id == "example.com/plugin@sha256:1"


def test_a_template_that_no_revision_holds_has_no_revision() -> None:
    assert build_inventory(snapshot(revisions=())).components[0].revision == ""


def test_a_workload_that_is_no_plugin_is_left_out() -> None:
    agent = component("agent", template={"spec": {"containers": [{"name": "a", "image": "b"}]}})
    assert build_inventory(snapshot(components=(agent,))).components == ()


def test_two_claimants_on_a_node_are_a_conflict() -> None:
    first = component("a", template=template("nvidia/k8s-device-plugin:1"))
    second = component("b", template=template("nvidia/k8s-device-plugin:2"))
    offers = {"nvidia.com/gpu": Offer(1, 1)}
    found = build_inventory(
        snapshot(
            components=(first, second),
            nodes=(node("n1", offers=offers), node("n2", offers=offers)),
            pods=(daemon_pod(first, "n1"), daemon_pod(second, "n1"), daemon_pod(second, "n2")),
        )
    )
    assert found.conflicts == (
        Conflict(
            resource="nvidia.com/gpu",
            node="n1",
            claimants=("daemonset/ns/a", "daemonset/ns/b"),
        ),
    )


def test_a_name_without_devices_and_claimant_is_dead() -> None:
    nodes = (node("n1", Offer(0, 0)), node("n2", offers={"old.com/gpu": Offer(0, 0)}))
    found = build_inventory(snapshot(nodes=nodes, pods=(daemon_pod(component(), "n1"),)))
    assert DeadName(resource="old.com/gpu", nodes=("n2",)) in found.dead_names


def test_a_static_pod_that_registers_devices_is_not_overlooked() -> None:
    static = Pod(
        namespace="kube-system",
        name="dp-n3",
        uid="s",
        node="n3",
        owner_kind="Node",
        owner_name="n3",
        phase="Running",
        host_paths=(PATH,),
    )
    (other,) = build_inventory(snapshot(pods=(static,))).others
    assert (other.ref, other.nodes) == ("pod/kube-system/dp-n3", ("n3",))


def test_labels_of_placement_and_devices_are_kept_and_changing_ones_left_out() -> None:
    labels = {"pool": "gpu", "nvidia.com/gpu.count": "8", "nvidia.com/gfd.timestamp": "1", "x": "y"}
    plugin = component(template=template(nodeSelector={"pool": "gpu"}))
    found = row("n1", snapshot(nodes=(node("n1", labels=labels),), components=(plugin,)))
    assert found.labels == {"nvidia.com/gpu.count": "8", "pool": "gpu"}


def test_node_row_tells_taints_roles_and_scheduling() -> None:
    found = row(
        "n3",
        snapshot(
            nodes=(
                node(
                    "n3",
                    labels={"node-role.kubernetes.io/worker": ""},
                    unschedulable=True,
                    annotations={"bridgehead.dev/held-by": "run-1"},
                    ready=None,
                ),
            )
        ),
    )
    assert (found.roles, found.schedulable, found.held_by) == (("worker",), False, "run-1")
    assert found.ready is None


@pytest.mark.parametrize(
    ("kubelet", "skew"),
    [
        ("v1.37.0", "same"),
        ("v1.34.9-gke.1", "supported"),
        ("v1.33.1", "unsupported: 4 minor versions behind the API server"),
        ("v1.38.0", "unsupported: newer than the API server"),
        ("", "unknown"),
    ],
)
def test_skew_follows_the_policy(kubelet: str, skew: str) -> None:
    found = build_inventory(snapshot(nodes=(node("n1", kubelet=kubelet),)))
    assert [item.skew for item in found.kubelets] == [skew]


def test_many_cohorts_name_the_key_that_splits() -> None:
    nodes = tuple(node(f"n{number}", kernel=f"6.{number}") for number in range(MANY_COHORTS + 1))
    assert build_inventory(snapshot(nodes=nodes)).splitting_key == "kernel"
    assert build_inventory(snapshot(nodes=nodes[1:])).splitting_key == ""


@given(st.randoms(use_true_random=False))
def test_order_of_the_input_does_not_matter(shuffler: random.Random) -> None:
    whole = snapshot(
        components=(component("a"), component("b")),
        pods=(*snapshot().pods, daemon_pod(component("a"), "n1"), daemon_pod(component("b"), "n2")),
        unread=(Unread("namespaces", "forbidden"), Unread("events", "forbidden")),
    )
    shuffled = msgspec.structs.replace(
        whole,
        **{
            field: tuple(shuffler.sample(items, len(items)))
            for field in ("nodes", "pods", "components", "revisions", "unread")
            if (items := getattr(whole, field))
        },
    )
    encoder = msgspec.json.Encoder()
    assert encoder.encode(build_inventory(shuffled)) == encoder.encode(build_inventory(whole))
