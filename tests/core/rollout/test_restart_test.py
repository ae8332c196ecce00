"""A canary's current revision is restarted before its change: a drifted node fails there."""

from bridgehead.core.rollout.limits import Limits
from bridgehead.core.rollout.state import NodeStatus
from bridgehead.core.verify.result import GateId
from tests.core.rollout.asking import go_on, pause, resume
from tests.core.rollout.scenes import FOUR, Scene
from tests.core.standin.plans import canary
from tests.core.standin.versions import Version

BROKEN = Version(registers_after=None)


def test_a_drifted_first_canary_ends_the_run_with_the_component_unchanged() -> None:
    scene = Scene()
    scene.cluster.drifted["a1"] = BROKEN
    ending = scene.run()
    assert ending.exit == 4
    assert ending.rollback_helps is False
    assert ending.failure is not None
    assert (ending.failure.gate, ending.failure.node) == (GateId.ALLOCATABLE, "a1")
    assert "a1 had drifted before the change" in ending.summary
    assert "The component is unchanged" in ending.summary
    assert "rollback would not help" in ending.summary
    assert scene.cluster.daemonset is not None
    assert scene.cluster.daemonset.generation == 1
    assert scene.standing == "v1 RollingUpdate"
    assert scene.touched == {"a1"}
    assert scene.runner.state.node("a1").status is NodeStatus.STUCK
    assert scene.cluster.leftovers == ["a1 cordoned", "a1 marked", "bridgehead.dev/run"]


def test_a_drifted_later_canary_leaves_the_earlier_ones_as_they_are() -> None:
    scene = Scene()
    scene.cluster.drifted["b1"] = BROKEN
    ending = scene.run()
    assert ending.exit == 4
    assert ending.rollback_helps is False
    assert "1 nodes keep the new version" in ending.summary
    assert scene.cluster.tags() == {"a1": "v2", "a2": "v1", "b1": "v1", "b2": "v1"}
    assert scene.standing == "v1 OnDelete"


def test_nothing_new_begins_once_a_restart_test_has_failed() -> None:
    nodes = ("a1", "b1", "c1", "d1", "e1")
    stages = (canary("canary", "a1"), canary("other canaries", *nodes[1:], parallel=2))
    scene = Scene(nodes=nodes, stages=stages)
    scene.cluster.drifted["b1"] = Version(crash_after=0.0)
    ending = scene.run()
    assert ending.exit == 4
    failed = scene.steps.index("node b1 failed")
    assert not [step for step in scene.steps[failed:] if step.startswith("cordon")]
    assert [x for x in scene.cluster.leftovers if not x.startswith("b1")] == [
        "bridgehead.dev/run",
        "bridgehead.dev/former-update-strategy",
    ]


def test_restart_tests_run_while_the_former_template_stands() -> None:
    scene = Scene()
    scene.run()
    for number, step in enumerate(scene.steps):
        if step == "node b1 verified":
            flips = scene.steps[:number].count("flip done")
            assert flips % 2 == 0
            break


def test_without_restart_tests_each_node_is_deleted_once() -> None:
    scene = Scene(restart_tests=False)
    assert scene.run().exit == 0
    assert sorted(d.node for d in scene.cluster.deletions) == list(FOUR)


def test_only_canaries_are_restarted() -> None:
    scene = Scene()
    scene.run()
    assert sorted(d.node for d in scene.cluster.deletions) == ["a1", "a1", "a2", "b1", "b1", "b2"]


def test_a_canary_that_is_only_cordoned_keeps_its_pod_when_another_has_drifted() -> None:
    nodes = ("a1", "b1", "c1", "d1")
    stages = (canary("canary", "a1"), canary("other canaries", *nodes[1:], parallel=2))
    scene = Scene(nodes=nodes, stages=stages)
    scene.cluster.drifted["b1"] = BROKEN
    scene.runner.until(lambda runner: "cordon d1 done" in runner.steps_text)
    scene.cluster.pod_of("b1").version = Version(log="panic: runtime error")
    assert scene.run().exit == 4
    assert scene.cluster.uids()["d1"] == scene.before["d1"]
    assert not scene.cluster.nodes["d1"].unschedulable


def test_a_restart_test_before_a_pause_is_done_anew_after_it() -> None:
    scene = Scene(during={"node a1 verified": pause})
    assert scene.run().exit == 5
    resume(scene.cluster)
    assert go_on(scene).run().exit == 0
    assert [item.node for item in scene.cluster.deletions].count("a1") == 3


def test_it_counts_on_where_only_the_time_of_a_runner_was_over() -> None:
    scene = Scene()
    scene.runner.until(lambda runner: runner.state.node("a1").restart_tested)
    scene.runner.limits = Limits(until=scene.cluster.now)
    assert scene.run().exit == 5
    assert go_on(scene).run().exit == 0
    assert [item.node for item in scene.cluster.deletions].count("a1") == 2
