"""A runner that is frozen past its lease: whoever took its lock meanwhile acts alone."""

from __future__ import annotations

import signal

import pytest

from tests.chaos.invariants import sent
from tests.chaos.run import Disturbed
from tests.chaos.struck import complaints
from tests.chaos.versions import change
from tests.scenarios.conftest import SetStage

HELD = 7
"""Exit code: another run holds this component."""

PLACES = {
    "in-a-gap": ("delete-pod", "done"),
    "in-a-soak": ("stage", "soaking"),
}
"""The record after which the first runner is frozen."""


@pytest.mark.cluster
@pytest.mark.parametrize("place", PLACES)
async def test_one_that_thaws_after_a_takeover_writes_nothing_more(
    place: str, set_stage: SetStage
) -> None:
    stage = await set_stage(change(restart_test=False))

    def play(run: Disturbed) -> int:
        with run.runner(0) as first:
            run.said(*PLACES[place])
            first.strike(signal.SIGSTOP)
            before = len(run.records())
            with run.runner(1) as second:
                run.said("run", "held", after=before)
                first.strike(signal.SIGCONT)
                assert first.exit() == HELD, first.printed
                code = second.exit()
        written = run.writes()
        taken = min(item.at for item in written if item.user == run.users[1] and item.stored)
        late = [item for item in sent(written, run.users[0]) if item.at > taken]
        assert late == [], first.printed
        return code

    assert not (complaint := await complaints(stage, play)), complaint


@pytest.mark.cluster
@pytest.mark.parametrize("place", PLACES)
async def test_one_whose_lock_nobody_took_goes_on(place: str, set_stage: SetStage) -> None:
    stage = await set_stage(change(restart_test=False))

    def play(run: Disturbed) -> int:
        with run.runner() as only:
            run.said(*PLACES[place])
            only.strike(signal.SIGSTOP)
            run.lapsed()
            only.strike(signal.SIGCONT)
            return only.exit()

    assert not (complaint := await complaints(stage, play)), complaint
