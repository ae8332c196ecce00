"""What a node survives, and what the cluster sees of it."""

import uuid
from typing import Any

import pytest

from testbed.base_image import BASE_IMAGE
from testbed.cluster import Cluster
from tests.testbed.conftest import until

pytestmark = pytest.mark.cluster


def create_pod(cluster: Cluster, node: str, **spec: Any) -> str:
    """Create a pod on a node in the namespace `default` and wait until it is Ready."""
    name = f"pod-{uuid.uuid4().hex[:8]}"
    cluster.api.create(
        "/api/v1/namespaces/default/pods",
        {
            "metadata": {"name": name},
            "spec": {
                "nodeName": node,
                "tolerations": [{"operator": "Exists"}],
                "containers": [{"name": "main", "image": BASE_IMAGE}],
                **spec,
            },
        },
    )
    until(lambda: pod_ready(cluster, name))
    return name


def pod_ready(cluster: Cluster, name: str) -> bool:
    pod = cluster.api.get(f"/api/v1/namespaces/default/pods/{name}")
    conditions = pod["status"].get("conditions", [])
    return any(c["type"] == "Ready" and c["status"] == "True" for c in conditions)


def container(cluster: Cluster, name: str) -> tuple[str, int]:
    """Id and restart count of a pod's container."""
    pod = cluster.api.get(f"/api/v1/namespaces/default/pods/{name}")
    status = pod["status"]["containerStatuses"][0]
    return status["containerID"], status["restartCount"]


@pytest.mark.parametrize("kill", [False, True])
def test_pods_survive_a_restart_of_kubelet_and_containerd(own_cluster: Cluster, kill: bool) -> None:
    node = own_cluster.nodes["node-1"]
    pod = create_pod(own_cluster, node.name)
    before = container(own_cluster, pod)
    pids = node.kubelet.pid, node.containerd.pid

    node.stop_kubelet(kill=kill)
    node.restart_containerd(kill=kill)
    node.start_kubelet()

    assert None not in pids
    assert node.kubelet.pid not in (None, *pids)
    assert node.containerd.pid not in (None, *pids)
    later = create_pod(own_cluster, node.name)
    assert container(own_cluster, pod) == before
    assert container(own_cluster, later)[1] == 0


def test_a_node_without_network_becomes_not_ready_and_comes_back(own_cluster: Cluster) -> None:
    node = own_cluster.nodes["node-2"]
    node.cut_network()
    try:
        until(lambda: node.name not in own_cluster.ready_nodes())
    finally:
        node.restore_network()
    own_cluster.wait_ready([node.name])


def test_a_frozen_kubelet_becomes_not_ready_and_repair_brings_it_back(own_cluster: Cluster) -> None:
    node = own_cluster.nodes["node-2"]
    node.kubelet.freeze()
    try:
        until(lambda: node.name not in own_cluster.ready_nodes())
    finally:
        node.repair()
    own_cluster.wait_ready([node.name])


def test_a_pod_of_a_high_priority_class_starts(own_cluster: Cluster) -> None:
    create_pod(own_cluster, "node-1", priorityClassName="system-node-critical", hostNetwork=True)


def test_a_pod_reaches_the_api_server_by_the_service_address(own_cluster: Cluster) -> None:
    probe = 'test -n "$(wget -S -O- http://$KUBERNETES_SERVICE_HOST:443 2>&1 | grep 400)"'
    create_pod(
        own_cluster,
        "node-1",
        containers=[
            {
                "name": "main",
                "image": BASE_IMAGE,
                "readinessProbe": {"exec": {"command": ["sh", "-c", probe]}, "periodSeconds": 1},
            }
        ],
    )


def test_a_node_sees_its_own_device_plugin_folder(own_cluster: Cluster) -> None:
    folders = [
        node.host_path("/var/lib/kubelet/device-plugins") for node in own_cluster.nodes.values()
    ]
    assert all((folder / "kubelet.sock").is_socket() for folder in folders)
    assert len(set(folders)) == len(folders)


def test_an_added_node_runs_pods_and_a_removed_one_is_gone(own_cluster: Cluster) -> None:
    node = own_cluster.add_node("joiner")
    pod = create_pod(own_cluster, "joiner")

    own_cluster.remove_node("joiner")

    assert "joiner" not in own_cluster.nodes
    assert "joiner" not in own_cluster.ready_nodes()
    assert not node.folder.exists()
    pods = own_cluster.api.get("/api/v1/namespaces/default/pods")["items"]
    assert pod not in [item["metadata"]["name"] for item in pods]
    again = own_cluster.add_node("joiner")
    assert again.number == node.number
    create_pod(own_cluster, "joiner")
    own_cluster.remove_node("joiner")
