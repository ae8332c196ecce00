"""What others do meanwhile: pods deleted by hand, nodes that join, leave, fall ill or are held."""

import pytest

from bridgehead.core.model.node import HELD_BY
from bridgehead.core.plan.plan import SetAside
from bridgehead.core.rollout.state import Mode, NodeStatus
from bridgehead.core.verify.result import GateId
from tests.core.rollout.scenes import FOUR, Scene
from tests.core.standin.cluster import GPU, Cluster
from tests.core.standin.plans import canary, plan_of, wave
from tests.core.standin.runner import Runner
from tests.core.standin.versions import GOOD, Version


def soaking(runner: Runner) -> bool:
    return runner.state.soak_since is not None and not runner.state.working


def test_while_the_template_is_parked_accidents_and_newcomers_get_the_former_version() -> None:
    scene = Scene()
    scene.runner.until(soaking)
    scene.cluster.delete_by_hand("b2")
    scene.cluster.join("a9")
    scene.cluster.advance(5)
    assert scene.cluster.tags() == {"a1": "v2", "a2": "v1", "b1": "v1", "b2": "v1", "a9": "v1"}
    assert scene.run().exit == 0
    assert scene.cluster.tags() == dict.fromkeys((*FOUR, "a9"), "v2")
    assert scene.cluster.leftovers == []


def test_a_canary_whose_pod_is_deleted_in_soak_is_changed_again_and_soaks_anew() -> None:
    scene = Scene()
    scene.runner.until(soaking)
    scene.cluster.advance(20)
    scene.cluster.delete_by_hand("a1")
    assert scene.run().exit == 0
    assert scene.cluster.tags() == dict.fromkeys(FOUR, "v2")
    soaks = [entry.at for entry in scene.journal if entry.result == "soaking"]
    passed = [
        entry.at for entry in scene.journal if (entry.step, entry.result) == ("stage", "passed")
    ]
    assert passed[0] - soaks[1] >= 30
    assert scene.runner.state.node("a1").disturbances == 1


@pytest.mark.parametrize("when", ["cordon a3 done", "stage soaking"])
def test_a_canary_that_is_disturbed_later_soaks_again_before_anything_else_begins(
    when: str,
) -> None:
    stages = (canary("canary", "a1"), wave(1, "a2"), wave(2, "a3", "a4", parallel=1))
    scene = Scene(nodes=("a1", "a2", "a3", "a4"), stages=stages)
    runner = scene.runner
    runner.until(lambda it: it.state.stage == 2 and it.steps_text[-1] == when)
    scene.cluster.delete_by_hand("a1")
    runner.until(lambda it: it.steps_text[-1] == "node a1 disturbed")
    begun = len(scene.steps)
    assert scene.run().exit == 0
    steps = scene.steps[begun:]
    soaked = steps.index("stage passed")
    between = steps[:soaked]
    assert "node a1 verified" in between
    assert "stage soaking" in between
    assert "cordon a4 done" not in between
    # The wave in between has soaked, and nothing of it was changed since.
    assert steps[soaked + 1] == "stage passed"
    assert steps.count("stage soaking") == 2
    assert scene.cluster.leftovers == []


def test_a_canary_that_fails_when_it_is_changed_again_holds_the_waves_that_passed() -> None:
    stages = (canary("canary", "a1"), wave(1, "a2"), wave(2, "a3"))
    scene = Scene(nodes=("a1", "a2", "a3"), stages=stages)
    scene.runner.until(lambda it: it.state.stage == 2)
    scene.cluster.delete_by_hand("a1")
    scene.cluster.advance(5)
    scene.cluster.versions["v2"] = Version(registers_after=None)
    ending = scene.run()
    assert ending.exit == 4
    assert scene.runner.state.mode is Mode.HOLD


def test_a_second_disturbance_of_the_same_node_fails_it() -> None:
    scene = Scene()
    for _ in range(2):
        scene.runner.until(soaking)
        scene.cluster.delete_by_hand("a1")
        scene.runner.turn()
        scene.cluster.advance(3)
        scene.runner.turn()
    ending = scene.run()
    assert ending.exit == 3
    assert ending.failure is not None
    assert ending.failure.reason == "its pod was replaced by someone else twice"
    assert scene.cluster.tags() == dict.fromkeys(FOUR, "v1")


