"""The component is deleted or replaced under the run: an ending, and no cordon without a reason."""

import pytest

from bridgehead.core.rollout.state import Mode
from tests.core.rollout.asking import abort, go_on
from tests.core.rollout.scenes import FOUR, Scene
from tests.core.standin.cluster import GPU, Cluster
from tests.core.standin.runner import Runner

RELEASE = "bridgehead release daemonset/plugins/plugin"


def delete(cluster: Cluster) -> None:
    """The component, and its pods with it."""
    cluster.daemonset = None
    for pod in cluster.pods.values():
        pod.deleting = pod.deleting or cluster.now


def orphan(cluster: Cluster) -> None:
    """The component only: its pods run on, and nobody owns them."""
    cluster.daemonset = None


def replace(cluster: Cluster) -> None:
    assert cluster.daemonset is not None
    cluster.daemonset.uid = "ds-2"
    cluster.daemonset.annotations.clear()


def in_the_gap(runner: Runner) -> bool:
    return "delete-pod a2 done" in runner.steps_text


@pytest.mark.parametrize("place", ["cordon a1 done", "delete-pod a1 done", "stage soaking"])
def test_a_deleted_component_leaves_no_cordon_where_no_device_is_left(place: str) -> None:
    scene = Scene(during={place: delete})
    ending = scene.run()
    assert ending.exit == 4
    assert ending.summary == "daemonset/plugins/plugin is gone; this run cannot go on."
    assert scene.cluster.leftovers == []
    assert scene.runner.state.mode is Mode.ENDED


def test_why_a_node_in_flight_is_given_back_is_in_the_journal() -> None:
    scene = Scene(during={"delete-pod a1 done": delete})
    scene.run()
    notes = [entry for entry in scene.journal if entry.result == "abandoned"]
    assert [entry.node for entry in notes] == ["a1"]
    assert notes[0].detail["reason"] == "daemonset/plugins/plugin is gone"


def test_a_node_that_still_offers_devices_under_no_component_stays_cordoned_and_is_named() -> None:
    scene = Scene()
    scene.runner.until(_up)
    orphan(scene.cluster)
    ending = scene.run()
    assert "are not proven: a2, b2." in ending.summary
    assert scene.cluster.leftovers == ["a2 cordoned", "b2 cordoned", "a2 marked", "b2 marked"]


def _up(runner: Runner) -> bool:
    cluster = runner.cluster
    up = [cluster.tags().get(name) == "v2" for name in ("a2", "b2")]
    offers = [cluster.nodes[name].offers[GPU].allocatable for name in ("a2", "b2")]
    ready = [cluster.pod_of(name).ready for name in ("a2", "b2") if all(up)]
    return all(up) and all(ready) and min(offers) == 4 and bool(runner.state.working)


def test_a_replaced_component_keeps_the_cordon_of_a_node_in_the_gap_and_names_it() -> None:
    scene = Scene()
    scene.runner.until(in_the_gap)
    replace(scene.cluster)
    ending = scene.run()
    assert "was replaced by another object of the same name" in ending.summary
    assert "as their devices are not proven: a2, b2." in ending.summary
    assert ending.summary.endswith(RELEASE)
    assert scene.runner.state.mode is not Mode.ENDED
    assert scene.cluster.leftovers == ["a2 cordoned", "b2 cordoned", "a2 marked", "b2 marked"]


def test_a_replaced_component_gives_a_node_back_that_still_has_its_pod() -> None:
    scene = Scene(parallel=2)
    scene.runner.until(lambda runner: "cordon a2 done" in runner.steps_text)
    replace(scene.cluster)
    scene.run()
    assert scene.cluster.leftovers == []


def test_a_record_that_somebody_changed_parks_the_former_template_and_stops() -> None:
    scene = Scene()
    scene.runner.until(in_the_gap)
    scene.cluster.record = "the record of run test-1 was deleted"
    ending = scene.run()
    assert ending.exit == 4
    assert ending.summary.startswith("the record of run test-1 was deleted: nobody can go on")
    assert "are not proven: a2, b2." in ending.summary
    assert ending.summary.endswith(RELEASE)
    assert scene.standing == "v1 OnDelete"
    assert [node.name for node in scene.runner.state.working] == ["a2", "b2"]


def test_a_request_that_cannot_be_read_stops_the_run_and_keeps_no_abort_from_going_back() -> None:
    scene = Scene()
    scene.runner.until(in_the_gap)
    scene.cluster.unread = "line 1 cannot be read"
    ending = scene.run()
    assert ending.exit == 4
    assert ending.summary.startswith("line 1 cannot be read. What was asked there is not known")
    assert not ending.given_up
    assert scene.standing == "v1 OnDelete"
    abort(scene.cluster)
    assert go_on(scene).run().exit == 3
    assert scene.cluster.tags() == dict.fromkeys(FOUR, "v1")


def test_a_record_that_is_changed_while_parked_stops_the_run_without_a_write() -> None:
    scene = Scene()
    scene.runner.until(lambda runner: runner.state.soak_since is not None)
    scene.cluster.record = "the plan of run test-1 was changed"
    generation = scene.cluster.daemonset.generation if scene.cluster.daemonset else 0
    ending = scene.run()
    assert ending.exit == 4
    assert scene.cluster.daemonset is not None
    assert scene.cluster.daemonset.generation == generation
    assert set(scene.cluster.tags()) == set(FOUR)
