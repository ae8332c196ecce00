"""The inventory of a real cluster: what it shows, what it sends, which rights it needs."""

import asyncio
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from bridgehead.cli.exits import Exit
from bridgehead.cli.main import run
from testbed.cluster import Cluster
from testbed.fake_images import fake_images, hold_image
from testbed.fixtures import LeaseNodes
from testbed.kubeconfig import write_kubeconfig
from testbed.node import Node
from testbed.parts import binary
from testbed.registry import Registry
from tests.cluster.conftest import Until

pytestmark = pytest.mark.cluster

PLUGINS = "/var/lib/kubelet/device-plugins"
NEEDED = {"": ["nodes", "pods"], "apps": ["daemonsets", "controllerrevisions"]}
RBAC = "/apis/rbac.authorization.k8s.io/v1"

Reader = Callable[..., Path]


@pytest.fixture
def reader(cluster: Cluster, namespace: str, tmp_path: Path) -> Iterator[Reader]:
    """`reader(without="pods")`: a kubeconfig of a user who may list what is needed, less that."""
    name = f"reader-{namespace}"

    def make(without: str = "") -> Path:
        rules = [
            {
                "apiGroups": [group],
                "resources": [kind for kind in kinds if kind != without],
                "verbs": ["list"],
            }
            for group, kinds in NEEDED.items()
        ]
        cluster.api.create(f"{RBAC}/clusterroles", {"metadata": {"name": name}, "rules": rules})
        cluster.api.create(
            f"{RBAC}/clusterrolebindings",
            {
                "metadata": {"name": name},
                "subjects": [
                    {"kind": "User", "name": name, "apiGroup": "rbac.authorization.k8s.io"}
                ],
                "roleRef": {
                    "kind": "ClusterRole",
                    "name": name,
                    "apiGroup": "rbac.authorization.k8s.io",
                },
            },
        )
        return write_kubeconfig(cluster.state, tmp_path / "reader", name)

    yield make
    cluster.api.delete(f"{RBAC}/clusterrolebindings/{name}")
    cluster.api.delete(f"{RBAC}/clusterroles/{name}")


def plugin(cluster: Cluster, namespace: str, resource: str) -> dict[str, Any]:
    """A DaemonSet of the fake driver on the nodes of the test."""
    labels = {"app": "fake"}
    container = {
        "name": "plugin",
        "image": f"{cluster.registry_address}/inventory:good",
        "env": [
            {"name": "FAKE_RESOURCE", "value": resource},
            {"name": "FAKE_INVENTORY", "value": "2"},
            {"name": "PASSWORD", "value": "hidden"},
        ],
        "volumeMounts": [{"name": "plugins", "mountPath": PLUGINS}],
    }
    return {
        "metadata": {
            "name": "fake",
            "annotations": {
                "meta.helm.sh/release-name": "fake",
                "meta.helm.sh/release-namespace": namespace,
            },
        },
        "spec": {
            "selector": {"matchLabels": labels},
            "template": {
                "metadata": {"labels": labels},
                "spec": {
                    "nodeSelector": {"test": namespace},
                    "terminationGracePeriodSeconds": 1,
                    "containers": [container],
                    "volumes": [{"name": "plugins", "hostPath": {"path": PLUGINS}}],
                },
            },
        },
    }


def workload(cluster: Cluster, node: Node, resource: str) -> dict[str, Any]:
    """A pod that holds one device."""
    return {
        "metadata": {"name": "holder"},
        "spec": {
            "nodeName": node.name,
            "terminationGracePeriodSeconds": 1,
            "containers": [
                {
                    "name": "hold",
                    "image": f"{cluster.registry_address}/hold:1",
                    "resources": {"limits": {resource: "1"}},
                }
            ],
        },
    }


@pytest.fixture
async def devices(
    cluster: Cluster, namespace: str, lease_nodes: LeaseNodes, until: Until
) -> tuple[str, list[Node]]:
    """A plugin on two nodes, of which the first has a holder: the resource and the nodes."""
    driver = binary("fakedriver", "fakedriver")
    registry = Registry(cluster.registry_address)
    images = fake_images({"good": {}}, driver=driver, repository="inventory")
    for name, image in (*images.items(), ("registry.test/hold:1", hold_image(driver=driver))):
        await asyncio.to_thread(registry.push, name, image)
    nodes = await lease_nodes(2, labels={"test": namespace})
    resource = f"{namespace}.test/device"
    daemon_set = plugin(cluster, namespace, resource)
    cluster.api.create(f"/apis/apps/v1/namespaces/{namespace}/daemonsets", daemon_set)

    async def offered() -> bool:
        found = [cluster.api.get(f"/api/v1/nodes/{node.name}")["status"] for node in nodes]
        return all(status["allocatable"].get(resource) == "2" for status in found)

    await until(offered)
    pods = f"/api/v1/namespaces/{namespace}/pods"
    cluster.api.create(pods, workload(cluster, nodes[0], resource))

    async def running() -> bool:
        return bool(cluster.api.get(f"{pods}/holder")["status"]["phase"] == "Running")

    await until(running)
    return resource, nodes