def test_a_node_that_passed_long_ago_is_changed_again_after_a_disturbance() -> None:
    scene = Scene()
    scene.runner.until(lambda runner: runner.state.stage == 2 and soaking(runner))
    scene.cluster.delete_by_hand("a1")
    assert scene.run().exit == 0
    assert scene.cluster.tags() == dict.fromkeys(FOUR, "v2")


def test_a_pod_deleted_by_hand_just_before_the_nodes_turn_leaves_it_its_baseline() -> None:
    """Allocatable is 0 for a moment: taken for the baseline it would pass a version with none."""
    bad = Version(devices=0, only_on=frozenset({"a2"}))
    scene = Scene(bad)
    scene.runner.until(lambda runner: runner.state.stage == 2)
    scene.cluster.delete_by_hand("a2")
    scene.cluster.advance(2)
    assert scene.cluster.nodes["a2"].offers[GPU].allocatable == 0
    ending = scene.run()
    assert ending.exit == 4
    assert ending.failure is not None
    assert (ending.failure.node, ending.failure.expected) == ("a2", "vendor.com/gpu 4")


def test_a_node_of_a_later_stage_that_comes_up_on_the_target_is_judged_at_once() -> None:
    """An unplanned canary: measured by what its kind offers, as it has no baseline of its own."""
    bad = Version(devices=1, only_on=frozenset({"a2"}))
    scene = Scene(bad)

    def lose(cluster: Cluster) -> None:
        cluster.delete_by_hand("a2")

    scene.runner.during["flip done"] = lose
    ending = scene.run()
    assert ending.exit == 3
    assert ending.failure is not None
    assert ending.failure.node == "a2"
    assert scene.cluster.tags() == dict.fromkeys(FOUR, "v1")


def test_a_good_unplanned_canary_is_not_changed_again() -> None:
    scene = Scene(restart_tests=False)
    scene.runner.during["flip done"] = lambda cluster: cluster.delete_by_hand("b2")
    assert scene.run().exit == 0
    assert "node b2 arrived" in scene.steps
    assert sorted(d.node for d in scene.cluster.deletions) == ["a1", "a2", "b1"]


def test_a_joiner_that_comes_up_on_a_bad_target_stops_the_run() -> None:
    scene = Scene(Version(registers_after=None, only_on=frozenset({"a9"})))
    scene.runner.during["flip done"] = lambda cluster: cluster.join("a9")
    ending = scene.run()
    assert ending.exit == 3
    assert ending.failure is not None
    assert ending.failure.node == "a9"
    assert scene.cluster.tags() == dict.fromkeys((*FOUR, "a9"), "v1")


def test_a_pending_node_that_becomes_not_ready_is_set_aside() -> None:
    scene = Scene()
    scene.runner.until(soaking)
    scene.cluster.nodes["a2"].ready = False
    ending = scene.run()
    assert scene.runner.state.node("a2").status is NodeStatus.SET_ASIDE
    assert scene.runner.state.node("a2").reason == "it became NotReady before its turn"
    assert ending.exit == 0
    assert ending.summary == "3 nodes run the new version; a2 will take it on when Ready again"
    assert scene.standing == "v2 RollingUpdate"


def test_a_node_that_was_set_aside_and_came_back_keeps_the_strategy_on_delete() -> None:
    scene = Scene()
    scene.runner.until(soaking)
    scene.cluster.nodes["a2"].ready = False
    scene.runner.until(lambda runner: runner.state.node("a2").status is NodeStatus.SET_ASIDE)
    scene.cluster.nodes["a2"].ready = True
    ending = scene.run()
    assert ending.exit == 4
    assert "a2 (it became NotReady before its turn)" in ending.summary
    assert scene.standing == "v2 OnDelete"


def test_a_node_that_the_plan_set_aside_is_not_replaced_unwatched() -> None:
    nodes = ("a1", "a2", "b1")
    scene = Scene(
        nodes=(*nodes, "b2"),
        plan=plan_of(nodes, set_aside=(SetAside("b2", "held by another tool"),)),
    )
    ending = scene.run()
    assert ending.exit == 4
    assert "b2 (held by another tool)" in ending.summary
    assert scene.standing == "v2 OnDelete"
    assert scene.cluster.tags()["b2"] == "v1"


def _aside(nodes: tuple[str, ...], version: Version = GOOD) -> Scene:
    aside = (SetAside("b2", "it was NotReady"),)
    scene = Scene(version, nodes=(*nodes, "b2"), plan=plan_of(nodes, set_aside=aside))
    scene.runner.during["flip done"] = lambda cluster: cluster.delete_by_hand("b2")
    return scene


