"""A lab for each test of a fact."""

import pytest

from testbed.cluster import Cluster
from testbed.fake_images import fake_images, hold_image
from testbed.fixtures import LeaseNodes
from testbed.parts import binary
from testbed.registry import Registry
from tests.facts.lab import FAKE, HOLD, Lab


@pytest.fixture
async def lab(cluster: Cluster, lease_nodes: LeaseNodes, namespace: str) -> Lab:
    """A leased node with a namespace, and the images that its pods need."""
    driver = binary("fakedriver", "fakedriver")
    registry = Registry(cluster.registry_address)
    repository, _, tag = FAKE.partition(":")
    for image in fake_images({tag: {}}, driver=driver).values():
        registry.push(f"registry.test/{repository}:{tag}", image)
    registry.push(f"registry.test/{HOLD}", hold_image(driver=driver))
    [node] = await lease_nodes(1)
    return Lab(cluster, node, namespace)
