"""Every scenario file that can be played beside others, on the cluster that all tests share.

What is played on a twin as well must leave the same journal there, unless its file says what is
chance in it. That is compared in the ``long`` session: on a busy machine a node is disturbed, seen
late or waited for where it else is not, and both journals are right.
"""

from pathlib import Path

import pytest
from _pytest.mark import ParameterSet

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

REPEATABLE = [
    file for file in SHARED if suits_the_twin(file) and read_scenario(file).chance is None
]


@pytest.fixture
def on_the_twin(request: pytest.FixtureRequest, tmp_path: Path) -> OnTheTwin:
    """The file's scenario on a twin; it is played before the loop of the test runs."""
    file: Path = request.getfixturevalue("file")
    folder = tmp_path / "twin"
    folder.mkdir()
    return played_on_the_twin(file, folder)


def _marked(file: Path) -> ParameterSet:
    long = (pytest.mark.long,) if read_scenario(file).long else ()
    return pytest.param(file, marks=long)


@pytest.mark.cluster
@pytest.mark.parametrize("file", [_marked(file) for file in SHARED], ids=scenario_name)
async def test_scenario(file: Path, set_stage: SetStage) -> None:
    stage = await set_stage(read_scenario(file))
    assert not (complaint := judge(await play(stage))), complaint


@pytest.mark.cluster
@pytest.mark.long
@pytest.mark.parametrize("file", REPEATABLE, ids=scenario_name)
async def test_scenario_leaves_the_journal_that_it_leaves_on_a_twin(
    file: Path, on_the_twin: OnTheTwin, set_stage: SetStage
) -> None:
    plays = await play(await set_stage(read_scenario(file)))
    assert not (differing := differences(plays, on_the_twin.plays)), differing