def test_a_set_aside_node_that_comes_up_on_a_good_target_is_verified() -> None:
    scene = _aside(("a1", "a2", "b1"))
    ending = scene.run()
    assert (ending.exit, ending.summary) == (0, "4 nodes run the new version")
    assert "node b2 verified" in scene.steps
    assert "b2" not in {deletion.node for deletion in scene.cluster.deletions}


def test_a_set_aside_node_that_comes_up_on_a_bad_target_stops_the_run() -> None:
    scene = _aside(("a1", "a2", "b1"), Version(registers_after=None, only_on=frozenset({"b2"})))
    ending = scene.run()
    assert ending.exit == 3
    assert ending.failure is not None
    assert ending.failure.node == "b2"
    assert scene.cluster.tags() == dict.fromkeys(FOUR, "v1")


def test_a_node_that_was_set_aside_on_the_way_and_comes_up_on_the_target_is_judged() -> None:
    bad = Version(registers_after=None, only_on=frozenset({"a2"}))
    stages = (canary("canary", "a1"), canary("others", "b1"), wave(1, "a2"), wave(2, "b2"))
    scene = Scene(bad, stages=stages)
    scene.runner.until(soaking)
    scene.cluster.nodes["a2"].ready = False
    scene.runner.until(lambda runner: runner.state.node("a2").status is NodeStatus.SET_ASIDE)
    scene.cluster.nodes["a2"].ready = True
    scene.runner.during["flip done"] = lambda cluster: cluster.delete_by_hand("a2")
    ending = scene.run()
    assert ending.failure is not None
    assert ending.failure.node == "a2"


def test_a_set_aside_node_is_not_judged_while_it_is_away_or_held_by_others() -> None:
    scene = _aside(("a1", "a2", "b1"), Version(registers_after=None, only_on=frozenset({"b2"})))
    scene.cluster.nodes["b2"].annotations[HELD_BY] = "other-7"
    scene.run()
    assert "node b2 arrived" not in scene.steps
    assert scene.cluster.nodes["b2"].annotations == {HELD_BY: "other-7"}


def test_a_canary_that_is_lost_before_its_turn_holds_the_run() -> None:
    scene = Scene()
    scene.runner.until(soaking)
    scene.cluster.nodes["b1"].ready = False
    ending = scene.run()
    assert ending.exit == 4
    assert "canary b1 was not changed (it became NotReady before its turn)" in ending.summary
    assert scene.cluster.tags() == {"a1": "v2", "a2": "v1", "b1": "v1", "b2": "v1"}


def test_a_first_canary_that_is_lost_before_its_turn_lets_no_other_node_go_first() -> None:
    scene = Scene()
    scene.runner.until(lambda runner: "preflight passed" in runner.steps_text)
    scene.cluster.nodes["a1"].ready = False
    ending = scene.run()
    assert ending.exit == 4
    assert scene.cluster.deletions == []
    assert scene.cluster.daemonset is not None
    assert scene.cluster.daemonset.generation == 1


def test_a_node_that_leaves_before_its_turn_is_dropped() -> None:
    scene = Scene()
    scene.runner.until(soaking)
    scene.cluster.leave("a2")
    ending = scene.run()
    assert (ending.exit, ending.summary) == (0, "3 nodes run the new version")
    assert scene.runner.state.node("a2").status is NodeStatus.LEFT


def test_a_node_that_leaves_in_flight_keeps_its_place_until_its_time_is_over() -> None:
    scene = Scene()
    scene.runner.until(lambda runner: "delete-pod a2 done" in runner.steps_text)
    scene.cluster.leave("a2")
    ending = scene.run()
    assert ending.exit == 4
    assert ending.failure is not None
    assert ending.failure.node == "a2"
    assert ending.failure.reason == "could not be verified within 60 s: the node is gone"
    assert "node a2 left" not in scene.steps


def test_a_node_that_leaves_before_its_pod_was_deleted_is_not_waited_for() -> None:
    scene = Scene()
    scene.runner.until(lambda runner: "cordon a2 done" in runner.steps_text)
    scene.cluster.leave("a2")
    begun = scene.cluster.now
    scene.runner.until(lambda runner: runner.state.node("a2").status is NodeStatus.LEFT)
    assert scene.cluster.now < begun + 5
    assert scene.run().exit == 0


