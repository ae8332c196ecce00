"""Plays a scenario file on a twin of its own, in simulated time."""

import asyncio
from dataclasses import dataclass
from pathlib import Path

from bridgehead.twin.virtual.loop import run_virtual
from tests.scenarios.judging import judge
from tests.scenarios.playing import Played, play
from tests.scenarios.reading import read_scenario
from tests.scenarios.stage import Stage
from tests.scenarios.twin_ground import TwinGround

START = 1_767_225_600.0
NAMESPACE = "test-twin"


@dataclass(frozen=True)
class OnTheTwin:
    """What came of it."""

    plays: list[Played]
    complaint: str
    """What is not as the scenario says, or broke in the twin; empty where all is well."""


def suits_the_twin(file: Path) -> bool:
    """Whether a scenario is to be played on a twin."""
    return "twin" in read_scenario(file).runs_on


def played_on_the_twin(file: Path, folder: Path, *, seed: int = 1) -> OnTheTwin:
    """Play it; another ``seed`` is another run of chance. Raises UnfitStageError."""
    return run_virtual(_played(file, folder, seed), start=START)


async def _played(file: Path, folder: Path, seed: int) -> OnTheTwin:
    scenario = read_scenario(file)
    broken: list[str] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, what: broken.append(str(what)))
    ground = TwinGround(len(scenario.given.nodes), folder, seed=seed)
    await ground.start(NAMESPACE)
    stage = Stage(ground, scenario, ground.nodes, NAMESPACE, folder)
    try:
        plays = await play(stage)
        complaint = await ground.in_turn(judge, plays)
    finally:
        await ground.stop()
    return OnTheTwin(plays, "\n".join([*filter(None, [complaint]), *broken]))
