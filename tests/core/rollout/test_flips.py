"""The flips: what others put back in either position, slow controllers, a pruned revision."""

from collections.abc import Callable

import pytest

from bridgehead.core.model.component import template_digest
from bridgehead.core.model.json import JsonObject
from bridgehead.core.rollout.adopting import adopted
from bridgehead.core.rollout.commands import Position
from bridgehead.core.rollout.decision import note
from tests.core.rollout.asking import go_on
from tests.core.rollout.scenes import FOUR, Scene
from tests.core.standin.cluster import Cluster
from tests.core.standin.controller import ROLLING, hash_of, template_of
from tests.core.standin.runner import Runner
from tests.core.standin.versions import Version


def parked(runner: Runner) -> bool:
    """The first canary has passed, the former template stands."""
    return runner.state.soak_since is not None and not runner.state.working


def exposed(runner: Runner) -> bool:
    """The target stands and is observed; nothing was deleted yet for the change."""
    return "cordon a1 done" in runner.steps_text and runner.state.template is Position.TARGET


UNDONE = {parked: template_of("v2"), exposed: template_of("v1")}
"""`kubectl rollout undo` puts in what stood before the last flip."""


def meddle(
    scene: Scene, *, template: JsonObject | None = None, strategy: JsonObject | None = None
) -> None:
    component = scene.cluster.daemonset
    assert component is not None
    component.write(scene.cluster.now, "kubectl", template=template, strategy=strategy)


@pytest.mark.parametrize(
    ("position", "undo", "stands", "words"),
    [
        pytest.param(parked, True, "v2 OnDelete", "is the target", id="undo, former standing"),
        pytest.param(exposed, True, "v1 OnDelete", "the former one", id="undo, target standing"),
        pytest.param(
            parked, False, "v1 RollingUpdate", "the former one", id="strategy, former standing"
        ),
        pytest.param(
            exposed, False, "v1 RollingUpdate", "was put back", id="strategy, target standing"
        ),
    ],
)
def test_what_others_put_back_stops_the_run_with_one_outcome_for_each_position(
    position: object, *, undo: bool, stands: str, words: str
) -> None:
    scene = Scene(restart_tests=False)
    assert position in UNDONE
    scene.runner.until(position)
    deleted = len(scene.cluster.deletions)
    if undo:
        meddle(scene, template=UNDONE[position])
    else:
        meddle(scene, strategy=ROLLING)
    ending = scene.run()
    assert ending.exit == 4
    assert "was changed by kubectl" in ending.summary
    assert words in ending.summary
    assert scene.standing == stands
    assert len(scene.cluster.deletions) == deleted
    assert "a2" not in scene.touched | set(scene.cluster.rolled)


def found_by(scene: Scene) -> JsonObject:
    """What a runner that takes over says of the component as it finds it."""
    run = scene.runner.run_value
    return {"holder": 2, **adopted(run, scene.cluster.world().component)}


@pytest.mark.parametrize("undo", [True, False], ids=["undo", "strategy"])
@pytest.mark.parametrize("position", [parked, exposed], ids=["former standing", "target standing"])
def test_once_it_is_put_right_the_run_goes_on_or_goes_back(position: object, *, undo: bool) -> None:
    """After a person looked: the strategy is OnDelete again, and a new runner takes over."""
    for back, wanted in ((False, "v2"), (True, "v1")):
        scene = Scene(restart_tests=False)
        assert position in UNDONE
        scene.runner.until(position)
        meddle(scene, **({"template": UNDONE[position]} if undo else {"strategy": ROLLING}))
        assert scene.run().exit == 4
        meddle(scene, strategy={"type": "OnDelete"})
        again = Runner(scene.cluster, scene.plan, journal=scene.journal)
        again.record(note("run", "held", detail=found_by(scene)))
        if back:
            again.record(note("turn", "back", detail={"reason": "asked for"}))
        assert again.run().exit == (3 if back else 0)
        assert set(scene.cluster.tags().values()) == {wanted}


@pytest.mark.parametrize("lag", [5.0, 20.0, 50.0])
def test_a_loaded_controller_costs_time_and_nothing_else(lag: float) -> None:
    scene = Scene(timeout=240.0)
    assert scene.cluster.daemonset is not None
    scene.cluster.daemonset.lag = lag
    assert scene.run().exit == 0
    assert scene.cluster.tags() == dict.fromkeys(FOUR, "v2")
    assert scene.cluster.unobserved_writes == []
    assert all(deletion.observed for deletion in scene.cluster.deletions)


@pytest.mark.parametrize("lag", [61.0, 75.0])
def test_a_controller_later_than_a_minute_holds_the_run_before_any_deletion(lag: float) -> None:
    scene = Scene(restart_tests=False)
    assert scene.cluster.daemonset is not None
    scene.cluster.daemonset.lag = lag
    ending = scene.run()
    assert ending.exit == 4
    assert "has not seen the last change within 60 s" in ending.summary
    assert scene.standing == "v1 OnDelete"
    assert scene.cluster.deletions == []
    assert scene.touched == set()


def stale(scene: Scene) -> None:
    scene.cluster.stale = "daemonsets"
    assert scene.runner.turn() is None
    scene.cluster.now += 70.0
    assert scene.runner.turn() is None
    scene.cluster.stale = ""


def taken_over(scene: Scene) -> None:
    scene.cluster.now += 70.0
    go_on(scene)


@pytest.mark.parametrize("blind", [stale, taken_over])
def test_time_in_which_nobody_could_look_is_no_time_of_the_controller_s(
    blind: Callable[[Scene], None],
) -> None:
    scene = Scene(timeout=240.0)
    scene.runner.until(lambda it: it.steps_text[-1] == "take-over done")
    assert scene.cluster.daemonset is not None
    scene.cluster.daemonset.lag = 85.0
    blind(scene)
    scene.runner.until(lambda it: it.run_value.observed(scene.cluster.world()))
    scene.cluster.daemonset.lag = 0.5
    assert scene.run().exit == 0
    assert "turn hold" not in scene.steps


def prune(cluster: Cluster) -> None:
    """Somebody, or ``revisionHistoryLimit``, removes the former template's ControllerRevision."""
    component = cluster.daemonset
    assert component is not None
    former = template_digest(template_of("v1"))
    component.revisions = [item for item in component.revisions if item.template_digest != former]


@pytest.mark.parametrize("place", ["delete-pod b2 done", "turn b2 back", "flip former"])
def test_a_pruned_former_revision_is_made_anew_by_the_flip_back(place: str) -> None:
    """The former template is in the run's record; what is compared is content, not a name."""
    scene = Scene(Version(devices=0, only_on=frozenset({"b2"})), during={place: prune})
    assert scene.run().exit == 4
    turned = Runner(scene.cluster, scene.plan, journal=scene.journal)
    turned.record(note("turn", "back", detail={"reason": "asked for"}))
    assert turned.run().exit == 3
    assert scene.cluster.tags() == dict.fromkeys(FOUR, "v1")
    component = scene.cluster.daemonset
    assert component is not None
    assert hash_of(template_of("v1")) in {item.hash for item in component.revisions}
    assert scene.standing == "v1 RollingUpdate"
