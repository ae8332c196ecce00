"""Cordons of other people: set before a node's turn, taken away or asked to be kept during it."""

from bridgehead.core.model.node import HELD_BY, KEEP_CORDONED
from bridgehead.core.rollout.state import NodeStatus
from tests.core.rollout.scenes import FOUR, Scene
from tests.core.standin.runner import Runner

ALL_ON_TARGET = dict.fromkeys(FOUR, "v2")


def in_flight(runner: Runner) -> bool:
    return "delete-pod a2 done" in runner.steps_text


def test_a_node_that_was_cordoned_before_its_turn_is_changed_and_stays_cordoned() -> None:
    scene = Scene()
    scene.cluster.nodes["a2"].unschedulable = True
    assert scene.run().exit == 0
    assert scene.cluster.tags() == ALL_ON_TARGET
    assert scene.cluster.leftovers == ["a2 cordoned"]


def test_a_cordon_that_somebody_takes_away_is_told_and_not_fought_over() -> None:
    scene = Scene()
    scene.runner.until(in_flight)
    scene.cluster.nodes["a2"].unschedulable = False
    assert scene.run().exit == 0
    assert scene.steps.count("node a2 disowned") == 1
    assert scene.steps.count("cordon a2 done") == 1
    assert not scene.cluster.leftovers


def test_a_cordon_that_somebody_sets_after_taking_ours_away_is_theirs() -> None:
    scene = Scene()
    scene.runner.until(in_flight)
    scene.cluster.nodes["a2"].unschedulable = False
    scene.runner.until(lambda runner: "node a2 disowned" in runner.steps_text)
    scene.cluster.nodes["a2"].unschedulable = True
    assert scene.run().exit == 0
    assert scene.cluster.leftovers == ["a2 cordoned"]


def test_a_node_that_somebody_asked_to_keep_cordoned_stays_so() -> None:
    scene = Scene()
    scene.runner.until(in_flight)
    scene.cluster.nodes["a2"].annotations[KEEP_CORDONED] = "until friday"
    assert scene.run().exit == 0
    assert scene.cluster.leftovers == ["a2 cordoned"]


def test_a_node_of_another_run_is_waited_for_and_changed_once_that_lets_go() -> None:
    scene = Scene()
    node = scene.cluster.nodes["a2"]
    node.annotations[HELD_BY], node.unschedulable = "other-1", True
    scene.runner.until(lambda runner: "node a2 waits" in runner.steps_text)
    assert "cordon a2 intent" not in scene.steps
    del node.annotations[HELD_BY]
    node.unschedulable = False
    assert scene.run().exit == 0
    assert scene.cluster.tags() == ALL_ON_TARGET


def test_a_node_that_another_run_keeps_is_set_aside_with_that_run_named() -> None:
    scene = Scene()
    node = scene.cluster.nodes["a2"]
    node.annotations[HELD_BY], node.unschedulable = "other-1", True
    ending = scene.run()
    assert ending.exit == 4
    assert scene.runner.state.node("a2").status is NodeStatus.SET_ASIDE
    assert "held by the bridgehead run other-1" in ending.summary
    assert node.annotations[HELD_BY] == "other-1"
    assert node.unschedulable
