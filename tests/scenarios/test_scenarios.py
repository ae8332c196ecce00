"""Every scenario file that can be played beside others, on the cluster that all tests share."""

from pathlib import Path

import pytest

from tests.scenarios.conftest import SetStage
from tests.scenarios.judging import judge
from tests.scenarios.playing import play
from tests.scenarios.reading import outage_files, read_scenario, scenario_files, scenario_name

SHARED = [file for file in scenario_files() if file not in outage_files()]


@pytest.mark.cluster
@pytest.mark.parametrize("file", SHARED, ids=scenario_name)
async def test_scenario(file: Path, set_stage: SetStage) -> None:
    stage = await set_stage(read_scenario(file))
    assert not (complaint := judge(await play(stage))), complaint
