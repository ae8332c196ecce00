"""The same scenario files on a twin, in simulated time: every one that needs no real process."""

import asyncio
from pathlib import Path

import pytest

from bridgehead.twin.virtual.loop import run_virtual
from tests.scenarios.judging import judge
from tests.scenarios.playing import Played, play
from tests.scenarios.reading import read_scenario, scenario_files, scenario_name
from tests.scenarios.stage import Stage
from tests.scenarios.twin_ground import TwinGround

START = 1_767_225_600.0
NAMESPACE = "test-twin"
ON_THE_TWIN = [file for file in scenario_files() if "twin" in read_scenario(file).runs_on]


async def played(file: Path, folder: Path) -> str:
    """Play a scenario on a twin of its own; what is not as it should be."""
    scenario = read_scenario(file)
    broken: list[str] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, what: broken.append(str(what)))
    ground = TwinGround(len(scenario.given.nodes), folder)
    await ground.start(NAMESPACE)
    stage = Stage(ground, scenario, ground.nodes, NAMESPACE, folder)
    try:
        plays: list[Played] = await play(stage)
        complaint = await ground.in_turn(judge, plays)
    finally:
        await ground.stop()
    return "\n".join([*filter(None, [complaint]), *broken])


@pytest.mark.parametrize("file", ON_THE_TWIN, ids=scenario_name)
def test_scenario_on_the_twin(file: Path, tmp_path: Path) -> None:
    assert not (complaint := run_virtual(played(file, tmp_path), start=START)), complaint
