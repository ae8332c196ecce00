"""A small cluster of these tests' own: they break what other tests rely on."""

import os
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from testbed.cluster import Cluster
from testbed.state import state_of
from testbed.teardown import down

Pod = dict[str, Any]


def until(condition: Callable[[], bool], timeout: float = 60) -> None:
    """Wait for a condition; the test fails when it does not come true."""
    end = time.monotonic() + timeout
    while not condition():
        assert time.monotonic() < end, "the condition did not come true in time"
        time.sleep(0.1)


@pytest.fixture(scope="session")
def own_cluster(testbed_parts: None, worker_id: str) -> Iterator[Cluster]:
    name = f"own-{os.getpid()}-{worker_id}"
    cluster = Cluster(name)
    cluster.start(2, kwok_nodes=2, owner=os.getpid())
    yield cluster
    down(state_of(name))
