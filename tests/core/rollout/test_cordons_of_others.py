"""Cordons of other people: set before a node's turn, taken away or asked to be kept during it."""

from bridgehead.core.model.node import HELD_BY, KEEP_CORDONED
from bridgehead.core.rollout.state import NodeStatus
from tests.core.rollout.scenes import FOUR, Scene
from tests.core.standin.runner import Runner
from tests.core.standin.versions import Version

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


def take(scene: Scene, name: str, run: str = "other-1") -> None:
    """Another run holds the node from now on."""
    node = scene.cluster.nodes[name]
    node.annotations[HELD_BY], node.unschedulable = run, True


def give_back(scene: Scene, name: str) -> None:
    node = scene.cluster.nodes[name]
    del node.annotations[HELD_BY]
    node.unschedulable = False


def test_a_node_that_is_to_be_taken_back_is_not_taken_from_another_run() -> None:
    scene = Scene()
    scene.runner.until(lambda runner: runner.state.stage == 1)
    take(scene, "a1")
    scene.cluster.versions["v2"] = Version(devices=0)
    scene.runner.until(lambda runner: runner.waiting_for.startswith("to be taken back: a1"))
    assert "held by the bridgehead run other-1" in scene.runner.waiting_for
    assert scene.cluster.nodes["a1"].annotations[HELD_BY] == "other-1"
    give_back(scene, "a1")
    assert scene.run().exit == 3
    assert scene.cluster.tags() == dict.fromkeys(FOUR, "v1")
    assert not scene.cluster.leftovers


def test_a_run_that_keeps_such_a_node_is_named_after_a_while_and_the_way_back_goes_on_later() -> (
    None
):
    scene = Scene()
    scene.runner.until(lambda runner: runner.state.stage == 1)
    take(scene, "a1")
    scene.cluster.versions["v2"] = Version(devices=0)
    ending = scene.run()
    assert ending.exit == 4
    assert "a1 (held by the bridgehead run other-1)" in ending.summary
    give_back(scene, "a1")
    assert scene.run().exit == 3
    assert scene.cluster.tags() == dict.fromkeys(FOUR, "v1")


def test_a_failed_node_of_a_wave_that_another_run_holds_is_waited_for() -> None:
    scene = Scene(Version(unhealthy=1, unhealthy_after=None))
    scene.runner.until(lambda runner: runner.state.stage == 2)
    scene.cluster.versions["v2"] = Version(devices=0)
    scene.runner.until(lambda runner: bool(runner.run_value.with_status(NodeStatus.FAILED)))
    failed = scene.runner.run_value.with_status(NodeStatus.FAILED)[0].name
    take(scene, failed)
    ending = scene.run()
    assert ending.exit == 4
    assert f"{failed} (held by the bridgehead run other-1)" in ending.summary
    assert scene.cluster.nodes[failed].annotations[HELD_BY] == "other-1"
