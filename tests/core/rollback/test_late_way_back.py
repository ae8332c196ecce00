"""A way back that is asked for when the run has all but ended, or has ended."""

import copy

from bridgehead.core.journal.entry import Entry
from bridgehead.core.model.component import RUN
from bridgehead.core.rollout.decision import note
from bridgehead.core.rollout.state import Ending, Mode
from tests.core.rollout.scenes import FOUR, Scene
from tests.core.standin.cluster import Cluster
from tests.core.standin.controller import hash_of, template_of
from tests.core.standin.runner import NAME, Runner
from tests.core.standin.versions import BAD


def turned_back(scene: Scene, cluster: Cluster, journal: list[Entry]) -> tuple[Ending, Runner]:
    """Another runner takes the run over, told to take it back."""
    second = Runner(cluster, scene.plan, journal=list(journal))
    second.record(note("turn", "back", detail={"reason": "asked for"}))
    return second.run(), second


def test_a_way_back_after_the_strategy_was_restored_takes_the_component_over_first() -> None:
    scene = Scene()
    scene.runner.until(lambda runner: runner.state.restored)
    assert scene.standing == "v2 RollingUpdate"
    ending, second = turned_back(scene, scene.cluster, scene.journal)
    assert ending.exit == 3
    assert scene.cluster.rolled == []
    assert scene.cluster.tags() == dict.fromkeys(FOUR, "v1")
    assert scene.standing == "v1 RollingUpdate"
    assert scene.cluster.leftovers == []
    steps = second.steps_text[len(scene.journal) :]
    assert steps.index("take-over done") < steps.index("flip done")


def test_after_the_component_was_let_go_nothing_is_taken_back_in_the_same_run() -> None:
    scene = Scene()
    scene.runner.until(lambda runner: runner.state.let_go)
    ending, second = turned_back(scene, scene.cluster, scene.journal)
    assert ending.exit == 0
    assert "had let the component go" in ending.summary
    assert "`bridgehead rollback`" in ending.summary
    assert second.state.mode is Mode.ENDED
    assert scene.cluster.tags() == dict.fromkeys(FOUR, "v2")
    assert scene.standing == "v2 RollingUpdate"


def test_a_component_that_was_claimed_again_after_it_was_let_go_is_let_go_again() -> None:
    scene = Scene()
    scene.runner.until(lambda runner: runner.state.let_go)
    assert scene.cluster.daemonset is not None
    scene.cluster.daemonset.annotations[RUN] = f"bridgehead/{NAME}/2"
    ending, _ = turned_back(scene, scene.cluster, scene.journal)
    assert ending.exit == 0
    assert scene.cluster.leftovers == []


def test_an_ended_run_stays_ended_whatever_is_asked_of_it() -> None:
    scene = Scene()
    first = scene.run()
    ending, second = turned_back(scene, scene.cluster, scene.journal)
    assert second.state.mode is Mode.ENDED
    assert (ending.exit, ending.summary) == (first.exit, first.summary)
    assert scene.standing == "v2 RollingUpdate"


def test_at_every_step_of_the_ending_a_way_back_replaces_no_pod_unwatched() -> None:
    scene = Scene(nodes=("a1", "a2"), restart_tests=False)
    crashes: list[tuple[Cluster, list[Entry]]] = []

    def remember(runner: Runner) -> None:
        if runner.state.stage == len(scene.plan.stages):
            crashes.append((copy.deepcopy(runner.cluster), list(runner.journal)))

    scene.runner.after_step = remember
    scene.run()
    assert len(crashes) > 6
    for number, (cluster, journal) in enumerate(crashes):
        ending, second = turned_back(scene, cluster, journal)
        assert ending.exit in {0, 3}, number
        assert cluster.rolled == [], number
        assert set(cluster.tags().values()) == {"v1" if ending.exit == 3 else "v2"}, number
        assert cluster.leftovers == [], number
        assert second.state.mode is Mode.ENDED, number


def test_once_the_way_back_has_restored_the_strategy_no_node_is_begun_any_more() -> None:
    """The controller replaces what differs by itself then; the run only lets go."""
    scene = Scene(BAD["offers zero devices"])
    scene.runner.until(lambda runner: runner.state.restored)
    scene.cluster.pod_of("b1").revision = hash_of(template_of("v2"))
    before = len(scene.journal)
    assert scene.run().exit == 3
    assert [step for step in scene.steps[before:] if step.startswith("cordon")] == []
    assert scene.cluster.leftovers == []
