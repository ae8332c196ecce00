"""Scenarios that take the control plane away, on a small cluster of this module's own."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from testbed.cluster import Cluster
from testbed.state import state_of
from testbed.teardown import down
from tests.scenarios.conftest import SetStage
from tests.scenarios.judging import judge
from tests.scenarios.playing import play
from tests.scenarios.reading import outage_files, read_scenario, scenario_name


@pytest.fixture(scope="module")
def cluster(testbed_parts: None, worker_id: str) -> Iterator[Cluster]:
    """In the place of the cluster that all other tests share."""
    own = Cluster(f"outage-{os.getpid()}-{worker_id}")
    own.start(2, owner=os.getpid())
    yield own
    down(state_of(own.name))


@pytest.mark.cluster
@pytest.mark.long
@pytest.mark.parametrize("file", outage_files(), ids=scenario_name)
async def test_outage(file: Path, set_stage: SetStage) -> None:
    stage = await set_stage(read_scenario(file))
    assert not (complaint := judge(await play(stage))), complaint
