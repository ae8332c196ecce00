"""Approvals and windows that a plan could never come to are refused; they change no digest."""

from bridgehead.core.model.snapshot import Snapshot
from bridgehead.core.plan.build import build, change_digest
from bridgehead.core.plan.plan import Plan, Refused
from bridgehead.core.plan.settings import RolloutSpec, VerifySettings, Window
from bridgehead.core.rollout.approvals import points
from tests.core.plan.scenery import node, snapshot, spec, target

FOUR = [node("a1"), node("a2"), node("b1", "B"), node("b2", "B")]


def refused(wish: RolloutSpec, seen: Snapshot) -> Refused:
    result = build(wish, seen, target())
    assert isinstance(result, Refused)
    return result


def planned(wish: RolloutSpec) -> Plan:
    result = build(wish, snapshot(FOUR), target())
    assert isinstance(result, Plan)
    return result


def test_a_point_before_a_wave_that_would_be_empty_is_refused() -> None:
    found = refused(spec(approve=("afterCanary", "beforeWave:1")), snapshot(FOUR))
    (only,) = found.refusals
    assert only.rule == "point-missing"
    assert only.message == (
        "approve names beforeWave:1, and the plan has no such wave: its stages are canary, other "
        "canaries, wave 2"
    )


def test_a_window_in_which_no_node_would_fit_is_refused() -> None:
    short = Window(opens=600, closes=601, timezone="UTC")
    long = Window(opens=600, closes=600, timezone="UTC")
    slow = VerifySettings(settle=60.0)
    found = refused(spec(windows=(short,), verify=slow), snapshot(FOUR))
    assert [(item.rule, item.message) for item in found.refusals] == [
        ("window-too-short", "the longest window is 60 s and a node takes 85 s: none would begin")
    ]
    assert planned(spec(windows=(short, long), verify=slow))


def test_approvals_and_windows_are_no_part_of_the_change_nor_of_the_plan() -> None:
    window = Window(opens=0, closes=600, timezone="UTC")
    plain = planned(spec())
    asked = planned(spec(approve=("afterCanary",), two_people=True, windows=(window,)))
    assert points(asked) == ("afterCanary",)
    assert (asked.change_digest, asked.plan_digest) == (plain.change_digest, plain.plan_digest)
    assert change_digest(spec(approve=("afterCanary",))) == change_digest(spec())
