"""Random changes by all kinds of writes give the same on a real API server and on the twin."""

from collections.abc import Iterator
from random import Random

import pytest

from testbed.cluster import Cluster
from tests.twin.patches.edits import Story
from tests.twin.servers import Asked, RealServer, TwinServer, masked

STEPS = 25


@pytest.fixture
def real(cluster: Cluster) -> Iterator[RealServer]:
    server = RealServer(cluster.kubeconfig)
    yield server
    server.close()


@pytest.fixture
def twin(namespace: str) -> Iterator[TwinServer]:
    server = TwinServer()
    named = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}}
    assert server.ask(Asked("POST", "/api/v1/namespaces", named))[0] == 201
    yield server
    server.close()


@pytest.mark.cluster
@pytest.mark.parametrize("seed", range(24))
def test_objects_managers_and_refusals_are_the_same(
    seed: int, real: RealServer, twin: TwinServer, namespace: str
) -> None:
    story = Story(Random(seed), namespace, f"subject-{seed}")
    story.begin(real, twin)
    for _ in range(STEPS):
        asked = story.next()
        assert masked(twin.ask(asked)) == masked(real.ask(asked)), asked
    story.end(real, twin)
