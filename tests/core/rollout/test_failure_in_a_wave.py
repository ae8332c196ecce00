"""A node that fails in a wave: the run holds and takes that node alone back."""

import pytest

from bridgehead.core.plan.settings import OnFailure, Reaction
from bridgehead.core.rollout.state import Mode, NodeStatus
from bridgehead.core.verify.result import GateId
from tests.core.rollout.scenes import FOUR, Scene
from tests.core.standin.plans import canary, wave
from tests.core.standin.runner import Runner
from tests.core.standin.versions import Version

BROKEN = Version(devices=0, only_on=frozenset({"b2"}))


def test_it_holds_and_only_the_failing_node_is_taken_back() -> None:
    scene = Scene(BROKEN)
    ending = scene.run()
    assert ending.exit == 4
    assert ending.failure is not None
    assert (ending.failure.gate, ending.failure.node) == (GateId.ALLOCATABLE, "b2")
    assert scene.cluster.tags() == {"a1": "v2", "a2": "v2", "b1": "v2", "b2": "v1"}
    assert "3 nodes keep the new version" in ending.summary
    assert "taken back and verified: b2" in ending.summary
    assert scene.runner.state.mode is Mode.HOLD
    assert scene.runner.state.node("b2").status is NodeStatus.TAKEN_BACK


def test_a_hold_keeps_the_component_under_on_delete_with_the_former_template_parked() -> None:
    scene = Scene(BROKEN)
    scene.run()
    assert scene.standing == "v1 OnDelete"
    assert scene.cluster.leftovers == [
        "bridgehead.dev/run",
        "bridgehead.dev/former-update-strategy",
    ]


def test_nodes_that_wait_are_not_started_after_a_failure() -> None:
    nodes = (*FOUR, "a3", "a4", "b3", "b4")
    scene = Scene(Version(crash_after=0.0, only_on=frozenset({"a2"})), nodes=nodes, parallel=1)
    assert scene.run().exit == 4
    failed = scene.steps.index("node a2 failed")
    later = [step for step in scene.steps[failed:] if step.startswith("cordon")]
    assert later == ["cordon a2 intent", "cordon a2 done"]


def test_a_node_that_does_not_come_back_either_stays_cordoned_and_is_named() -> None:
    scene = Scene(BROKEN)
    scene.runner.until(lambda runner: "turn b2 hold" in runner.steps_text)
    scene.cluster.drifted["b2"] = Version(registers_after=None)
    ending = scene.run()
    assert ending.exit == 4
    assert "does not come back on the former version either: b2" in ending.summary
    assert "b2 cordoned" in scene.cluster.leftovers


def test_on_failure_wave_rollback_takes_everything_back() -> None:
    scene = Scene(BROKEN, on_failure=OnFailure(wave=Reaction.ROLLBACK))
    ending = scene.run()
    assert ending.exit == 3
    assert scene.cluster.tags() == dict.fromkeys(FOUR, "v1")
    assert scene.standing == "v1 RollingUpdate"
    assert scene.cluster.leftovers == []


def test_on_failure_canary_hold_leaves_earlier_canaries_on_the_target() -> None:
    scene = Scene(
        Version(devices=0, only_on=frozenset({"b1"})), on_failure=OnFailure(canary=Reaction.HOLD)
    )
    ending = scene.run()
    assert ending.exit == 4
    assert scene.cluster.tags() == {"a1": "v2", "a2": "v1", "b1": "v1", "b2": "v1"}


def test_healthy_nodes_go_back_newest_first_and_failed_ones_before_them() -> None:
    scene = Scene(BROKEN, on_failure=OnFailure(wave=Reaction.ROLLBACK), parallel=1)
    scene.run()
    turn = scene.steps.index("turn b2 back")
    back = [step.split()[1] for step in scene.steps[turn:] if step.startswith("delete-pod")][::2]
    assert back[0] == "b2"
    assert back[1:] == ["a2", "b1", "a1"]


def test_the_way_back_has_no_more_nodes_in_the_gap_than_the_way_forward() -> None:
    nodes = tuple(f"{kind}{number}" for kind in "abcd" for number in (1, 2))
    most = 0

    def count(runner: Runner) -> None:
        nonlocal most
        if runner.state.mode is Mode.BACK:
            away = [
                name
                for name, node in runner.cluster.nodes.items()
                if sum(offer.allocatable for offer in node.offers.values()) < node.devices
            ]
            most = max(most, len(away))

    bad = Version(unhealthy_after=8.0, only_on=frozenset({"d2"}))
    scene = Scene(
        bad, nodes=nodes, on_failure=OnFailure(wave=Reaction.ROLLBACK), watch=count, parallel=2
    )
    assert scene.run().exit == 3
    assert most == 2


