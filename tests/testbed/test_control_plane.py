"""The control plane can be stopped and started, and tells who wrote what."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from testbed.cluster import Cluster
from testbed.errors import TestbedError
from testbed.parts import binary
from tests.testbed.conftest import until

pytestmark = pytest.mark.cluster


def test_objects_survive_a_restart_of_api_server_and_store(own_cluster: Cluster) -> None:
    path = "/api/v1/namespaces/default/configmaps"
    own_cluster.api.create(path, {"metadata": {"name": "kept"}, "data": {"a": "b"}})
    own_cluster.apiserver.stop()
    own_cluster.etcd.stop(kill=True)
    assert not own_cluster.api.ready()

    own_cluster.start_apiserver()

    assert own_cluster.api.get(f"{path}/kept")["data"] == {"a": "b"}
    own_cluster.wait_ready(own_cluster.nodes)


def test_a_killed_api_server_comes_back_and_nodes_stay_ready(own_cluster: Cluster) -> None:
    before = own_cluster.apiserver.pid
    own_cluster.restart_apiserver(kill=True)
    assert own_cluster.apiserver.pid not in (None, before)
    own_cluster.wait_ready(own_cluster.nodes)


def test_a_minted_user_is_known_by_name_and_groups(own_cluster: Cluster) -> None:
    kubeconfig = own_cluster.user_kubeconfig("ann@example.com", ["team:gpu", "viewers"])
    answer = subprocess.run(
        [binary("kubernetes", "kubectl"), "auth", "whoami", "-o", "json"],
        env={"KUBECONFIG": str(kubeconfig), "HOME": os.environ["HOME"]},
        capture_output=True,
        check=True,
    )
    user = json.loads(answer.stdout)["status"]["userInfo"]
    assert user["username"] == "ann@example.com"
    assert {"team:gpu", "viewers"} <= set(user["groups"])


def test_the_audit_log_tells_who_wrote_what(own_cluster: Cluster) -> None:
    path = "/api/v1/namespaces/default/configmaps"
    own_cluster.api.create(path, {"metadata": {"name": "audited"}, "data": {"key": "value"}})

    def written() -> list[dict[str, object]]:
        events = [json.loads(line) for line in own_cluster.audit_log.read_text().splitlines()]
        return [
            {
                "user": event["user"]["username"],
                "verb": event["verb"],
                "code": event["responseStatus"]["code"],
                "data": event["requestObject"]["data"],
            }
            for event in events
            if event["objectRef"].get("name") == "audited"
        ]

    until(lambda: bool(written()))
    assert written() == [{"user": "admin", "verb": "create", "code": 201, "data": {"key": "value"}}]


def test_a_second_start_of_a_running_cluster_is_refused(own_cluster: Cluster) -> None:
    with pytest.raises(TestbedError, match="runs already; end it"):
        Cluster(own_cluster.name).start(1)
    assert own_cluster.running


def test_simulated_nodes_are_ready_beside_the_real_ones(own_cluster: Cluster) -> None:
    assert {"kwok-0001", "kwok-0002"} <= own_cluster.ready_nodes()


def test_the_kubelet_tells_its_status_period_through_the_api_server(own_cluster: Cluster) -> None:
    answer = own_cluster.api.get("/api/v1/nodes/node-1/proxy/configz")
    assert answer["kubeletconfig"]["nodeStatusUpdateFrequency"] == "1s"
    assert answer["kubeletconfig"]["nodeStatusReportFrequency"] == "1s"


def test_the_command_line_shows_the_cluster_and_passes_kubectl_on(own_cluster: Cluster) -> None:
    def testbed(*arguments: str) -> str:
        command = [sys.executable, "-m", "testbed", *arguments]
        root = Path(__file__).parents[2]
        return subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout

    shown = testbed("status")
    assert f"{own_cluster.name}: {own_cluster.kubeconfig}" in shown
    assert f"node-1 {own_cluster.nodes['node-1'].address} Ready" in shown
    names = testbed("kubectl", "--name", own_cluster.name, "get", "nodes", "-o", "name")
    assert {"node/node-1", "node/node-2", "node/kwok-0001"} <= set(names.split())
