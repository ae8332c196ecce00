"""A node that is changed after the last stage: whoever leaves then parks, as before."""

import pytest

from bridgehead.core.rollout.commands import Position
from bridgehead.core.rollout.decide import interrupted
from bridgehead.core.rollout.decision import note
from tests.core.rollout.scenes import FOUR, Scene
from tests.core.standin.runner import Runner


def finishing(runner: Runner) -> bool:
    return runner.state.stage == len(runner.plan.stages)


def late(scene: Scene) -> Runner:
    """Another node joins after the last stage, and is in the gap now."""
    runner = scene.runner
    runner.until(finishing)
    scene.cluster.join("a9")
    scene.cluster.advance(5)
    runner.until(lambda it: it.steps_text[-1] == "delete-pod a9 done")
    assert scene.standing == "v2 OnDelete"
    return runner


def test_a_runner_that_leaves_with_a_late_node_in_the_gap_parks() -> None:
    scene = Scene()
    late(scene).interrupt()
    assert scene.standing == "v1 OnDelete"
    assert scene.run().exit == 0
    assert scene.cluster.tags() == dict.fromkeys((*FOUR, "a9"), "v2")
    assert scene.cluster.leftovers == []


@pytest.mark.parametrize("restored", [False, True])
def test_a_target_that_stands_for_good_is_left_standing(restored: bool) -> None:
    scene = Scene()
    scene.runner.until(
        lambda it: (
            finishing(it) and it.state.template is Position.TARGET and it.state.restored is restored
        )
    )
    assert interrupted(scene.runner.run_value).commands == ()
    assert scene.run().exit == 0


def test_a_way_back_is_parked_after_the_last_stage_too() -> None:
    scene = Scene()
    scene.runner.until(lambda it: finishing(it) and it.state.template is Position.TARGET)
    scene.runner.record(note("turn", "back", detail={"reason": "asked for"}))
    scene.runner.interrupt()
    assert scene.standing == "v1 OnDelete"
