"""A run that is killed at any moment is ended by the same command, as if it had been left alone."""

from __future__ import annotations

import signal

import pytest

from tests.chaos.moments import moments
from tests.chaos.run import Disturbed
from tests.chaos.struck import complaints
from tests.chaos.versions import change
from tests.scenarios.conftest import SetStage

SEEDS = range(8)
LONG_SEEDS = range(100, 150)

RECORDS = 65
"""Fewer than any run of these has after which there is nothing left to do."""


@pytest.mark.cluster
@pytest.mark.parametrize("seed", SEEDS)
async def test_a_killed_run_ends_as_one_that_is_left_alone(seed: int, set_stage: SetStage) -> None:
    await _kill(seed, set_stage)


@pytest.mark.long
@pytest.mark.cluster
@pytest.mark.parametrize("seed", LONG_SEEDS)
async def test_so_do_fifty_others(seed: int, set_stage: SetStage) -> None:
    await _kill(seed, set_stage)


async def _kill(seed: int, set_stage: SetStage) -> None:
    """Even seeds roll out a good version, odd ones a version that is bad on one node."""
    stage = await set_stage(change(restart_test=seed % 4 < 2))

    def play(run: Disturbed) -> int:
        for moment in moments(seed, RECORDS):
            with run.runner() as process:
                assert run.met(process, moment), process.printed
                process.strike(signal.SIGKILL)
                assert process.exit() == -signal.SIGKILL
        with run.runner() as process:
            return process.exit()

    assert not (complaint := await complaints(stage, play, bad=seed % 2 == 1)), complaint
