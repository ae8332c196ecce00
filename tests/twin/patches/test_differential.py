"""Random changes by all kinds of writes give the same on a real API server and on the twin."""

import time
from collections.abc import Iterator
from random import Random

import pytest

from testbed.cluster import Cluster
from tests.twin.patches.edits import SUBJECTS, Story, Subject, custom_group, definition
from tests.twin.servers import Asked, RealServer, TwinServer, masked

STEPS = 40
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"


@pytest.fixture
def both(cluster: Cluster, namespace: str) -> Iterator[tuple[RealServer, TwinServer]]:
    """Two servers with the same namespace and the same custom kind."""
    real, twin = RealServer(cluster.kubeconfig), TwinServer()
    twin.ask(Asked("POST", "/api/v1/namespaces", {"metadata": {"name": namespace}}))
    things = Asked("GET", f"/apis/{custom_group(namespace)}/v1/things")
    for server in (real, twin):
        assert server.ask(Asked("POST", DEFINITIONS, definition(namespace)))[0] == 201
    twin.settled(things)
    end = time.monotonic() + 60
    while real.ask(things)[0] != 200:
        assert time.monotonic() < end, "the custom kind is not served in time"
        time.sleep(0.1)
    yield real, twin
    real.ask(Asked("DELETE", f"{DEFINITIONS}/things.{custom_group(namespace)}"))
    real.close()
    twin.close()


@pytest.mark.cluster
@pytest.mark.parametrize("subject", SUBJECTS)
def test_objects_managers_and_refusals_are_the_same(
    subject: type[Subject], both: tuple[RealServer, TwinServer], namespace: str
) -> None:
    for seed in range(4):
        chance = Random(seed)
        story = Story(chance, subject(chance, namespace, f"subject-{seed}"))
        story.begin(*both)
        for _ in range(STEPS):
            asked = story.next()
            found, wanted = (masked(server.ask(asked)) for server in reversed(both))
            assert found == wanted, (seed, asked)
        story.end(*both)
