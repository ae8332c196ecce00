"""Two nodes with a plugin, whose account may read nodes and nothing else."""

from collections.abc import AsyncIterator

import pytest

from testbed.cluster import Cluster
from testbed.fake_images import fake_images, hold_image
from testbed.fixtures import LeaseNodes
from testbed.parts import binary
from testbed.registry import Registry
from tests.faults.ward import HAMI, NVIDIA, TAG, UNKNOWN, Ward


@pytest.fixture
async def ward(cluster: Cluster, lease_nodes: LeaseNodes, namespace: str) -> AsyncIterator[Ward]:
    driver = binary("fakedriver", "fakedriver")
    registry = Registry(cluster.registry_address)
    [fake] = fake_images({TAG: {}}, driver=driver).values()
    for repository in (UNKNOWN, NVIDIA, HAMI):
        registry.push(f"registry.test/{repository}:{TAG}", fake)
    registry.push("registry.test/faults/hold:1", hold_image(driver=driver))
    label = f"{namespace}/ward"
    nodes = await lease_nodes(
        2, labels=[{label: "yes", "state": "sick"}, {label: "yes", "state": "sound"}]
    )
    made = Ward(cluster, nodes, namespace)
    account = {"kind": "ServiceAccount", "name": "default", "namespace": namespace}
    bindings = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings"
    role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole"}
    cluster.api.create(
        bindings,
        {
            "metadata": {"name": namespace},
            "subjects": [account],
            "roleRef": {**role, "name": "system:node-proxier"},  # may get nodes
        },
    )
    yield made
    made.clean()
    cluster.api.delete(f"{bindings}/{namespace}")
