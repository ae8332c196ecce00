"""What others do without consequences for the run is in its journal once, with the reason."""

import msgspec

from bridgehead.core.rollout.noticing import noticed
from tests.core.rollout.scenes import FOUR, Scene
from tests.core.standin.runner import Runner


def soaking(runner: Runner) -> bool:
    return runner.state.soak_since is not None and not runner.state.working


def reasons(scene: Scene, result: str) -> list[tuple[str, str]]:
    found = [entry for entry in scene.journal if entry.result == result]
    return [(entry.node, str(entry.detail.get("reason", ""))) for entry in found]


def test_labels_that_somebody_changes_are_noted_with_the_manager_and_change_nothing() -> None:
    scene = Scene()
    scene.runner.until(soaking)
    assert scene.cluster.daemonset is not None
    scene.cluster.daemonset.write(scene.cluster.now, "kubectl-label")
    assert scene.run().exit == 0
    ((node, reason),) = reasons(scene, "touched")
    assert (node, reason.partition(" ")[0]) == ("", "kubectl-label")


def test_a_write_from_before_the_run_is_not_told_once_it_is_the_last_that_is_left() -> None:
    scene = Scene()
    begun = "kubectl-rollout at 2026-01-01T10:00:00Z"
    state = msgspec.structs.replace(scene.runner.state, written_by=begun)
    run = msgspec.structs.replace(scene.runner.run_value, state=state)
    world = scene.cluster.world()
    assert world.component is not None
    for managers, notes in (
        (("kubectl-apply", "2026-01-01T09:00:00Z"), 0),
        (("kubectl-label", "2026-01-01T10:00:01Z"), 1),
    ):
        component = msgspec.structs.replace(world.component, managers=(managers,))
        seen = msgspec.structs.replace(world, component=component)
        assert len(noticed(run, seen).notes) == notes


def test_a_node_in_flight_that_is_not_ready_for_a_while_is_noted_and_passes() -> None:
    scene = Scene()
    scene.runner.until(lambda runner: "delete-pod a1 done" in runner.steps_text)
    scene.cluster.nodes["a1"].ready = False
    scene.runner.until(lambda runner: "node a1 away" in runner.steps_text)
    scene.cluster.nodes["a1"].ready = True
    assert scene.run().exit == 0
    assert reasons(scene, "away") == [("a1", "the node is not Ready")]
    assert [node for node, _ in reasons(scene, "back")] == ["a1"]
    assert scene.cluster.tags() == dict.fromkeys(FOUR, "v2")


def test_a_node_that_passed_and_is_not_ready_for_a_while_is_noted() -> None:
    scene = Scene()
    scene.runner.until(soaking)
    scene.cluster.nodes["a1"].ready = False
    scene.cluster.advance(5)
    scene.runner.turn()
    scene.cluster.nodes["a1"].ready = True
    assert scene.run().exit == 0
    assert reasons(scene, "away") == [("a1", "the node is not Ready")]


def test_a_node_that_does_not_come_back_is_never_said_to_be_seen_again() -> None:
    scene = Scene()
    scene.runner.until(lambda runner: "delete-pod a2 done" in runner.steps_text)
    scene.cluster.nodes["a2"].ready = False
    assert scene.run().exit == 4
    assert reasons(scene, "away") == [("a2", "the node is not Ready")]
    assert reasons(scene, "back") == []


def test_a_pod_that_is_deleted_before_its_nodes_turn_is_noted_once() -> None:
    scene = Scene()
    scene.runner.until(soaking)
    scene.cluster.delete_by_hand("b2")
    assert scene.run().exit == 0
    ((node, reason),) = reasons(scene, "replaced")
    assert node == "b2"
    assert reason.startswith("somebody deleted its pod; plugin-")


def test_an_undisturbed_run_notes_nothing_of_the_kind() -> None:
    scene = Scene()
    assert scene.run().exit == 0
    assert not [e for e in scene.journal if e.result in {"touched", "away", "back", "replaced"}]
