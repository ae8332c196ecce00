"""Pause, resume and abort, as requests that a run finds under its key."""

import pytest

from bridgehead.core.plan.settings import OnFailure, Reaction
from bridgehead.core.rollout.decide import decide
from bridgehead.core.rollout.limits import Limits
from bridgehead.core.rollout.state import Mode, NodeStatus
from tests.core.rollout.asking import abort, go_on, pause, resume
from tests.core.rollout.scenes import Scene
from tests.core.standin.plans import plan_of
from tests.core.standin.versions import Version

WAITS = Limits(waits=True)


def held(scene: Scene) -> list[str]:
    return [name for name, node in scene.cluster.nodes.items() if node.unschedulable]


@pytest.mark.parametrize(
    "moment",
    [
        "run began",
        "preflight a1 pulled",
        "preflight passed",
        "cordon a1 intent",
        "delete-pod a1 done",
        "take-over done",
        "flip done",
        "stage soaking",
        "stage passed",
        "cordon a2 done",
        "delete-pod a2 intent",
    ],
)
def test_a_paused_run_parks_leaves_with_exit_5_and_goes_on_when_it_is_lifted(moment: str) -> None:
    scene = Scene(during={moment: pause})
    ending = scene.run()
    assert (ending.exit, ending.summary) == (5, "paused by alice: lunch")
    assert scene.standing.startswith("v1")
    assert held(scene) == []
    assert scene.runner.state.working == ()
    assert scene.runner.state.mode is not Mode.ENDED
    again = go_on(scene).run()
    assert (again.exit, again.summary) == (5, "paused by alice: lunch")
    resume(scene.cluster)
    assert go_on(scene).run().exit == 0
    assert scene.cluster.tags() == dict.fromkeys(scene.cluster.nodes, "v2")
    assert scene.cluster.leftovers == []


def test_a_pass_that_has_deleted_nothing_is_called_off_and_one_in_the_gap_is_seen_through() -> None:
    scene = Scene(restart_tests=False, during={"cordon a1 done": pause})
    assert scene.run().exit == 5
    assert scene.cluster.deletions == []
    late = Scene(restart_tests=False, during={"delete-pod a1 done": pause})
    assert late.run().exit == 5
    assert late.runner.state.node("a1").status in {NodeStatus.PASSED, NodeStatus.PENDING}
    assert late.runner.state.node("a1").work is None


def test_a_runner_that_may_wait_stays_through_the_pause_and_watches() -> None:
    scene = Scene(during={"stage soaking": pause})
    runner = go_on(scene, WAITS)
    runner.during = {"stage soaking": pause}
    runner.until(lambda it: it.waiting_for.startswith("paused by alice"))
    scene.cluster.advance(100.0)
    assert runner.turn() is None
    since = runner.state.soak_since
    assert since is not None
    resume(scene.cluster)
    began = scene.cluster.now
    runner.until(lambda it: it.state.stage == 1)
    assert scene.cluster.now < began + 30.0
    assert runner.run().exit == 0


def test_a_node_that_turns_bad_while_the_run_is_paused_is_reacted_to_as_ever() -> None:
    bad = Version(unhealthy_after=20.0)
    scene = Scene(bad, during={"stage soaking": pause})
    go_on(scene, WAITS).during = {"stage soaking": pause}
    ending = scene.run()
    assert ending.exit == 3
    assert set(scene.cluster.tags().values()) == {"v1"}


def test_the_soak_goes_on_without_a_runner_where_the_same_pods_stand_unharmed() -> None:
    scene = Scene(during={"stage soaking": pause})
    assert scene.run().exit == 5
    resume(scene.cluster)
    runner = go_on(scene, after=200.0)
    began = scene.cluster.now
    runner.until(lambda it: it.state.stage == 1)
    assert scene.cluster.now < began + 15.0


@pytest.mark.parametrize("harm", ["deleted", "restarted", "fewer"])
def test_time_without_a_runner_is_no_soak_where_a_pod_or_its_devices_changed(harm: str) -> None:
    scene = Scene(during={"stage soaking": pause})
    assert scene.run().exit == 5
    resume(scene.cluster)
    match harm:
        case "deleted":
            scene.cluster.delete_by_hand("a1")
        case "restarted":
            scene.cluster.pod_of("a1").restarts += 1
        case _:
            pod = scene.cluster.pod_of("a1")
            pod.version = Version(devices=1)
    runner = go_on(scene, after=200.0)
    ending = runner.run()
    if harm == "deleted":
        assert "node a1 disturbed" in runner.steps_text
        assert ending.exit == 0
    else:
        assert ending.exit == 3


def test_an_abort_takes_back_what_was_touched_and_names_who_asked() -> None:
    scene = Scene(during={"cordon a2 done": abort})
    ending = scene.run()
    assert ending.exit == 3
    assert ending.summary.startswith("dave asked for an abort; ")
    assert set(scene.cluster.tags().values()) == {"v1"}
    assert scene.standing == "v1 RollingUpdate"
    assert scene.cluster.leftovers == []


def test_an_abort_takes_back_a_run_that_is_paused_or_holds() -> None:
    paused = Scene(during={"stage soaking": pause})
    assert paused.run().exit == 5
    abort(paused.cluster)
    assert go_on(paused).run().exit == 3
    hold = Scene(Version(devices=0, only_on=frozenset({"a2"})))
    assert hold.run().exit == 4
    abort(hold.cluster)
    assert go_on(hold).run().exit == 3
    assert hold.cluster.leftovers == []


def test_a_pause_does_not_hold_up_a_way_back() -> None:
    scene = Scene(
        Version(devices=0, only_on=frozenset({"a2"})),
        plan=plan_of(("a1", "a2"), on_failure=OnFailure(wave=Reaction.ROLLBACK)),
        nodes=("a1", "a2"),
        during={"turn back": pause},
    )
    assert scene.run().exit == 3


def test_what_is_asked_after_the_end_changes_nothing_and_is_not_noted() -> None:
    scene = Scene()
    assert scene.run().exit == 0
    journal = list(scene.journal)
    abort(scene.cluster)
    pause(scene.cluster)
    assert go_on(scene).run().exit == 0
    assert scene.journal == journal


def test_requests_are_noted_before_anything_else_even_while_the_view_is_old() -> None:
    scene = Scene()
    pause(scene.cluster)
    scene.cluster.stale = "the list of nodes"
    run, world = scene.runner.run_value, scene.cluster.world()
    decision = decide(run, world, {}, scene.cluster.now)
    assert [(item.step, item.result) for item in decision.notes] == [("control", "pause")]
    assert not decision.commands
