"""Leased nodes are exclusive, dressed as asked, and clean again afterwards."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import pytest

from testbed.cluster import Cluster
from testbed.errors import TestbedError
from testbed.leases import leased, restoring_patch

HOLDER = """
import sys, time
from testbed.cluster import Cluster
from testbed.leases import leased
with leased(Cluster(sys.argv[1]), 2):
    print("held", flush=True)
    time.sleep(600)
"""


@pytest.mark.cluster
def test_a_second_taker_waits_until_the_first_gives_back(own_cluster: Cluster) -> None:
    given_back = Event()

    def second() -> bool:
        with leased(own_cluster, 2):
            return given_back.is_set()

    with ThreadPoolExecutor(1) as pool:
        with leased(own_cluster, 1):
            waiting = pool.submit(second)
            with pytest.raises(TimeoutError):
                waiting.result(timeout=1)
            given_back.set()
        assert waiting.result(timeout=60)


@pytest.mark.cluster
def test_more_nodes_than_there_are_is_an_error(own_cluster: Cluster) -> None:
    with (
        pytest.raises(TestbedError, match=r"3 nodes wanted, but cluster .* lends 2"),
        leased(own_cluster, 3),
    ):
        pytest.fail("nodes that do not exist were leased")


@pytest.mark.cluster
def test_nodes_carry_their_own_labels_and_the_taints(own_cluster: Cluster) -> None:
    taint = {"key": "example.com/busy", "value": "yes", "effect": "NoSchedule"}
    labels = [{"card": "a"}, {"card": "b"}]
    with leased(own_cluster, 2, labels, [taint]) as nodes:
        found = [own_cluster.api.get(f"/api/v1/nodes/{node.name}") for node in nodes]
        assert [node["metadata"]["labels"]["card"] for node in found] == ["a", "b"]
        assert all(taint in node["spec"]["taints"] for node in found)


@pytest.mark.cluster
def test_a_node_given_back_dirty_is_restored(own_cluster: Cluster) -> None:
    with leased(own_cluster, 1, {"mine": "yes"}) as (node,):
        path = f"/api/v1/nodes/{node.name}"
        dirt = {"metadata": {"annotations": {"bridgehead.dev/x": "y"}}}
        own_cluster.api.patch(path, dirt | {"spec": {"unschedulable": True}})
        node.stop_kubelet(kill=True)
        node.containerd.freeze()
        node.cut_network()

    found = own_cluster.api.get(path)
    assert restoring_patch(found) == {}
    assert "unschedulable" not in found["spec"]
    assert node.name in own_cluster.ready_nodes()


@pytest.mark.cluster
def test_the_nodes_of_a_killed_holder_are_free(own_cluster: Cluster) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, own_cluster.name],
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
        env=dict(os.environ),
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        holder.kill()
    with leased(own_cluster, 2, timeout=10) as nodes:
        assert len(nodes) == 2


def test_what_kubernetes_itself_puts_on_a_node_stays() -> None:
    node = {
        "metadata": {
            "labels": {"kubernetes.io/os": "linux", "beta.kubernetes.io/os": "linux"},
            "annotations": {"volumes.kubernetes.io/controller-managed-attach-detach": "true"},
        },
        "spec": {"taints": [{"key": "node.kubernetes.io/not-ready", "effect": "NoExecute"}]},
    }
    assert restoring_patch(node) == {}


def test_all_else_goes() -> None:
    node = {
        "metadata": {"labels": {"card": "a"}, "annotations": {"bridgehead.dev/x": "y"}},
        "spec": {
            "taints": [{"key": "busy"}, {"key": "node.kubernetes.io/not-ready"}],
            "unschedulable": True,
        },
    }
    assert restoring_patch(node) == {
        "metadata": {"labels": {"card": None}, "annotations": {"bridgehead.dev/x": None}},
        "spec": {"taints": [{"key": "node.kubernetes.io/not-ready"}], "unschedulable": None},
    }
