"""The spec of a rollback after a run that is over, and after which runs there is one."""

from typing import Any

import msgspec
import pytest

from bridgehead.core.plan.plan import Plan
from bridgehead.core.plan.settings import Consent, ContainerImage, ImagesChange, Window
from bridgehead.core.rollback.undoing import objection, undoing
from bridgehead.core.rollout.state import Ending
from tests.core.standin.plans import plan_of

NODES = ("a1", "a2", "a3")
NIGHT = Window(opens=1320, closes=240, timezone="UTC")


def finished(**keys: Any) -> Plan:
    plan = plan_of(NODES)
    return msgspec.structs.replace(plan, spec=msgspec.structs.replace(plan.spec, **keys))


def test_every_container_that_changed_gets_its_former_image() -> None:
    wanted = ImagesChange((ContainerImage("plugin", "registry.test/plugin:v1"),))
    assert undoing("test-1", finished()).change == wanted


def test_a_rollback_of_a_rollback_keeps_its_name_short() -> None:
    once = undoing("test-1", finished(name="x" * 60)).name
    assert once == "x" * 35 + "-back"
    assert undoing("test-2", finished(name=once)).name == once


def test_neither_approval_nor_window_stands_in_the_way_of_a_rollback() -> None:
    spec = undoing("test-1", finished(approve=("afterCanary",), two_people=True, windows=(NIGHT,)))
    assert (spec.approve, spec.two_people, spec.windows) == ((), False, ())


def test_whoever_asks_for_a_rollback_consents_to_the_move_that_it_takes() -> None:
    placement = undoing("test-1", finished()).placement
    assert (placement.gain, placement.lose) == (Consent.ALLOW, Consent.ALLOW)


@pytest.mark.parametrize("code", [1, 3, 4])
def test_a_run_that_did_not_end_well_is_not_undone_even_where_it_is_named(code: int) -> None:
    ending = Ending(exit=code, summary="so it ended")
    for named in (False, True):
        why = objection("test-1", finished(), ending, named=named)
        assert why.startswith("run test-1 is over")
        assert why.endswith("so it ended; there is nothing to take back")


def test_a_way_back_is_undone_only_where_it_is_named_itself() -> None:
    done = Ending(exit=0, summary="done")
    assert objection("test-1", finished(), done, named=False) == ""
    back = msgspec.structs.replace(finished(), spec=undoing("test-1", finished()))
    why = objection("test-1-back-1", back, done, named=False)
    assert why == "run test-1-back-1 has already taken run test-1 back"
    assert objection("test-1-back-1", back, done, named=True) == ""
