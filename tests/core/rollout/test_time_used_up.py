"""``--for``: no node begins that cannot be done in time, and every try gets further."""

import msgspec
import pytest

from bridgehead.core.plan.settings import OnFailure, Reaction
from bridgehead.core.rollout.decision import note
from bridgehead.core.rollout.estimate import estimate, planned
from bridgehead.core.rollout.limits import Limits
from bridgehead.core.rollout.state import NodeStatus
from tests.core.rollout.asking import go_on
from tests.core.rollout.scenes import FOUR, Scene
from tests.core.standin.plans import SETTLE, canary, plan_of, wave
from tests.core.standin.runner import Runner
from tests.core.standin.versions import Version

NODE = planned(plan_of(FOUR))


def within(scene: Scene, seconds: float) -> Runner:
    """A runner that has so many seconds from now."""
    return go_on(scene, Limits(until=scene.cluster.now + 1.0 + seconds), after=1.0)


def progress(runner: Runner) -> tuple[int, int, int, float]:
    """What a run has got done: grows with each try that gets further."""
    nodes = runner.state.nodes.values()
    soaked = runner.cluster.now if runner.state.soak_since is not None else 0.0
    return (
        runner.state.stage,
        sum(item.status is NodeStatus.PASSED for item in nodes),
        sum(item.restart_tested for item in nodes),
        soaked,
    )


def test_a_node_is_expected_to_take_settle_the_look_delay_and_ten_seconds() -> None:
    assert NODE == SETTLE + 1.5 * 1.0 + 10.0


def test_later_it_is_expected_to_take_as_long_as_the_slowest_one_seen() -> None:
    slow = Version(registers_after=30.0, only_on=frozenset({"a1"}))
    scene = Scene(slow, restart_tests=False)
    scene.runner.until(lambda it: it.state.stage == 1)
    assert estimate(scene.runner.run_value) == scene.runner.state.slowest
    assert 30.0 < scene.runner.state.slowest < 50.0


def test_a_pass_that_outlived_its_runner_says_nothing_of_how_long_a_node_takes() -> None:
    scene = Scene(restart_tests=False)
    scene.runner.until(lambda it: "delete-pod a1 done" in it.steps_text)
    runner = go_on(scene, after=20.0)
    runner.record(note("run", "held", detail={"holder": 2}))
    runner.until(lambda it: it.state.node("a1").status is NodeStatus.PASSED)
    assert runner.state.slowest == 0.0


@pytest.mark.parametrize("nodes", [FOUR, ("a1", "a2", "a3", "b1", "b2", "b3", "c1")])
@pytest.mark.parametrize("parallel", [1, 2])
def test_two_estimates_at_a_time_get_the_run_done(nodes: tuple[str, ...], parallel: int) -> None:
    scene = Scene(nodes=nodes, parallel=parallel)
    before = progress(scene.runner)
    for _ in range(60):
        runner = within(scene, 2 * estimate(scene.runner.run_value))
        ending = runner.run()
        if ending.exit == 0:
            break
        assert ending.exit == 5
        assert scene.standing.startswith("v1")
        assert runner.state.working == ()
        assert [name for name, node in scene.cluster.nodes.items() if node.unschedulable] == []
        after = progress(runner)
        assert after > before
        before = after
    assert ending.exit == 0
    assert scene.cluster.leftovers == []


def test_no_node_is_changed_after_the_time_and_those_in_flight_are_seen_through() -> None:
    scene = Scene(nodes=("a1", "a2", "a3", "a4", "a5", "a6"), restart_tests=False)
    scene.runner.until(lambda it: it.state.stage == 1)
    until = scene.cluster.now + 2 * NODE
    runner = go_on(scene, Limits(until=until), after=0.5)
    ending = runner.run()
    assert ending.exit == 5
    assert ending.summary.startswith("time used up")
    assert ending.summary.endswith("the same command goes on")
    assert all(deletion.at <= until - NODE + 10.0 for deletion in scene.cluster.deletions)
    assert scene.cluster.now <= until + 1.0


def test_too_little_time_for_one_node_changes_nothing() -> None:
    scene = Scene()
    ending = within(scene, NODE - 1.0).run()
    assert ending.exit == 5
    assert f"a node takes up to {NODE:.0f} s" in ending.summary
    assert scene.touched == set()
    assert scene.steps == ["run began", "run ended"]


def test_time_that_ends_in_a_soak_ends_the_try_and_the_soak_goes_on_without_it() -> None:
    scene = Scene(stages=(canary("canary", "a1", soak=300.0), wave(1, "a2", "b1", "b2")))
    scene.runner.until(lambda it: it.state.soak_since is not None)
    since = scene.runner.state.soak_since
    ending = within(scene, 50.0).run()
    assert (ending.exit, ending.summary) == (5, "time used up; the same command goes on")
    assert scene.runner.state.soak_since == since
    scene.cluster.advance(300.0)
    runner = within(scene, 100.0)
    runner.until(lambda it: it.state.stage == 1)


def test_a_pass_that_waited_too_long_before_its_deletion_is_called_off() -> None:
    scene = Scene(restart_tests=False)
    scene.runner.until(lambda it: "cordon a1 done" in it.steps_text)
    runner = go_on(scene, Limits(until=scene.cluster.now + 1.0), after=0.5)
    ending = runner.run()
    assert ending.exit == 5
    assert scene.cluster.deletions == []
    assert "node a1 cancelled" in runner.steps_text


def test_the_time_does_not_hold_up_a_way_back() -> None:
    bad = Version(devices=0, only_on=frozenset({"a2"}))
    scene = Scene(bad, on_failure=OnFailure(wave=Reaction.ROLLBACK))
    scene.runner.until(lambda it: any(step.startswith("turn") for step in it.steps_text))
    runner = go_on(scene, Limits(until=scene.cluster.now), after=1.0)
    assert runner.run().exit == 3


def test_the_time_does_not_hold_up_the_finish() -> None:
    scene = Scene()
    scene.runner.until(lambda it: it.state.stage == len(it.plan.stages))
    assert go_on(scene, Limits(until=scene.cluster.now), after=1.0).run().exit == 0


def test_limits_are_no_part_of_the_journal() -> None:
    scene = Scene()
    within(scene, NODE - 1.0).run()
    assert msgspec.json.encode(scene.journal[0]).find(b"until") == -1
    assert go_on(scene).run().exit == 0


def test_a_pull_that_takes_longer_than_the_time_says_so() -> None:
    scene = Scene()
    scene.cluster.pull_seconds = 100.0
    ending = within(scene, 2 * NODE).run()
    assert ending.exit == 5
    assert "with more time, as a1, b1 had not pulled the images yet" in ending.summary
    assert not [item for item in scene.cluster.leftovers if item.startswith("pod ")]
