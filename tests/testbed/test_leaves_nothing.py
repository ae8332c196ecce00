"""A cluster leaves nothing behind: stopped, failed half way, or killed with its owner."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from testbed.base_image import BASE_IMAGE
from testbed.cluster import Cluster
from testbed.errors import TestbedError
from testbed.teardown import down, sweep
from tests.testbed.conftest import until
from tests.testbed.leavings import leavings

pytestmark = pytest.mark.cluster

OWNER = """
import os, sys, time
from testbed.cluster import Cluster
Cluster(sys.argv[1]).start(1, owner=os.getpid())
print("started", flush=True)
time.sleep(600)
"""


@pytest.fixture
def scratch(testbed_parts: None, worker_id: str) -> Iterator[Cluster]:
    cluster = Cluster(f"scratch-{os.getpid()}-{worker_id}")
    yield cluster
    down(cluster.state)


def start_owner(name: str) -> subprocess.Popen[str]:
    owner = subprocess.Popen(
        [sys.executable, "-c", OWNER, name],
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
    )
    assert owner.stdout is not None
    assert owner.stdout.readline() == "started\n"
    return owner


def kill(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.communicate()


def watchdogs(name: str) -> list[int]:
    found = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):  # it has just ended
            if file.read_bytes().endswith(f"testbed\0watch\0{name}\0".encode()):
                found.append(int(file.parent.name))
    return found


def test_down_leaves_nothing_of_a_cluster_with_running_pods(scratch: Cluster) -> None:
    scratch.start(2, kwok_nodes=1)
    for network in (False, True):
        scratch.api.create(
            "/api/v1/namespaces/default/pods",
            {
                "metadata": {"name": f"pod-{network}".lower()},
                "spec": {
                    "nodeName": "node-1",
                    "hostNetwork": network,
                    "containers": [{"name": "main", "image": BASE_IMAGE}],
                },
            },
        )
    until(lambda: [pod["status"]["phase"] for pod in scratch.pods_on("node-1")] == ["Running"] * 2)
    assert any("cgroup" in line for line in leavings(scratch.state))

    scratch.stop()

    assert leavings(scratch.state) == []


def test_down_is_fine_without_a_cluster(scratch: Cluster) -> None:
    scratch.stop()
    assert leavings(scratch.state) == []


def test_a_start_that_fails_half_way_leaves_nothing(scratch: Cluster) -> None:
    with pytest.raises(TestbedError, match="has a node 'same' already"):
        scratch.start(["same", "same"])
    assert leavings(scratch.state) == []


def test_a_cluster_ends_with_its_killed_owner(scratch: Cluster) -> None:
    owner = start_owner(scratch.name)
    assert scratch.running
    kill(owner)
    until(lambda: leavings(scratch.state) == [])


def test_what_owner_and_watchdog_left_is_swept_by_the_next_start(scratch: Cluster) -> None:
    owner = start_owner(scratch.name)
    (watchdog,) = watchdogs(scratch.name)
    os.kill(watchdog, signal.SIGKILL)
    kill(owner)
    assert scratch.running

    sweep()

    assert leavings(scratch.state) == []


def test_a_start_copes_with_the_leavings_of_a_killed_run(scratch: Cluster) -> None:
    scratch.start(1)
    scratch.apiserver.stop(kill=True)

    scratch.start(1)

    assert scratch.ready_nodes() == {"node-1"}
