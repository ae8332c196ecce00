"""Nodes fall into cohorts by what they are, and by nothing else."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridgehead.core.inventory.cohort import (
    UNKNOWN,
    cohort_of,
    cohorts_of,
    device_of,
    short_names,
    splitting_key,
)
from bridgehead.core.model.device import Offer
from bridgehead.core.model.node import Node
from bridgehead.core.plan.settings import CohortKey

N1 = Node(
    name="n1",
    offers={"vendor.com/gpu": Offer(8, 8)},
    os_image="Debian 12",
    kernel="6.1",
    runtime="containerd://2.4.2",
    arch="amd64",
    kubelet="v1.37.2",
)
PCI = "feature.node.kubernetes.io/pci-0302_10de.present"


@pytest.mark.parametrize(
    ("node", "device"),
    [
        (Node(name="n", labels={"nvidia.com/gpu.product": "A100", PCI: "true"}), "A100"),
        (Node(name="n", labels={PCI: "true"}, offers={"a.b/c": Offer(1, 1)}), "pci-0302_10de"),
        (Node(name="n", labels={PCI: "false"}, offers={"a.b/c": Offer(1, 1)}), "a.b/c"),
        (
            Node(name="n", labels={"feature.node.kubernetes.io/pci-10de.present": "true"}),
            "pci-10de",
        ),
        (Node(name="n", labels={"feature.node.kubernetes.io/pci-0200_8086.present": "true"}), ""),
        (Node(name="n", offers={"b.c/d": Offer(1, 0), "a.b/c": Offer(2, 2)}), "a.b/c,b.c/d"),
        (Node(name="n", offers={"dead.com/name": Offer(0, 0)}), ""),
    ],
)
def test_device_is_the_first_thing_that_tells_it(node: Node, device: str) -> None:
    assert device_of(node) == device


def test_the_name_lists_all_values_in_the_order_of_the_keys() -> None:
    assert (
        cohort_of(N1).name
        == "vendor.com/gpu / Debian 12 / 6.1 / containerd://2.4.2 / amd64 / v1.37.2"
    )
    assert cohort_of(N1, (CohortKey.ARCH, CohortKey.OS)).name == "amd64 / Debian 12"


def test_nodes_that_do_not_tell_are_a_cohort_of_their_own() -> None:
    silent = msgspec.structs.replace(N1, name="n2", kernel="")
    assert cohort_of(silent).value(CohortKey.KERNEL) == UNKNOWN
    assert cohort_of(silent) != cohort_of(N1)


def test_a_broken_card_does_not_make_another_kind_of_node() -> None:
    broken = msgspec.structs.replace(N1, offers={"vendor.com/gpu": Offer(7, 7)})
    assert cohort_of(broken) == cohort_of(N1)


def test_the_largest_cohort_comes_first_and_nodes_are_sorted() -> None:
    nodes = [
        msgspec.structs.replace(N1, name=name, arch=arch)
        for name, arch in [("c", "arm64"), ("b", "arm64"), ("a", "amd64")]
    ]
    groups = cohorts_of(nodes)
    assert [[node.name for node in members] for members in groups.values()] == [["b", "c"], ["a"]]


def test_the_key_that_splits_is_the_one_whose_loss_leaves_fewest() -> None:
    nodes = [
        msgspec.structs.replace(N1, name=f"n{number}", kernel=f"6.{number}", arch=arch)
        for number, arch in enumerate(["amd64", "arm64", "amd64", "arm64"])
    ]
    assert splitting_key(map(cohort_of, nodes)) is CohortKey.KERNEL


def test_no_key_splits_one_cohort() -> None:
    assert splitting_key([cohort_of(N1)]) is None
    assert splitting_key([]) is None


def test_short_names_show_only_what_differs() -> None:
    other = msgspec.structs.replace(N1, arch="arm64")
    assert list(short_names([cohort_of(N1), cohort_of(other)]).values()) == ["amd64", "arm64"]
    assert list(short_names([cohort_of(N1)]).values()) == ["vendor.com/gpu"]


NODES = st.lists(
    st.builds(
        Node,
        name=st.sampled_from("abcdef"),
        kernel=st.sampled_from(["", "6.1", "6.18"]),
        arch=st.sampled_from(["amd64", "arm64"]),
    ),
    unique_by=lambda node: node.name,
)


@given(NODES, st.randoms(use_true_random=False))
def test_order_of_the_nodes_does_not_matter(nodes: list[Node], random: object) -> None:
    shuffled = list(nodes)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert list(cohorts_of(shuffled).items()) == list(cohorts_of(nodes).items())


@given(NODES)
def test_every_node_is_in_exactly_one_cohort(nodes: list[Node]) -> None:
    members = [node for group in cohorts_of(nodes).values() for node in group]
    assert sorted(node.name for node in members) == sorted(node.name for node in nodes)
