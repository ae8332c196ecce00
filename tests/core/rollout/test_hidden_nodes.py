"""A stage is not over while a node of an earlier one is out of sight."""

import msgspec

from bridgehead.core.rollout.run import Run
from bridgehead.core.rollout.soaking import soak
from bridgehead.core.rollout.state import NodeState, NodeStatus, with_node
from bridgehead.core.verify.soak import Verified
from tests.core.rollout.scenes import Scene

NOW = 1_700_001_000.0


def last_stage(scene: Scene, *, soak_since: float | None) -> Run:
    """In the last stage: its own nodes were set aside, a1 passed in the first one."""
    run = scene.runner.run_value
    state = msgspec.structs.replace(run.state, stage=2, soak_since=soak_since)
    verified = Verified(pod=scene.cluster.pod_of("a1").uid, restarts=0)
    passed = NodeState(name="a1", status=NodeStatus.PASSED, verified=verified)
    for node in (passed, *(NodeState(name=n, status=NodeStatus.SET_ASIDE) for n in ("a2", "b2"))):
        state = with_node(state, node)
    return msgspec.structs.replace(run, state=state)


def results(scene: Scene, run: Run, now: float = NOW) -> list[str]:
    stage = run.plan.stages[2]
    return [draft.result for draft in soak(run, stage, scene.cluster.world(), now).notes]


def test_without_a_node_of_its_own_a_stage_is_over_at_once() -> None:
    scene = Scene()
    assert results(scene, last_stage(scene, soak_since=None)) == ["passed"]


def test_an_earlier_node_out_of_sight_keeps_even_such_a_stage_open() -> None:
    scene = Scene()
    scene.cluster.nodes["a1"].ready = False
    assert results(scene, last_stage(scene, soak_since=None)) == ["soaking"]


def test_it_is_waited_for_after_the_soak_and_then_failed() -> None:
    scene = Scene()
    scene.cluster.nodes["a1"].ready = False
    run = last_stage(scene, soak_since=NOW)
    over = NOW + run.plan.stages[2].soak
    assert results(scene, run, over) == []
    assert results(scene, run, over + run.plan.timing.timeout) == ["failed"]
    scene.cluster.nodes["a1"].ready = True
    assert results(scene, run, over) == ["passed"]
