"""Every scenario file, played on the cluster."""

from pathlib import Path

import pytest

from tests.scenarios.conftest import SetStage
from tests.scenarios.judging import judge
from tests.scenarios.playing import play
from tests.scenarios.reading import read_scenario, scenario_files, scenario_name


@pytest.mark.cluster
@pytest.mark.parametrize("file", scenario_files(), ids=scenario_name)
async def test_scenario(file: Path, set_stage: SetStage) -> None:
    stage = await set_stage(read_scenario(file))
    assert not (complaint := judge(await play(stage))), complaint
