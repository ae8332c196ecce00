"""What passed stays under watch: nodes fall ill, pods stop being ready, devices flap."""

from functools import partial

import pytest

from bridgehead.core.rollout.state import NodeStatus
from bridgehead.core.rollout.tracking import under_watch
from bridgehead.core.verify.result import GateId
from tests.core.rollout.scenes import FOUR, Scene
from tests.core.standin.runner import Runner
from tests.core.standin.versions import Version


def soaking(runner: Runner) -> bool:
    return runner.state.soak_since is not None and not runner.state.working


def in_soak_of(stage: int, runner: Runner) -> bool:
    return runner.state.stage == stage and soaking(runner)


def finishing(runner: Runner) -> bool:
    return runner.state.stage == len(runner.plan.stages)


def test_a_version_that_stops_being_ready_after_it_passed_fails_though_its_devices_stay() -> None:
    scene = Scene(Version(unready_after=20.0))
    ending = scene.run()
    assert ending.exit == 3
    assert ending.failure is not None
    assert ending.failure.gate is GateId.POD_READY
    assert ending.failure.seen == "its pod is not Ready"
    assert scene.cluster.tags() == dict.fromkeys(FOUR, "v1")


def test_logs_of_nodes_of_no_stage_are_read_on_in_the_last_soak() -> None:
    scene = Scene(nodes=("a1", "a2", "b1"))
    runner = scene.runner
    runner.until(partial(in_soak_of, 0))
    scene.cluster.join("a9")
    assert [node.name for node in under_watch(runner.run_value)] == ["a1"]
    runner.until(lambda it: it.run_value.stage is it.plan.stages[-1] and soaking(it))
    assert {node.name for node in under_watch(runner.run_value)} == {"a2", "a9"}
    scene.cluster.pod_of("a9").version = Version(log="panic: runtime error")
    assert scene.run().failure is not None


def test_a_node_that_dies_after_its_own_stage_fails_a_later_one() -> None:
    scene = Scene()
    scene.runner.during["stage passed"] = lambda cluster: setattr(
        cluster.nodes["a1"], "ready", False
    )
    ending = scene.run()
    assert ending.exit == 4
    assert ending.failure is not None
    assert (ending.failure.node, ending.failure.seen) == ("a1", "the node is not Ready")


def test_a_node_that_dies_after_the_last_stage_is_judged_before_the_end() -> None:
    scene = Scene()
    scene.runner.until(finishing)
    scene.cluster.nodes["a1"].ready = False
    ending = scene.run()
    assert ending.exit == 4
    assert ending.failure is not None
    assert (ending.failure.node, ending.failure.gate) == ("a1", GateId.POD_READY)
    assert not scene.runner.state.restored


def test_a_node_that_is_away_for_a_moment_before_the_end_is_waited_for() -> None:
    scene = Scene()
    scene.runner.until(finishing)
    scene.cluster.nodes["a1"].ready = False
    for _ in range(20):
        assert scene.runner.turn() is None
    assert scene.runner.waiting_for == "a1 passed and is not seen so now"
    scene.cluster.nodes["a1"].ready = True
    assert scene.run().exit == 0


def test_devices_that_go_away_again_and_again_fail_though_never_for_long() -> None:
    """No restart, and each time back before two looks say so: the plugin's stream keeps ending."""
    scene = Scene(Version(flaps=9.0))
    ending = scene.run()
    assert ending.exit == 3
    assert ending.failure is not None
    assert (ending.failure.gate, ending.failure.node) == (GateId.ALLOCATABLE, "a1")
    assert ending.failure.reason == "devices went away again and again after the node had passed"
    assert scene.steps.count("node a1 dipped") == 1


def dip(scene: Scene, node: str) -> None:
    """The devices are away for one report of the kubelet."""
    pod = scene.cluster.pod_of(node)
    version, pod.version = pod.version, Version(registers_after=None)
    scene.runner.turn()
    scene.cluster.advance(1.0)
    scene.runner.turn()
    pod.version = version
    scene.cluster.advance(1.0)


def test_devices_that_go_away_once_begin_the_soak_anew() -> None:
    scene = Scene()
    scene.runner.until(soaking)
    scene.cluster.advance(20)
    scene.runner.turn()
    dip(scene, "a1")
    assert scene.run().exit == 0
    soaks = [entry.at for entry in scene.journal if entry.result == "soaking"]
    passed = [x.at for x in scene.journal if (x.step, x.result) == ("stage", "passed")]
    assert passed[0] - soaks[1] >= 30
    assert scene.runner.state.node("a1").status is NodeStatus.PASSED


def test_a_dip_that_is_recorded_within_its_own_millisecond_is_one_dip() -> None:
    """Records are dated to the millisecond, downwards; what is seen is not."""
    scene = Scene()
    scene.cluster.now += 0.0007
    scene.runner.until(soaking)
    scene.cluster.advance(20)
    scene.runner.turn()
    dip(scene, "a1")
    assert scene.run().exit == 0
    assert scene.steps.count("node a1 dipped") == 1


@pytest.mark.parametrize("stage", [1, 2])
def test_a_dip_in_each_of_two_stages_fails_nothing(stage: int) -> None:
    scene = Scene()
    for number in (0, stage):
        scene.runner.until(partial(in_soak_of, number))
        scene.cluster.advance(5)
        scene.runner.turn()
        dip(scene, "a1")
    assert scene.run().exit == 0
    assert scene.steps.count("node a1 dipped") == 2


def test_a_runner_that_takes_over_remembers_the_dip_before() -> None:
    scene = Scene()
    scene.runner.until(soaking)
    scene.cluster.advance(5)
    scene.runner.turn()
    dip(scene, "a1")
    assert "node a1 dipped" in scene.steps
    scene.runner = Runner(scene.cluster, scene.plan, journal=scene.journal)
    scene.runner.until(soaking)
    for _ in range(5):
        scene.runner.turn()
    dip(scene, "a1")
    assert scene.run().exit == 3


def test_a_log_that_cannot_be_read_to_the_end_of_a_soak_and_beyond_fails_its_node() -> None:
    scene = Scene()
    scene.runner.until(soaking)
    scene.cluster.unreadable.add("a1")
    ending = scene.run()
    assert ending.exit == 3
    assert ending.failure is not None
    assert (ending.failure.gate, ending.failure.node) == (GateId.LOG, "a1")
    assert "could not be read within 60 s after its soak: connection refused" in (
        ending.failure.reason
    )


def test_a_log_that_can_be_read_again_soon_after_the_soak_holds_the_stage_up_and_no_more() -> None:
    scene = Scene()
    scene.runner.until(soaking)
    scene.cluster.unreadable.add("a1")
    scene.runner.until(lambda it: it.waiting_for == "a1 passed, but its log cannot be read")
    assert scene.runner.state.stage == 0
    scene.cluster.unreadable.clear()
    assert scene.run().exit == 0


def test_a_log_that_cannot_be_read_for_a_moment_of_a_soak_changes_nothing() -> None:
    scene = Scene()
    scene.runner.until(soaking)
    scene.cluster.unreadable.add("a1")
    scene.runner.turn()
    scene.cluster.unreadable.clear()
    scene.runner.until(lambda it: it.state.stage == 1)
    assert not scene.runner.waiting_for.endswith("cannot be read")
    assert scene.run().exit == 0
