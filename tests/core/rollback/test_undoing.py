"""The spec of a rollback after a run that is over."""

from typing import Any

import msgspec

from bridgehead.core.plan.plan import Plan
from bridgehead.core.plan.settings import Consent, ContainerImage, ImagesChange, Window
from bridgehead.core.rollback.undoing import undoing
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
