"""A run that is told to stop at any moment parks, says so by its exit code, and can go on."""

from __future__ import annotations

import signal

import pytest

from tests.chaos.moments import moments
from tests.chaos.run import Disturbed
from tests.chaos.struck import complaints
from tests.chaos.versions import change
from tests.scenarios.conftest import SetStage

SEEDS = range(20, 24)

EXITS = {signal.SIGTERM: 143, signal.SIGINT: 130}

RECORDS = 65
"""Fewer than any run of these has before its last template stands for good."""


@pytest.mark.cluster
@pytest.mark.parametrize("seed", SEEDS)
async def test_the_former_template_stands_at_its_exit(seed: int, set_stage: SetStage) -> None:
    stage = await set_stage(change(restart_test=False))
    number = signal.SIGTERM if seed % 4 < 2 else signal.SIGINT

    def play(run: Disturbed) -> int:
        former = run.image()
        for moment in moments(seed, RECORDS, most=2):
            with run.runner() as process:
                assert run.met(process, moment), process.printed
                process.strike(number)
                assert process.exit() == EXITS[number], process.printed
            assert run.image() == former, process.printed
        with run.runner() as process:
            return process.exit()

    assert not (complaint := await complaints(stage, play, bad=seed % 2 == 1)), complaint
