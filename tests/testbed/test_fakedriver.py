"""The fake driver: its own tests, which are written in Go, and its knobs on real kubelets."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from testbed.cluster import Cluster
from testbed.fake_images import fake_images, hold_image
from testbed.fixtures import LeaseNodes
from testbed.go_toolchain import find_toolchain
from testbed.node import Node
from testbed.parts import binary, parts
from testbed.registry import Registry
from tests.testbed.conftest import until

pytestmark = pytest.mark.cluster

PLUGINS = "/var/lib/kubelet/device-plugins"
HOLD = "hold:1"

Offer = tuple[str | None, str | None]
"""Capacity and allocatable of a resource on a node."""

VERSIONS: dict[str, dict[str, object]] = {
    "good": {},
    "zero": {"devices": 0},
    "fewer": {"fewerDevices": 1},
    "sick": {"unhealthyAfter": "0s"},
    "silent": {"registers": "never"},
    "renamed": {"resourceSuffix": "-b"},
    "lost": {"allocateError": "device is lost"},
    "cohort": {"devices": 0, "onlyIfLabel": "kernel=old"},
}


def test_the_go_tests_of_the_fake_driver_pass(testbed_parts: None) -> None:
    toolchain = find_toolchain()

    done = subprocess.run(
        [toolchain.go, "test", "./..."],
        cwd=parts()["fakedriver"].folder,
        env=toolchain.environment(),
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture
def run(cluster: Cluster, namespace: str) -> Iterator[Callable[..., str]]:
    """`run(image, node, env=..., limits=...)` starts a pod and returns its name."""
    driver = binary("fakedriver", "fakedriver")
    registry = Registry(cluster.registry_address)
    for name, image in fake_images(VERSIONS, driver=driver).items():
        registry.push(name, image)
    registry.push(f"registry.test/{HOLD}", hold_image(driver=driver))
    cluster.api.create(
        "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
        {
            "metadata": {"name": namespace},
            "subjects": [{"kind": "ServiceAccount", "name": "default", "namespace": namespace}],
            "roleRef": {
                "apiGroup": "rbac.authorization.k8s.io",
                "kind": "ClusterRole",
                "name": "system:node-proxier",  # may get nodes
            },
        },
    )

    def start(image: str, node: Node, **container: Any) -> str:
        container |= {"name": "main", "image": f"{cluster.registry_address}/{image}"}
        volume = {"name": "plugins", "hostPath": {"path": PLUGINS}}
        created = cluster.api.create(
            f"/api/v1/namespaces/{namespace}/pods",
            {
                "metadata": {"generateName": "pod-"},
                "spec": {
                    "restartPolicy": "Never",
                    "nodeName": node.name,
                    "terminationGracePeriodSeconds": 2,
                    "containers": [container],
                    "volumes": [volume],
                },
            },
        )
        name: str = created["metadata"]["name"]
        return name

    yield start
    cluster.api.delete(f"/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/{namespace}")


def plugin(run: Callable[..., str], version: str, node: Node, resource: str) -> str:
    node_name = {"fieldRef": {"fieldPath": "spec.nodeName"}}
    return run(
        f"fake:{version}",
        node,
        env=[
            {"name": "FAKE_RESOURCE", "value": resource},
            {"name": "NODE_NAME", "valueFrom": node_name},
        ],
        volumeMounts=[{"name": "plugins", "mountPath": PLUGINS}],
    )


def hold(run: Callable[..., str], node: Node, resource: str) -> str:
    return run(HOLD, node, resources={"limits": {resource: "2"}})


def offer(cluster: Cluster, node: Node, resource: str) -> Offer:
    status = cluster.api.get(f"/api/v1/nodes/{node.name}")["status"]
    return status["capacity"].get(resource), status["allocatable"].get(resource)


def pod_status(cluster: Cluster, namespace: str, pod: str) -> dict[str, Any]:
    status: dict[str, Any] = cluster.api.get(f"/api/v1/namespaces/{namespace}/pods/{pod}")["status"]
    return status


def log(node: Node, namespace: str, pod: str) -> str:
    folder = node.host_path("/var/log/pods")
    return "".join(path.read_text() for path in _logs(folder, f"{namespace}_{pod}_"))


def _logs(folder: Path, start: str) -> Iterator[Path]:
    return folder.glob(f"{start}*/main/*.log")


async def test_versions_offer_what_their_knobs_say(
    cluster: Cluster, lease_nodes: LeaseNodes, namespace: str, run: Callable[..., str]
) -> None:
    [node] = await lease_nodes(1)
    base = f"{namespace}.example.com"
    expected: dict[str, Offer] = {
        "good": ("4", "4"),
        "zero": ("0", "0"),
        "fewer": ("3", "3"),
        "sick": ("4", "0"),
        "renamed": (None, None),
        "renamed-b": ("4", "4"),
        "silent": (None, None),
    }

    pods = {
        version: plugin(run, version, node, f"{base}/{version}")
        for version in expected
        if version in VERSIONS
    }

    until(lambda: {v: offer(cluster, node, f"{base}/{v}") for v in expected} == expected)
    until(lambda: f"serving '{base}/silent'" in log(node, namespace, pods["silent"]))
    assert "registered" not in log(node, namespace, pods["silent"])
    assert f"no devices in device pool for '{base}/zero'" in log(node, namespace, pods["zero"])


async def test_a_workload_is_given_devices_or_refused_as_the_knob_says(
    cluster: Cluster, lease_nodes: LeaseNodes, namespace: str, run: Callable[..., str]
) -> None:
    [node] = await lease_nodes(1)
    resources = {version: f"{namespace}.example.com/{version}" for version in ("good", "lost")}
    for version, resource in resources.items():
        plugin(run, version, node, resource)
    until(lambda: all(offer(cluster, node, r) == ("4", "4") for r in resources.values()))

    held = hold(run, node, resources["good"])
    refused = hold(run, node, resources["lost"])

    until(lambda: "FAKE_DEVICES=fake-" in log(node, namespace, held))
    until(lambda: pod_status(cluster, namespace, refused)["phase"] == "Failed")
    assert pod_status(cluster, namespace, refused)["reason"] == "UnexpectedAdmissionError"
    assert "device is lost" in pod_status(cluster, namespace, refused)["message"]


async def test_a_kubelet_that_restarts_gets_the_devices_again(
    cluster: Cluster, lease_nodes: LeaseNodes, namespace: str, run: Callable[..., str]
) -> None:
    [node] = await lease_nodes(1)
    resource = f"{namespace}.example.com/good"
    pod = plugin(run, "good", node, resource)
    until(lambda: offer(cluster, node, resource) == ("4", "4"))

    node.restart_kubelet()

    until(lambda: log(node, namespace, pod).count("registered device plugin") == 2)
    until(lambda: offer(cluster, node, resource) == ("4", "4"))


async def test_a_version_can_be_bad_on_one_cohort_only(
    cluster: Cluster, lease_nodes: LeaseNodes, namespace: str, run: Callable[..., str]
) -> None:
    old, new = await lease_nodes(2, labels=[{"kernel": "old"}, {"kernel": "new"}])
    resource = f"{namespace}.example.com/cohort"

    for node in (old, new):
        plugin(run, "cohort", node, resource)

    until(lambda: offer(cluster, old, resource) == ("0", "0"))
    until(lambda: offer(cluster, new, resource) == ("4", "4"))
