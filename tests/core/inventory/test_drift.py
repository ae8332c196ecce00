"""Drift names what ought to stay and has not stayed, and nothing that changes by itself."""

import msgspec
import pytest

from bridgehead.core.inventory.build import build_inventory
from bridgehead.core.inventory.drift import Difference, drift
from bridgehead.core.model.device import Offer
from bridgehead.core.model.snapshot import Snapshot
from tests.core.inventory.cluster import (
    GPU,
    component,
    daemon_pod,
    node,
    snapshot,
    template,
    workload,
)

BEFORE = snapshot()
DP = "daemonset/ns/dp"


def changes(after: Snapshot, before: Snapshot = BEFORE) -> list[tuple[str, str, str, str]]:
    found = drift(build_inventory(before), build_inventory(after))
    return [(item.object, item.what, item.before, item.after) for item in found]


def with_node(**fields: object) -> Snapshot:
    first, *others = BEFORE.nodes
    changed = msgspec.structs.replace(first, **fields)
    return msgspec.structs.replace(BEFORE, nodes=(changed, *others))


def test_a_cluster_does_not_differ_from_itself() -> None:
    assert changes(BEFORE) == []


def test_use_names_ages_and_time_do_not_count() -> None:
    renamed = daemon_pod(component(), "n1", name="dp-other", uid="other", created=90.0)
    after = msgspec.structs.replace(
        BEFORE,
        at=2000.0,
        pods=(renamed, BEFORE.pods[1], workload("other", "n2", 1), workload("late", "n3", 1)),
    )
    assert changes(after) == []


def test_cordon_and_readiness_do_not_count() -> None:
    assert changes(with_node(unschedulable=True, ready=False, annotations={"a": "b"})) == []


@pytest.mark.parametrize(
    ("field", "value", "what", "before"),
    [
        ("kernel", "6.2", "kernel", "6.1"),
        ("os_image", "Debian 13", "operating system", "Debian 12"),
        ("runtime", "containerd://3", "runtime", "containerd://2.4.2"),
        ("kubelet", "v1.38.0", "kubelet", "v1.37.2"),
    ],
)
def test_versions_of_a_node_count_and_show_in_its_cohort(
    field: str, value: str, what: str, before: str
) -> None:
    found = changes(with_node(**{field: value}))
    assert ("node/n1", what, before, value) in found
    assert [item[1] for item in found] == sorted(["cohort", what])


def test_devices_count() -> None:
    assert changes(with_node(offers={GPU: Offer(2, 1)})) == [
        ("node/n1", f"{GPU} allocatable", "2", "1")
    ]


def test_a_dead_name_is_the_same_as_none() -> None:
    after = with_node(offers={GPU: Offer(2, 2), "old.com/name": Offer(0, 0)})
    assert changes(after) == []


def test_labels_that_matter_count_and_others_do_not() -> None:
    labels = {"nvidia.com/cuda.driver.major": "580", "nvidia.com/gfd.timestamp": "7", "x": "y"}
    assert changes(with_node(labels=labels)) == [
        ("node/n1", "label nvidia.com/cuda.driver.major", "absent", "580")
    ]


def test_image_and_revision_of_the_component_count() -> None:
    changed = component(template=template("example.com/plugin:2"))
    after = msgspec.structs.replace(BEFORE, components=(changed,))
    assert changes(after) == [
        (DP, "image of plugin", "example.com/plugin:1", "example.com/plugin:2"),
        (DP, "revision", "h1", ""),
    ]


def test_revision_and_digest_on_a_node_count() -> None:
    pod = BEFORE.pods[0]
    (container,) = pod.containers
    changed = msgspec.structs.replace(
        pod,
        labels={"controller-revision-hash": "h2"},
        containers=(msgspec.structs.replace(container, image_id="example.com/plugin@sha256:2"),),
    )
    after = msgspec.structs.replace(BEFORE, pods=(changed, *BEFORE.pods[1:]))
    on = f"{DP} on node/n1"
    assert changes(after) == [
        (on, "digest of plugin", "example.com/plugin@sha256:1", "example.com/plugin@sha256:2"),
        (on, "revision", "h1", "h2"),
    ]


def test_a_node_that_came_or_went_is_one_difference() -> None:
    after = msgspec.structs.replace(BEFORE, nodes=(*BEFORE.nodes[:2], node("n9")))
    assert changes(after) == [
        ("node/n3", "existence", "present", "absent"),
        ("node/n9", "existence", "absent", "present"),
    ]


def test_drift_is_the_same_backwards_with_the_sides_swapped() -> None:
    after = with_node(kernel="6.2", offers={})
    forward = drift(build_inventory(BEFORE), build_inventory(after))
    backward = drift(build_inventory(after), build_inventory(BEFORE))
    swapped = [Difference(i.object, i.what, i.after, i.before) for i in backward]
    assert sorted(swapped) == list(forward)