async def inventory(*arguments: str | Path) -> int:
    """Run the command in a thread, as it runs an event loop of its own."""
    return await asyncio.to_thread(run, ["inventory", *map(str, arguments)])


Output = pytest.CaptureFixture[str]


async def test_a_reader_sees_plugin_devices_and_holders(
    cluster: Cluster,
    namespace: str,
    devices: tuple[str, list[Node]],
    reader: Reader,
    capsys: Output,
) -> None:
    resource, nodes = devices
    capsys.readouterr()
    assert await inventory("--kubeconfig", reader(), "-o", "json") == Exit.DONE
    view = json.loads(capsys.readouterr().out)["view"]
    (row,) = (item for item in view["components"] if item["ref"] == f"daemonset/{namespace}/fake")
    names = sorted(node.name for node in nodes)
    assert (row["family"], row["resources"], row["confidence"]) == ("generic", [resource], "high")
    assert (row["desired"], row["eligible"]) == (2, names)
    assert row["owners"] == [f"helm {namespace}/fake"]
    assert [pod["node"] for pod in row["pods"]] == names
    assert {pod["revision"] for pod in row["pods"]} == {row["revision"]}
    assert all("@sha256:" in pod["containers"][0]["imageId"] for pod in row["pods"])
    (node,) = (item for item in view["nodes"] if item["name"] == nodes[0].name)
    (seen,) = (item for item in node["resources"] if item["resource"] == resource)
    assert (seen["capacity"], seen["allocatable"], seen["inUse"], seen["free"]) == (2, 2, 1, 1)
    assert seen["holders"] == [{"pod": f"{namespace}/holder", "count": 1}]
    assert seen["claimants"] == [f"daemonset/{namespace}/fake"]
    # The user may only list: any other verb would have been refused. Writes are in the audit log.
    events = map(json.loads, cluster.audit_log.read_text().splitlines())
    assert not [event for event in events if event["user"]["username"] == f"reader-{namespace}"]


async def test_a_saved_inventory_hides_values_and_shows_drift(
    namespace: str,
    devices: tuple[str, list[Node]],
    cluster: Cluster,
    reader: Reader,
    capsys: Output,
) -> None:
    _, nodes = devices
    kubeconfig = reader()
    saved = kubeconfig.with_name("before.json")
    assert await inventory("--kubeconfig", kubeconfig, "--save", saved) == Exit.DONE
    assert "hidden" not in saved.read_text()
    label = {"metadata": {"labels": {"nvidia.com/gpu.product": namespace}}}
    cluster.api.patch(f"/api/v1/nodes/{nodes[1].name}", label)
    capsys.readouterr()
    code = await inventory("--kubeconfig", kubeconfig, "diff", saved, "-o", "json")
    assert code == Exit.FINDINGS
    found = json.loads(capsys.readouterr().out)["differences"]
    own = [item["what"] for item in found if item["object"] == f"node/{nodes[1].name}"]
    assert own == ["cohort", "label nvidia.com/gpu.product"]


@pytest.mark.parametrize(("kind", "code"), [("pods", Exit.INCOMPLETE), ("nodes", Exit.CANNOT)])
async def test_a_user_who_may_not_list_everything_learns_what_to_grant(
    reader: Reader, capsys: Output, kind: str, code: Exit
) -> None:
    assert await inventory("--kubeconfig", reader(without=kind)) == code
    told = capsys.readouterr()
    assert f"next: grant: list {kind}" in told.err
    assert f'cannot list resource "{kind}"' in told.err
    assert "Not read" in told.out


async def test_an_api_server_that_is_gone_is_exit_6(
    cluster: Cluster, tmp_path: Path, capsys: Output
) -> None:
    kubeconfig = tmp_path / "nowhere"
    own = cluster.kubeconfig.read_text()
    (server,) = (line for line in own.splitlines() if line.strip().startswith("server:"))
    kubeconfig.write_text(own.replace(server.strip(), "server: https://127.0.0.1:1"))
    assert await inventory("--kubeconfig", kubeconfig) == Exit.CANNOT
    assert "cannot reach" in capsys.readouterr().err
