"""With how little time a run is still taken up: only the begin of a node asks for more."""

from collections.abc import Callable

import msgspec
import pytest

from bridgehead.app.limits import too_short, turned, zones
from bridgehead.core.plan.settings import EVERY_DAY, OnFailure, Reaction, Window
from bridgehead.core.rollout.control import Abort, Request, Resume, appended
from bridgehead.core.rollout.decision import note
from bridgehead.core.rollout.limits import Limits
from bridgehead.core.rollout.run import Run
from bridgehead.core.rollout.state import Mode, NodeStatus
from tests.core.rollout.asking import WHEN, abort
from tests.core.rollout.scenes import Scene
from tests.core.standin.runner import Runner
from tests.core.standin.versions import Version

LITTLE = 5.0
Moment = Callable[[Runner], bool]


def in_a_hurry(scene: Scene) -> Run:
    limits = Limits(until=scene.cluster.now + LITTLE)
    return msgspec.structs.replace(scene.runner.run_value, limits=limits)


def short(scene: Scene) -> bool:
    return too_short(in_a_hurry(scene), scene.cluster.now) is not None


def at(moment: Moment, version: Version | None = None) -> Scene:
    scene = Scene(version or Version(), on_failure=OnFailure(canary=Reaction.HOLD))
    scene.runner.until(moment)
    return scene


@pytest.mark.parametrize(
    "moment",
    [
        lambda it: it.state.mode is Mode.PREFLIGHT,
        lambda it: it.state.soak_since is not None,
    ],
    ids=["preflight", "nodes are pending"],
)
def test_a_run_whose_next_step_is_to_begin_a_node_is_not_taken_up(moment: Moment) -> None:
    assert short(at(moment))


@pytest.mark.parametrize(
    "moment",
    [
        lambda it: it.steps_text[-1] == "delete-pod a1 done",
        lambda it: it.state.stage == 2 and it.state.soak_since is not None,
        lambda it: it.state.stage == len(it.plan.stages),
        lambda it: it.state.restored,
    ],
    ids=["in the gap", "last soak", "finish", "strategy back"],
)
def test_what_begins_no_node_needs_no_time(moment: Moment) -> None:
    assert not short(at(moment))


@pytest.mark.parametrize(
    "moment",
    [
        lambda it: it.state.node("a1").status is NodeStatus.FAILED,
        lambda it: it.state.mode is Mode.HOLD,
    ],
    ids=["failed", "hold"],
)
def test_a_node_that_failed_is_taken_back_whatever_time_is_left(moment: Moment) -> None:
    assert not short(at(moment, Version(devices=0)))


def test_a_way_back_needs_no_time() -> None:
    scene = at(lambda it: it.state.soak_since is not None)
    abort(scene.cluster)
    scene.runner.until(lambda it: it.state.mode is Mode.BACK)
    assert not short(scene)


@pytest.mark.parametrize(
    ("request_", "back"),
    [
        (Abort(time=WHEN, identity="dave"), True),
        (Resume(time=WHEN, identity="bob"), False),
    ],
    ids=["abort", "resume"],
)
def test_an_abort_that_nobody_has_noted_yet_counts(request_: Request, *, back: bool) -> None:
    run = Scene().runner.run_value
    assert turned(run, appended("", request_), ()) is back


def test_so_does_a_turn_back_that_is_written_beside_the_takeover() -> None:
    run = Scene().runner.run_value
    assert turned(run, "", [note("turn", "back")])
    assert not turned(run, "", [note("turn", "hold")])


def test_requests_that_cannot_be_read_are_left_to_the_loop() -> None:
    assert turned(Scene().runner.run_value, "no request\n", ())


@pytest.mark.parametrize("name", ["Europe/Atlantis", "Europe", "", "../etc/passwd"])
def test_a_zone_that_this_machine_does_not_know_is_no_error(name: str) -> None:
    plan = Scene().runner.plan
    window = Window(days=EVERY_DAY, opens=0, closes=60, timezone=name)
    spec = msgspec.structs.replace(plan.spec, windows=(window,))
    assert zones(msgspec.structs.replace(plan, spec=spec)) == {}
