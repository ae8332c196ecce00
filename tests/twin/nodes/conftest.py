"""A node of the real cluster beside which the twin's are put."""

import asyncio

import pytest

from testbed.cluster import Cluster
from testbed.fixtures import LeaseNodes
from tests.twin.nodes.beside import Real


@pytest.fixture
async def real(cluster: Cluster, lease_nodes: LeaseNodes, namespace: str) -> Real:
    """A leased node with all images, and a namespace."""
    (node,) = await lease_nodes(1)
    found = Real(cluster, node, namespace)
    await asyncio.to_thread(found.import_images)
    return found
