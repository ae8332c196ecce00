"""Somebody else writes the component: the run stops, and overwrites nothing that is not its own."""

from bridgehead.core.model.json import JsonObject
from bridgehead.core.rollout.state import NodeStatus
from tests.core.rollout.scenes import FOUR, Scene
from tests.core.standin.cluster import Cluster
from tests.core.standin.controller import ROLLING, template_of
from tests.core.standin.runner import Runner
from tests.core.standin.versions import Version


def soaking(runner: Runner) -> bool:
    return runner.state.soak_since is not None and not runner.state.working


def _write(
    cluster: Cluster, *, template: JsonObject | None = None, strategy: JsonObject | None = None
) -> None:
    assert cluster.daemonset is not None
    cluster.daemonset.write(cluster.now, "kubectl-edit", template=template, strategy=strategy)


def test_a_third_template_is_named_and_left_standing() -> None:
    scene = Scene()
    scene.runner.until(soaking)
    _write(scene.cluster, template=template_of("v3"))
    ending = scene.run()
    assert ending.exit == 4
    assert "was changed by kubectl-edit" in ending.summary
    assert "neither the former one nor the target" in ending.summary
    assert "Nothing was overwritten" in ending.summary
    assert scene.standing == "v3 OnDelete"


def test_an_undo_that_puts_the_target_in_is_a_foreign_change() -> None:
    scene = Scene()
    scene.runner.until(soaking)
    _write(scene.cluster, template=template_of("v2"))
    ending = scene.run()
    assert ending.exit == 4
    assert "its template is the target" in ending.summary
    assert scene.standing == "v2 OnDelete"


def test_rolling_update_set_back_under_the_target_makes_the_former_template_stand() -> None:
    scene = Scene()
    scene.runner.until(lambda runner: "delete-pod a2 done" in runner.steps_text)
    assert scene.standing == "v2 OnDelete"
    _write(scene.cluster, strategy=ROLLING)
    ending = scene.run()
    assert ending.exit == 4
    assert "The former template was put back" in ending.summary
    assert scene.standing == "v1 RollingUpdate"
    scene.cluster.advance(60)
    assert scene.cluster.tags() == dict.fromkeys(FOUR, "v1")


def test_rolling_update_set_back_under_the_former_template_is_left_alone() -> None:
    scene = Scene()
    scene.runner.until(soaking)
    _write(scene.cluster, strategy=ROLLING)
    ending = scene.run()
    assert ending.exit == 4
    assert "its strategy RollingUpdate" in ending.summary


def test_a_change_of_the_component_in_the_gap_leaves_no_pod_and_no_needless_cordon() -> None:
    scene = Scene(parallel=2)
    scene.runner.until(lambda runner: "cordon a2 done" in runner.steps_text)
    _write(scene.cluster, template=template_of("v3"))
    ending = scene.run()
    assert ending.exit == 4
    assert scene.cluster.leftovers == [
        "bridgehead.dev/run",
        "bridgehead.dev/former-update-strategy",
    ]


def test_a_probe_pod_does_not_outlive_a_foreign_change() -> None:
    scene = Scene()
    scene.runner.until(lambda runner: "a2/probe" in runner.cluster.own)
    _write(scene.cluster, template=template_of("v3"))
    assert scene.run().exit == 4
    assert not [left for left in scene.cluster.leftovers if left.startswith("pod")]


def test_a_component_that_is_deleted_ends_the_run() -> None:
    scene = Scene()
    scene.runner.until(soaking)
    scene.cluster.daemonset = None
    ending = scene.run()
    assert ending.exit == 4
    assert ending.summary.startswith("daemonset/plugins/plugin is gone; this run cannot go on.")


def test_a_component_that_was_created_anew_is_not_touched() -> None:
    scene = Scene()
    scene.runner.until(soaking)
    assert scene.cluster.daemonset is not None
    scene.cluster.daemonset.uid = "ds-2"
    ending = scene.run()
    assert ending.exit == 4
    assert "was replaced by another object of the same name" in ending.summary


def test_a_controller_that_sees_nothing_for_a_minute_parks_the_template_and_ends_the_run() -> None:
    scene = Scene(restart_tests=False)
    scene.runner.until(lambda runner: "take-over done" in runner.steps_text)
    assert scene.cluster.daemonset is not None
    scene.runner.until(lambda runner: "flip done" in runner.steps_text)
    scene.cluster.daemonset.lag = 10_000.0
    ending = scene.run()
    assert ending.exit == 4
    assert "has not seen the last change within 60 s" in ending.summary
    assert scene.standing == "v1 OnDelete"
    assert scene.cluster.deletions == []


def test_a_controller_that_never_makes_the_target_revision_ends_the_run_parked() -> None:
    scene = Scene(restart_tests=False)
    assert scene.cluster.daemonset is not None
    scene.cluster.daemonset.makes_revisions = False
    begun = scene.cluster.now
    ending = scene.run()
    assert ending.exit == 4
    assert "has not made the target revision within 60 s" in ending.summary
    assert scene.cluster.now - begun < 120
    assert scene.standing == "v1 OnDelete"
    assert scene.cluster.deletions == []


def test_a_runner_that_is_interrupted_parks_the_former_template() -> None:
    scene = Scene()
    scene.runner.until(lambda runner: "delete-pod a2 done" in runner.steps_text)
    scene.runner.interrupt()
    assert scene.standing == "v1 OnDelete"


def test_an_undo_while_no_runner_lives_is_told_and_nothing_goes_on() -> None:
    scene = Scene()
    scene.runner.until(lambda runner: "delete-pod a2 done" in runner.steps_text)
    assert scene.standing == "v2 OnDelete"
    _write(scene.cluster, template=template_of("v1"))
    later = Runner(scene.cluster, scene.plan, journal=scene.journal)
    later.interrupt()  # as whoever takes over does: parks first
    ending = later.run()
    assert ending.exit == 4
    assert "was changed by kubectl-edit" in ending.summary
    assert "its template is the former one" in ending.summary
    assert scene.standing == "v1 OnDelete"


def test_a_run_that_was_parked_in_the_gap_goes_on_to_the_good_ending() -> None:
    scene = Scene()
    scene.runner.until(lambda runner: "delete-pod a2 done" in runner.steps_text)
    scene.runner.interrupt()
    scene.cluster.advance(30)
    ending = Runner(scene.cluster, scene.plan, journal=scene.journal).run()
    assert ending.exit == 0
    assert scene.cluster.tags() == dict.fromkeys(FOUR, "v2")


def test_a_runner_that_is_interrupted_while_parked_writes_nothing() -> None:
    scene = Scene()
    scene.runner.until(soaking)
    before = len(scene.journal)
    scene.runner.interrupt()
    assert len(scene.journal) == before


def test_a_change_during_the_way_back_gives_the_nodes_that_had_passed_back() -> None:
    scene = Scene(Version(devices=0, only_on=frozenset({"b1"})))
    scene.runner.until(lambda runner: _deepest(runner, "a1") == "take-back")
    _write(scene.cluster, template=template_of("v3"))
    assert scene.run().exit == 4
    assert not scene.cluster.nodes["a1"].unschedulable
    assert scene.runner.state.node("a1").status is NodeStatus.PASSED


def _deepest(runner: Runner, node: str) -> str:
    work = runner.state.node(node).work
    return work.purpose.value if work and work.cordoned_at and not work.deleted_at else ""
