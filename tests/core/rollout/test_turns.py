"""Whose turn it is: what puts a node off for a while, what sets it aside, what is only told."""

from bridgehead.core.model.device import Offer
from bridgehead.core.rollout.state import NodeStatus
from bridgehead.core.verify.result import GateId
from tests.core.rollout.scenes import FOUR, Scene
from tests.core.standin.cluster import GPU, Cluster
from tests.core.standin.runner import Runner
from tests.core.standin.versions import Version

UPGRADING = {"nvidia.com/gpu-driver-upgrade-state": "drain-required"}


def soaking(runner: Runner) -> bool:
    return runner.state.soak_since is not None and not runner.state.working


def in_preflight(runner: Runner) -> bool:
    return "preflight b1 pulled" in runner.steps_text


def count(cluster: Cluster, node: str, devices: int) -> None:
    """The node has so many devices from now on, and says so."""
    cluster.nodes[node].devices = devices
    cluster.advance(2.0)
    assert cluster.nodes[node].offers[GPU] == Offer(devices, devices)


def test_a_node_that_is_not_ready_for_a_moment_before_its_turn_is_waited_for() -> None:
    scene = Scene()
    scene.runner.until(lambda runner: runner.state.stage == 2)
    scene.cluster.nodes["b2"].ready = False
    scene.runner.until(lambda runner: "node b2 waits" in runner.steps_text)
    scene.cluster.advance(2)
    scene.cluster.nodes["b2"].ready = True
    assert scene.run().exit == 0
    assert scene.cluster.tags() == dict.fromkeys(FOUR, "v2")


def test_each_wait_has_its_own_time() -> None:
    """A node that waited once, and then stood in the queue for long, may wait again."""
    scene = Scene(parallel=1)
    node = scene.cluster.nodes["b2"]
    scene.runner.until(lambda runner: runner.state.stage == 2)
    node.ready = False
    scene.runner.until(lambda runner: "node b2 waits" in runner.steps_text)
    node.ready = True
    scene.runner.until(lambda runner: "node b2 waited" in runner.steps_text)
    assert scene.runner.state.node("b2").waits_since is None
    assert scene.run().exit == 0


def test_a_node_that_another_tool_holds_at_its_turn_is_waited_for_and_then_set_aside() -> None:
    scene = Scene()
    scene.runner.until(soaking)
    scene.cluster.nodes["a2"].labels.update(UPGRADING)
    ending = scene.run()
    assert scene.runner.state.node("a2").status is NodeStatus.SET_ASIDE
    assert "the GPU Operator is upgrading its driver" in scene.runner.state.node("a2").reason
    assert scene.cluster.tags()["a2"] == "v1"
    assert ending.exit == 4


def test_a_node_that_comes_into_maintenance_before_its_turn_is_changed_after_that() -> None:
    scene = Scene()
    scene.runner.until(soaking)
    scene.cluster.nodes["a2"].holds = ("it is in maintenance (nodemaintenance.example m)",)
    scene.runner.until(lambda runner: "node a2 waits" in runner.steps_text)
    scene.cluster.nodes["a2"].holds = ()
    assert scene.run().exit == 0
    assert scene.cluster.tags() == dict.fromkeys(FOUR, "v2")


def test_a_node_that_another_tool_lets_go_in_time_is_changed() -> None:
    scene = Scene()
    scene.runner.until(soaking)
    scene.cluster.nodes["a2"].annotations["weave.works/kured-reboot-in-progress"] = "x"
    scene.runner.until(lambda runner: "node a2 waits" in runner.steps_text)
    del scene.cluster.nodes["a2"].annotations["weave.works/kured-reboot-in-progress"]
    assert scene.run().exit == 0
    assert scene.cluster.tags() == dict.fromkeys(FOUR, "v2")


def test_devices_that_are_away_for_a_moment_at_its_turn_are_no_baseline() -> None:
    """A kubelet that restarts offers nothing for seconds; as a baseline that would pass nothing."""
    scene = Scene(Version(devices=0))
    scene.cluster.advance(100)
    scene.runner.until(in_preflight)
    count(scene.cluster, "a1", 0)
    scene.runner.until(lambda runner: "node a1 waits" in runner.steps_text)
    count(scene.cluster, "a1", 4)
    ending = scene.run()
    assert ending.exit == 3
    assert ending.failure is not None
    assert (ending.failure.gate, ending.failure.expected) == (GateId.ALLOCATABLE, f"{GPU} 4")


def test_a_node_with_fewer_devices_than_its_kind_is_changed_after_a_while_and_told_of() -> None:
    scene = Scene()
    scene.runner.until(in_preflight)
    count(scene.cluster, "a2", 3)
    ending = scene.run()
    assert ending.exit == 0
    assert scene.cluster.tags() == dict.fromkeys(FOUR, "v2")
    times = {entry.result: entry for entry in scene.journal if entry.node == "a2"}
    assert times["fewer"].at - times["waits"].at >= 6 * scene.plan.timing.status_period
    assert times["fewer"].detail["reason"] == (
        "it offers vendor.com/gpu 3, where others of its kind offer 4"
    )


def test_a_node_that_offers_nothing_is_told_even_where_its_kind_offers_nothing() -> None:
    scene = Scene(restart_tests=False)
    scene.cluster.advance(100)
    scene.runner.until(in_preflight)
    for name in FOUR:
        count(scene.cluster, name, 0)
    scene.runner.until(lambda runner: "node a1 fewer" in runner.steps_text)
    fewer = next(entry for entry in scene.journal if entry.result == "fewer")
    assert fewer.detail["reason"] == "it offers vendor.com/gpu 0"
