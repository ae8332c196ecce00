"""Two runners at one component: one acts, the other leaves with exit 7 and has changed nothing."""

from __future__ import annotations

import pytest

from tests.chaos.invariants import sent
from tests.chaos.run import Disturbed
from tests.chaos.struck import complaints
from tests.chaos.versions import change
from tests.scenarios.conftest import SetStage

HELD = 7
"""Exit code: another run holds this component."""


@pytest.mark.cluster
async def test_one_that_comes_later_leaves_and_writes_nothing(set_stage: SetStage) -> None:
    stage = await set_stage(change(restart_test=False))

    def play(run: Disturbed) -> int:
        with run.runner(0) as first:
            assert run.reached(first, 3), first.printed
            with run.runner(1) as second:
                assert second.exit() == HELD, second.printed
            assert not first.ended, first.printed
            code = first.exit()
        assert [item for item in run.writes() if item.user == run.users[1] and item.stored] == []
        assert sent(run.writes(), run.users[1]) == []
        return code

    assert not (complaint := await complaints(stage, play)), complaint


@pytest.mark.cluster
async def test_of_two_that_begin_at_once_one_acts(set_stage: SetStage) -> None:
    stage = await set_stage(change(restart_test=False))

    def play(run: Disturbed) -> int:
        with run.runner(0) as one, run.runner(1) as other:
            codes = {run.users[0]: one.exit(), run.users[1]: other.exit()}
            printed = f"{one.printed}\n{other.printed}"
        assert sorted(codes.values()) == [0, HELD], printed
        loser = next(user for user, code in codes.items() if code == HELD)
        assert [item for item in run.writes() if item.user == loser and item.stored] == []
        assert sent(run.writes(), loser) == []
        return 0

    assert not (complaint := await complaints(stage, play)), complaint
