"""After a foreign change was told, the run goes on once the component is of its plan again."""

from bridgehead.core.model.json import JsonObject
from bridgehead.core.rollout.adopting import adopted
from bridgehead.core.rollout.decision import note
from bridgehead.core.rollout.run import Run
from tests.core.rollout.scenes import FOUR, Scene
from tests.core.standin.controller import ROLLING, template_of
from tests.core.standin.runner import NAME, Runner


def soaking(runner: Runner) -> bool:
    return runner.state.soak_since is not None and not runner.state.working


def edited(template: JsonObject | None = None, strategy: JsonObject | None = None) -> Scene:
    """A run that stopped because somebody wrote the component while it soaked."""
    scene = Scene()
    scene.runner.until(soaking)
    _write(scene, template or template_of("v3"), strategy)
    assert scene.run().exit == 4
    return scene


def _write(scene: Scene, template: JsonObject, strategy: JsonObject | None = None) -> None:
    assert scene.cluster.daemonset is not None
    daemonset = scene.cluster.daemonset
    daemonset.write(scene.cluster.now, "kubectl-edit", template=template, strategy=strategy)
    scene.cluster.advance(2)


def _found(scene: Scene) -> JsonObject:
    assert scene.cluster.daemonset is not None
    run = Run(name=NAME, plan=scene.plan, state=scene.runner.state)
    return adopted(run, scene.cluster.daemonset.value(scene.cluster.daemonset.annotations))


def _again(scene: Scene) -> int:
    runner = Runner(scene.cluster, scene.plan, journal=scene.journal)
    runner.record(note("run", "held", detail={"holder": 2, **_found(scene)}))
    return runner.run().exit


def test_a_run_goes_on_once_the_former_template_stands_again() -> None:
    scene = edited()
    _write(scene, template_of("v1"))
    assert _found(scene)["stands"] == "former"
    assert _again(scene) == 0
    assert scene.cluster.tags() == dict.fromkeys(FOUR, "v2")
    assert scene.cluster.leftovers == []


def test_a_run_goes_on_from_the_target_that_somebody_put_in() -> None:
    scene = edited(template_of("v2"))
    assert _found(scene)["stands"] == "target"
    assert _again(scene) == 0


def test_a_third_template_is_not_gone_on_from() -> None:
    scene = edited()
    assert _found(scene) == {}
    assert _again(scene) == 4
    assert scene.standing == "v3 OnDelete"


def test_on_delete_is_set_again_by_whoever_goes_on_after_being_told_that_it_is_not() -> None:
    scene = edited(template_of("v1"), ROLLING)
    assert _found(scene)["retakes"] == "true"
    assert _again(scene) == 0
    assert scene.cluster.tags() == dict.fromkeys(FOUR, "v2")
    assert scene.cluster.leftovers == []


def test_a_strategy_that_is_taken_away_once_more_is_told_once_more() -> None:
    scene = edited(template_of("v1"), ROLLING)
    runner = Runner(scene.cluster, scene.plan, journal=scene.journal)
    runner.record(note("run", "held", detail={"holder": 2, **_found(scene)}))
    runner.until(lambda it: it.steps_text[-1] == "take-over done" and it.turn() is None)
    _write(scene, template_of("v1"), ROLLING)
    ending = runner.run()
    assert ending.exit == 4
    assert "its strategy RollingUpdate" in ending.summary


def test_a_strategy_that_nobody_was_told_of_is_not_replaced() -> None:
    scene = Scene()
    scene.runner.until(soaking)
    _write(scene, template_of("v1"), ROLLING)
    assert _found(scene) == {}
    assert _again(scene) == 4
    assert scene.standing == "v1 RollingUpdate"


def before_takeover(template: JsonObject | None, strategy: JsonObject | None = None) -> Scene:
    """A run that stopped because somebody wrote the component before it did."""
    scene = Scene()
    scene.runner.until(lambda runner: "cordon a1 done" in runner.steps_text)
    _write(scene, template or template_of("v1"), strategy)
    assert scene.run().exit == 4
    assert not scene.runner.state.taken_over
    return scene


def test_before_the_takeover_a_run_goes_on_once_the_component_is_as_it_was() -> None:
    scene = before_takeover(template_of("v3"))
    assert _found(scene) == {}
    _write(scene, template_of("v1"))
    scene.cluster.advance(120)
    assert _found(scene)["stands"] == "former"
    assert _again(scene) == 0
    assert scene.cluster.tags() == dict.fromkeys(FOUR, "v2")


def test_before_the_takeover_the_target_is_not_gone_on_from() -> None:
    scene = before_takeover(template_of("v2"))
    assert _found(scene) == {}


def test_before_the_takeover_another_strategy_is_somebody_elses() -> None:
    scene = before_takeover(None, {"type": "OnDelete"})
    assert _found(scene) == {}
    _write(scene, template_of("v1"), scene.plan.former_strategy)
    assert _found(scene)["stands"] == "former"


def test_a_change_that_nobody_was_told_of_is_not_gone_on_from() -> None:
    scene = Scene()
    scene.runner.until(soaking)
    _write(scene, template_of("v2"))
    assert _found(scene) == {}
