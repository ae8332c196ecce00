"""Plays a run whose runners are struck, and tells what did not come out of it as it should."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from tests.chaos.run import Disturbed, disturbed
from tests.chaos.versions import BAD_NODE
from tests.scenarios.setting import create_file
from tests.scenarios.stage import Stage

Play = Callable[[Disturbed], int]
"""What is done to a run; the exit code of the runner that ended it."""


async def complaints(stage: Stage, play: Play, *, bad: bool = False) -> str:
    """What did not hold, with all that the runners printed; empty where all is well.

    ``bad`` makes the new version bad on one node, so that the run has to take everything back.
    """
    found = await asyncio.to_thread(_play, stage, play, bad=bad)
    logs = [f"{log.name}:\n{log.read_text()}" for log in sorted(stage.folder.glob("*.log"))]
    return "\n".join([*found, *logs]) if found else ""


def _play(stage: Stage, play: Play, *, bad: bool) -> list[str]:
    with disturbed(stage) as run:
        if bad:
            create_file(stage, BAD_NODE, "bad")
        code = play(run)
        return asyncio.run(run.complaints(3 if bad else 0, code))