def test_a_former_version_that_does_not_come_back_on_the_way_back_ends_with_exit_4() -> None:
    scene = Scene(Version(devices=0))
    scene.runner.until(lambda runner: "turn a1 back" in runner.steps_text)
    scene.cluster.drifted["a1"] = Version(registers_after=None)
    ending = scene.run()
    assert ending.exit == 4
    assert ending.rollback_helps is False
    assert "does not come back on a1" in ending.summary
    assert scene.standing == "v1 OnDelete"
    assert scene.cluster.leftovers[0] == "a1 cordoned"


@pytest.mark.parametrize("reaction", Reaction)
def test_a_failed_first_canary_comes_back_whatever_the_reaction(reaction: Reaction) -> None:
    scene = Scene(Version(devices=0), on_failure=OnFailure(canary=reaction))
    ending = scene.run()
    assert ending.exit == (3 if reaction is Reaction.ROLLBACK else 4)
    assert scene.cluster.tags() == dict.fromkeys(FOUR, "v1")


PANIC = Version(log="panic: runtime error")


def _in_turn() -> Scene:
    """One node after the other: b2 begins as soon as a2 has shown its devices."""
    stages = (
        canary("canary", "a1"),
        canary("other canaries", "b1"),
        wave(1, "a2", "b2", parallel=1, unproven=2),
    )
    return Scene(stages=stages, settle=20.0)


def test_a_node_that_is_cordoned_and_keeps_its_pod_is_let_go_when_the_run_holds() -> None:
    scene = _in_turn()
    scene.runner.until(lambda runner: "cordon b2 done" in runner.steps_text)
    scene.cluster.pod_of("a2").version = PANIC
    assert scene.run().exit == 4
    assert "node b2 cancelled" in scene.steps
    assert scene.cluster.uids()["b2"] == scene.before["b2"]
    assert not scene.cluster.nodes["b2"].unschedulable


def test_a_node_without_a_successor_comes_up_on_the_former_version_when_the_run_holds() -> None:
    scene = _in_turn()
    scene.runner.until(lambda runner: "delete-pod b2 done" in runner.steps_text)
    scene.cluster.pod_of("a2").version = PANIC
    ending = scene.run()
    assert ending.exit == 4
    assert "node b2 unchanged" in scene.steps
    assert [d.node for d in scene.cluster.deletions].count("b2") == 1
    assert scene.runner.state.node("b2").status is NodeStatus.PENDING
    assert not scene.cluster.nodes["b2"].unschedulable


def test_a_node_in_flight_stays_cordoned_until_it_is_taken_back() -> None:
    scene = Scene(
        Version(log="panic: runtime error", only_on=frozenset({"a2"})),
        on_failure=OnFailure(wave=Reaction.ROLLBACK),
        settle=20.0,
    )
    assert scene.run().exit == 3
    gone = scene.steps.index("node b2 abandoned")
    again = scene.steps.index("cordon b2 intent", gone)
    assert "uncordon b2 intent" not in scene.steps[gone:again]


def test_a_node_that_the_target_reached_unmeasured_is_taken_back_to_what_its_kind_offers() -> None:
    """It offers nothing under the target: that is not what it must come back to."""
    scene = Scene(Version(devices=0), restart_tests=False)
    scene.runner.until(lambda runner: "node a1 failed" in runner.steps_text)
    lost = scene.cluster.pod_of("a2")
    target = scene.cluster.pod_of("a1")
    lost.revision, lost.image, lost.version = target.revision, target.image, target.version
    scene.cluster.advance(3)
    ending = scene.run()
    assert ending.exit == 3
    cordon = next(e for e in scene.journal if (e.step, e.node) == ("cordon", "a2"))
    baseline = cordon.detail["baseline"]
    assert isinstance(baseline, dict)
    assert baseline["offers"] == {"vendor.com/gpu": {"capacity": 4, "allocatable": 4}}


def test_nothing_is_taken_back_before_the_controller_has_seen_the_parked_template() -> None:
    """The target still stands when the node fails, as another one waits for its turn."""
    stages = (canary("canary", "a1"), wave(1, "a2", "a3", parallel=1, unproven=1))
    scene = Scene(
        Version(log="panic: runtime error", only_on=frozenset({"a2"})),
        nodes=("a1", "a2", "a3"),
        stages=stages,
        on_failure=OnFailure(wave=Reaction.ROLLBACK),
    )
    assert scene.cluster.daemonset is not None
    scene.cluster.daemonset.lag = 7.0
    assert scene.run().exit == 3
    assert all(deletion.observed for deletion in scene.cluster.deletions)
    assert scene.cluster.tags() == {"a1": "v1", "a2": "v1", "a3": "v1"}
