"""Every scenario file that can be played beside others, on the cluster that all tests share.

What is played on a twin as well must leave the same journal there, unless its file says what is
chance in it.
"""

from pathlib import Path

import pytest

from tests.scenarios.conftest import SetStage
from tests.scenarios.journals import differences
from tests.scenarios.judging import judge
from tests.scenarios.on_the_twin import OnTheTwin, played_on_the_twin, suits_the_twin
from tests.scenarios.playing import play
from tests.scenarios.reading import outage_files, read_scenario, scenario_files, scenario_name

SHARED = [
    file
    for file in scenario_files()
    if file not in outage_files() and "kubelet" in read_scenario(file).runs_on
]


@pytest.fixture
def on_the_twin(request: pytest.FixtureRequest, tmp_path: Path) -> OnTheTwin | None:
    """The file's scenario on a twin; it is played before the loop of the test runs."""
    file: Path = request.getfixturevalue("file")
    if not suits_the_twin(file) or read_scenario(file).chance is not None:
        return None
    folder = tmp_path / "twin"
    folder.mkdir()
    return played_on_the_twin(file, folder)


@pytest.mark.cluster
@pytest.mark.parametrize("file", SHARED, ids=scenario_name)
async def test_scenario(file: Path, on_the_twin: OnTheTwin | None, set_stage: SetStage) -> None:
    stage = await set_stage(read_scenario(file))
    plays = await play(stage)
    assert not (complaint := judge(plays)), complaint
    if on_the_twin is not None:
        assert not (differing := differences(plays, on_the_twin.plays)), differing
