"""A program written with client-go lists, watches and applies on the twin as on a real cluster."""

import pytest

from testbed.cluster import Cluster
from testbed.parts import parts
from tests.twin.clients.command import run
from tests.twin.clients.conftest import TwinServed

pytestmark = pytest.mark.cluster  # the program is built with the test bed

_EVENTS = [
    "event added made-by-client-go key=one",
    'conflict true Apply failed with 1 conflict: conflict with "first": .data.key',
    "event updated made-by-client-go key=two",
    "event deleted made-by-client-go key=two",
]


async def test_client_go_lists_watches_and_applies_on_the_twin(served: TwinServed) -> None:
    program = parts()["clientgo"].build() / "clientgo"
    told = await run(program, served.kubeconfig, "default", environment={})
    nodes = [f"node node-{number} v1.37.2" for number in range(3)]
    assert told.splitlines() == [*nodes, *_EVENTS]


async def test_the_same_program_sees_the_same_on_a_real_cluster(
    cluster: Cluster, namespace: str
) -> None:
    program = parts()["clientgo"].build() / "clientgo"
    told = await run(program, cluster.kubeconfig, namespace, environment={})
    assert [line for line in told.splitlines() if not line.startswith("node ")] == _EVENTS
