"""Recorded clusters read like live ones; what is missing in a recording is never fine."""

from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from bridgehead.app.recorded import NoTimeError, read_recorded, snapshot_of
from bridgehead.core.inventory.build import build_inventory
from bridgehead.core.inventory.record import record, recorded
from bridgehead.core.model.device import Offer
from bridgehead.core.model.json import children
from bridgehead.core.model.node import Node, Taint
from bridgehead.core.model.pod import Container, Pod
from bridgehead.core.model.snapshot import Snapshot
from bridgehead.report.inventory import pretty_json
from bridgehead.sources.inventory_file import InventoryFileError
from tests.core.inventory.cluster import GPU, component, daemon_pod, snapshot

NODE: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "Node",
    "metadata": {"name": "n1", "creationTimestamp": "1970-01-01T00:01:00Z"},
    "status": {"capacity": {GPU: 2}, "allocatable": {GPU: "2"}},
}


def reread(cluster: Snapshot) -> Snapshot:
    """The snapshot after it was saved and read again."""
    objects = children(msgspec.json.decode(msgspec.json.encode(recorded(cluster))), "objects")
    return snapshot_of(objects, at=cluster.at, server=cluster.server)


def test_a_saved_cluster_has_the_same_inventory() -> None:
    assert build_inventory(reread(snapshot())) == build_inventory(snapshot())


NAMES = st.sampled_from(["n1", "n2", "n3", "n4"])
TEXT = st.sampled_from(["", "a", "b"])
OFFERS = st.dictionaries(
    st.sampled_from([GPU, "nvidia.com/gpu", "other.com/x"]),
    st.builds(Offer, capacity=st.integers(0, 3), allocatable=st.integers(0, 3)),
)
NODES = st.lists(
    st.builds(
        Node,
        name=NAMES,
        labels=st.dictionaries(st.sampled_from(["pool", "nvidia.com/gpu.product"]), TEXT),
        taints=st.lists(st.builds(Taint, key=TEXT, effect=TEXT, value=TEXT)).map(tuple),
        unschedulable=st.booleans(),
        ready=st.sampled_from([True, False, None]),
        offers=OFFERS,
        kernel=TEXT,
        kubelet=st.sampled_from(["v1.37.2", "v1.36.0"]),
    ),
    unique_by=lambda node: node.name,
).map(tuple)
CONTAINERS = st.lists(
    st.builds(
        Container,
        name=st.sampled_from(["c", "d"]),
        image=TEXT,
        image_id=TEXT,
        ready=st.booleans(),
        restarts=st.integers(0, 2),
    ),
    min_size=1,
    unique_by=lambda item: item.name,
).map(tuple)
PODS = st.lists(
    st.one_of(
        st.builds(
            daemon_pod,
            st.builds(component, st.sampled_from(["dp", "dq"])),
            NAMES,
            bound=st.booleans(),
            deleting=st.booleans(),
            ready=st.booleans(),
            containers=CONTAINERS,
        ),
        st.builds(
            Pod,
            namespace=st.just("apps"),
            name=st.sampled_from(["p", "q"]),
            uid=st.just("u"),
            node=NAMES,
            bound=st.just(True),
            phase=st.sampled_from(["Running", "Failed"]),
            requests=st.dictionaries(st.just(GPU), st.integers(1, 3)),
            containers=CONTAINERS,
        ),
    ),
    unique_by=lambda pod: pod.ref,
).map(tuple)


@given(NODES, PODS)
def test_every_saved_cluster_has_the_same_inventory(
    nodes: tuple[Node, ...], pods: tuple[Pod, ...]
) -> None:
    cluster = snapshot(nodes=nodes, pods=pods, components=(component("dp"), component("dq")))
    assert build_inventory(reread(cluster)) == build_inventory(cluster)


def test_saving_again_what_was_read_gives_the_same_bytes() -> None:
    first = record(snapshot(), build_inventory(snapshot()))
    again = reread(snapshot())
    assert pretty_json(record(again, build_inventory(again))) == pretty_json(first)


def write(folder: Path, *objects: dict[str, Any]) -> Path:
    (folder / "objects.yaml").write_text(yaml.safe_dump_all(objects), encoding="utf-8")
    return folder


def test_kinds_that_were_not_recorded_are_unread(tmp_path: Path) -> None:
    found = read_recorded(write(tmp_path, NODE)).snapshot
    assert [item.what for item in found.unread] == ["pods", "daemonsets", "controllerrevisions"]
    assert (found.at, found.nodes[0].offers) == (60.0, {GPU: Offer(2, 2)})


def test_a_recording_may_say_that_a_kind_is_complete(tmp_path: Path) -> None:
    (tmp_path / "recorded.yaml").write_text(
        "complete: [Pod, DaemonSet, ControllerRevision]\n", encoding="utf-8"
    )
    assert read_recorded(write(tmp_path, NODE)).snapshot.unread == ()


def test_an_object_of_a_wrong_form_is_unread_and_the_rest_is_read(tmp_path: Path) -> None:
    broken = {**NODE, "metadata": {"name": "n2", "labels": ["a"]}}
    found = read_recorded(write(tmp_path, NODE, broken), at=70.0).snapshot
    assert [node.name for node in found.nodes] == ["n1"]
    assert any(item.what == "nodes n2" for item in found.unread)
    assert found.at == 70.0


def test_a_recording_without_any_time_asks_for_one(tmp_path: Path) -> None:
    timeless = {**NODE, "metadata": {"name": "n1"}}
    with pytest.raises(NoTimeError, match="--at"):
        read_recorded(write(tmp_path, timeless))
    assert read_recorded(tmp_path, at=5.0).snapshot.at == 5.0


def test_terminating_namespaces_are_known(tmp_path: Path) -> None:
    namespace = {
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {"name": "old"},
        "status": {"phase": "Terminating"},
    }
    assert read_recorded(write(tmp_path, NODE, namespace)).snapshot.namespaces_terminating == (
        "old",
    )


def save(folder: Path, cluster: Snapshot) -> Path:
    path = folder / "saved.json"
    path.write_text(pretty_json(record(cluster, build_inventory(cluster))), encoding="utf-8")
    return path


def test_an_inventory_file_reads_back_with_time_and_server(tmp_path: Path) -> None:
    found = read_recorded(save(tmp_path, snapshot())).snapshot
    assert (found.at, found.server) == (1000.0, "v1.37.2")
    assert build_inventory(found) == build_inventory(snapshot())


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("{", "is no inventory"),
        ("[]", "is no inventory"),
        ("{}", "it has no schema"),
        ('{"schema": "bridgehead.dev/plan/v1"}', "its schema is 'bridgehead.dev/plan/v1'"),
        ('{"schema": "bridgehead.dev/inventory/v1"}', "holds no snapshot"),
    ],
)
def test_a_file_that_is_no_inventory_is_refused(tmp_path: Path, content: str, reason: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InventoryFileError, match=reason):
        read_recorded(path)


def test_an_edited_inventory_is_refused(tmp_path: Path) -> None:
    path = save(tmp_path, snapshot())
    path.write_text(path.read_text(encoding="utf-8").replace("6.18", "6.19"), encoding="utf-8")
    with pytest.raises(InventoryFileError, match="was changed after it was saved"):
        read_recorded(path)
