"""A Node object that is deleted and made anew: cordon, mark and all that was proven are gone."""

import pytest

from bridgehead.core.rollout.state import NodeStatus
from tests.core.rollout.asking import abort
from tests.core.rollout.scenes import FOUR, Scene
from tests.core.standin.versions import Version


@pytest.mark.parametrize("place", ["cordon a2 done", "delete-pod a2 done"])
def test_a_node_that_is_made_anew_in_flight_is_cordoned_again_for_its_change(place: str) -> None:
    scene = Scene()
    scene.runner.until(lambda runner: place in runner.steps_text)
    scene.cluster.renew("a2")
    begun = len(scene.steps)
    assert scene.run().exit == 0
    steps = scene.steps[begun:]
    assert steps[0] == "node a2 renewed"
    assert steps.index("node a2 renewed") < steps.index("node a2 verified")
    assert scene.runner.state.node("a2").status is NodeStatus.PASSED
    assert scene.cluster.tags() == dict.fromkeys(FOUR, "v2")
    assert scene.cluster.leftovers == []


def test_a_node_that_is_made_anew_before_its_deletion_is_deleted_under_a_cordon() -> None:
    scene = Scene()
    scene.runner.until(lambda runner: "cordon a2 done" in runner.steps_text)
    scene.cluster.renew("a2")
    assert not scene.cluster.nodes["a2"].unschedulable
    scene.runner.until(lambda runner: "delete-pod a2 done" in runner.steps_text)
    assert scene.cluster.nodes["a2"].unschedulable


def test_a_canary_that_is_made_anew_is_proven_again_before_anything_of_a_later_stage() -> None:
    scene = Scene()
    scene.runner.until(lambda runner: runner.state.stage == 1)
    scene.cluster.renew("a1")
    begun = len(scene.steps)
    assert scene.run().exit == 0
    steps = scene.steps[begun:]
    soaked = steps.index("stage passed")
    assert "node a1 verified" in steps[:soaked]
    assert "stage soaking" in steps[:soaked]
    assert "cordon b1 done" not in steps[:soaked]


def test_devices_of_the_node_before_are_no_baseline_of_the_new_one() -> None:
    scene = Scene(nodes=("a1", "a2", "c1"))
    scene.runner.until(lambda runner: "cordon c1 done" in runner.steps_text)
    scene.cluster.renew("c1")
    scene.cluster.nodes["c1"].devices = 2
    scene.cluster.advance(5)
    assert scene.run().exit == 0
    baseline = scene.runner.state.node("c1").baseline
    assert baseline is not None
    assert [offer.allocatable for offer in baseline.offers.values()] == [2]


def test_a_node_that_is_made_anew_with_the_target_is_taken_back() -> None:
    scene = Scene(Version(devices=0, only_on=frozenset({"b2"})))
    assert scene.run().exit == 4
    scene.cluster.renew("a1")
    abort(scene.cluster)
    assert scene.run().exit == 3
    assert scene.cluster.tags() == dict.fromkeys(FOUR, "v1")
    assert scene.cluster.leftovers == []


def test_a_node_that_lost_its_uid_while_it_failed_keeps_its_question() -> None:
    scene = Scene(Version(devices=0, only_on=frozenset({"b2"})))
    scene.runner.until(lambda runner: "node b2 failed" in runner.steps_text)
    scene.cluster.renew("b2")
    ending = scene.run()
    assert ending.exit == 4
    assert "b2" in ending.summary
