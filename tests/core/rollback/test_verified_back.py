"""Before a run says that the former version is back and verified: who was looked at for that."""

from bridgehead.core.rollout.state import NodeStatus
from tests.core.rollout.asking import abort, go_on
from tests.core.rollout.scenes import FOUR, Scene
from tests.core.standin.versions import Version

BROKEN = Version(devices=0, only_on=frozenset({"b2"}))
SILENT = Version(registers_after=None)


def held() -> Scene:
    """A run that holds: b2 failed and is back, a1, a2 and b1 keep the new version."""
    scene = Scene(BROKEN)
    assert scene.run().exit == 4
    assert scene.cluster.tags() == {"a1": "v2", "a2": "v2", "b1": "v2", "b2": "v1"}
    return scene


def test_a_node_that_passed_and_came_up_on_the_former_version_by_itself_is_judged() -> None:
    scene = held()
    scene.cluster.drifted["a1"] = SILENT
    scene.cluster.delete_by_hand("a1")
    scene.cluster.advance(20)
    abort(scene.cluster)
    ending = go_on(scene).run()
    assert ending.exit == 4
    assert "does not come back on a1" in ending.summary
    assert "is on the node now; the new version may have left it so" in ending.summary
    assert scene.runner.state.node("a1").status is NodeStatus.STUCK
    assert scene.cluster.nodes["a1"].unschedulable


def test_a_node_that_is_judged_as_it_stands_keeps_its_pod() -> None:
    scene = held()
    scene.cluster.delete_by_hand("a1")
    scene.cluster.advance(20)
    stands = scene.cluster.pod_of("a1").uid
    abort(scene.cluster)
    assert go_on(scene).run().exit == 3
    assert scene.cluster.pod_of("a1").uid == stands
    assert scene.runner.state.node("a1").status is NodeStatus.TAKEN_BACK
    assert scene.cluster.tags() == dict.fromkeys(FOUR, "v1")
    assert scene.cluster.leftovers == []


def test_a_disturbed_node_is_judged_on_the_way_back() -> None:
    scene = Scene()
    runner = scene.runner
    runner.until(lambda it: it.state.soak_since is not None)
    scene.cluster.drifted["a1"] = SILENT
    scene.cluster.delete_by_hand("a1")
    runner.until(lambda it: it.steps_text[-1] == "node a1 disturbed")
    abort(scene.cluster)
    assert runner.run().exit == 4
    assert runner.state.node("a1").status is NodeStatus.STUCK


def test_a_node_whose_pod_is_away_is_waited_for_and_judged() -> None:
    scene = held()
    scene.cluster.drifted["a1"] = SILENT
    scene.cluster.delete_by_hand("a1")
    abort(scene.cluster)
    assert go_on(scene, after=0.5).run().exit == 4
    assert scene.runner.state.node("a1").status is NodeStatus.STUCK


def test_a_pod_that_was_replaced_after_its_node_was_verified_back_is_judged_again() -> None:
    scene = held()
    scene.cluster.drifted["b2"] = SILENT
    scene.cluster.delete_by_hand("b2")
    scene.cluster.advance(20)
    abort(scene.cluster)
    assert go_on(scene).run().exit == 4
    assert scene.runner.state.node("b2").status is NodeStatus.STUCK