def test_a_node_that_leaves_before_it_is_taken_back_is_not_waited_for() -> None:
    scene = Scene(Version(devices=0, only_on=frozenset({"b1"})))
    scene.runner.until(lambda runner: "node b1 failed" in runner.steps_text)
    scene.runner.until(lambda runner: runner.steps_text[-1] == "cordon a1 done")
    scene.cluster.leave("a1")
    assert scene.run().exit == 3
    assert scene.cluster.leftovers == []


def test_a_node_that_goes_not_ready_in_flight_fails_as_not_verified() -> None:
    scene = Scene()
    scene.runner.until(lambda runner: "node a2 probed" in runner.steps_text or _up(runner, "a2"))
    scene.cluster.nodes["a2"].ready = False
    ending = scene.run()
    assert ending.exit == 4
    assert ending.failure is not None
    assert ending.failure.reason == (
        "could not be verified within 60 s: the node is not Ready, so what is known of it is old"
    )


def _up(runner: Runner, node: str) -> bool:
    return runner.cluster.tags().get(node) == "v2" and runner.cluster.pod_of(node).ready


def test_a_version_that_takes_its_node_down_in_soak_fails() -> None:
    scene = Scene()
    scene.runner.until(soaking)
    scene.cluster.nodes["a1"].ready = False
    ending = scene.run()
    assert ending.failure is not None
    assert (ending.failure.gate, ending.failure.node) == (GateId.POD_READY, "a1")
    assert ending.failure.seen == "the node is not Ready"
    assert ending.exit == 4  # it cannot be taken back either


def test_a_node_that_another_run_holds_is_waited_for_and_then_changed() -> None:
    scene = Scene()
    scene.cluster.nodes["a2"].annotations[HELD_BY] = "other-7"
    scene.runner.until(lambda runner: "node a2 waits" in runner.steps_text)
    del scene.cluster.nodes["a2"].annotations[HELD_BY]
    assert scene.run().exit == 0
    assert scene.cluster.tags() == dict.fromkeys(FOUR, "v2")


def test_a_node_that_another_run_keeps_is_set_aside_naming_that_run() -> None:
    scene = Scene()
    scene.cluster.nodes["a2"].annotations[HELD_BY] = "other-7"
    ending = scene.run()
    assert scene.runner.state.node("a2").reason == "held by the bridgehead run other-7"
    assert ending.exit == 4
    assert "a2 (held by the bridgehead run other-7)" in ending.summary
    assert scene.cluster.tags()["a2"] == "v1"
    assert scene.cluster.nodes["a2"].annotations == {HELD_BY: "other-7"}


def test_a_successor_on_the_wrong_revision_is_replaced_once_more() -> None:
    scene = Scene(restart_tests=False)
    scene.runner.during["delete-pod a1 done"] = _wrong_successor
    assert scene.run().exit == 0
    assert [d.node for d in scene.cluster.deletions].count("a1") == 2


def _wrong_successor(cluster: Cluster) -> None:
    """The controller works on an old copy of the component for a moment."""
    component = cluster.daemonset
    assert component is not None
    new = component.seen_template
    component.seen_template = {
        "spec": {"containers": [{"name": "plugin", "image": "registry.test/plugin:v1"}]}
    }
    cluster.advance(2)
    component.seen_template = new


def test_nothing_is_decided_on_old_data() -> None:
    scene = Scene()
    scene.runner.until(soaking)
    scene.cluster.stale = "the list of pods"
    before = len(scene.journal)
    for _ in range(60):
        assert scene.runner.turn() is None
    assert len(scene.journal) == before
    assert scene.runner.waiting_for == "the list of pods is not up to date"
    scene.cluster.stale = ""
    assert scene.run().exit == 0


def test_a_joiner_is_measured_by_its_kind_and_not_by_itself() -> None:
    scene = Scene()
    scene.runner.until(soaking)
    scene.cluster.join("a9", devices=2)
    ending = scene.run()
    assert ending.exit == 4
    assert ending.failure is not None
    assert (ending.failure.node, ending.failure.expected) == ("a9", "vendor.com/gpu 4")


def test_a_node_that_left_and_is_back_under_its_name_is_changed_as_a_new_one() -> None:
    scene = Scene()
    scene.runner.until(soaking)
    scene.cluster.leave("a2")
    scene.runner.until(lambda runner: runner.state.node("a2").status is NodeStatus.LEFT)
    scene.cluster.join("a2")
    assert scene.run().exit == 0
    assert scene.cluster.tags() == dict.fromkeys(FOUR, "v2")
