"""A bad version stops at the first canary, and the canary comes back."""

import pytest

from bridgehead.core.verify.result import GateId
from tests.core.rollout.scenes import FOUR, Scene
from tests.core.standin.cluster import GPU, Cluster
from tests.core.standin.versions import BAD, Version

GATES = {
    "crashes at start": GateId.POD_READY,
    "crashes after 20 s": GateId.POD_READY,
    "never registers": GateId.ALLOCATABLE,
    "offers zero devices": GateId.ALLOCATABLE,
    "offers one device fewer": GateId.ALLOCATABLE,
    "devices turn unhealthy": GateId.HEALTHY,
    "all devices turn unhealthy": GateId.HEALTHY,
    "allocate fails": GateId.PROBE,
    "another resource name": GateId.ALLOCATABLE,
    "log names a fault": GateId.LOG,
    "refused by the node": GateId.ADMITTED,
}


@pytest.mark.parametrize("name", BAD)
def test_it_stops_at_the_first_canary_and_is_taken_back(name: str) -> None:
    scene = Scene(BAD[name])
    ending = scene.run()
    assert ending.exit == 3
    assert ending.failure is not None
    assert (ending.failure.gate, ending.failure.node) == (GATES[name], "a1")
    assert ending.failure.seen
    assert ending.failure.reason
    assert ending.rollback_helps is True
    assert scene.touched == {"a1"}
    assert scene.cluster.tags() == dict.fromkeys(FOUR, "v1")
    assert scene.standing == "v1 RollingUpdate"
    assert scene.cluster.leftovers == []
    assert all(deletion.observed for deletion in scene.cluster.deletions)


@pytest.mark.parametrize("moment", [33.0, 34.0, 35.0, 36.0, 37.0, 38.0])
def test_a_soak_does_not_end_while_devices_are_away(moment: float) -> None:
    """It would end in the midst of these moments, before the loss has been seen long enough."""
    healthy = []

    def passed(cluster: Cluster) -> None:
        healthy.append(cluster.nodes["a1"].offers[GPU].allocatable == 4)

    scene = Scene(Version(unhealthy_after=moment), during={"stage passed": passed})
    assert scene.run().exit == 3
    assert healthy in ([], [True])


def test_what_proves_the_fault_is_quoted() -> None:
    ending = Scene(BAD["crashes at start"]).run()
    assert ending.failure is not None
    texts = [item.text for item in ending.failure.evidence]
    assert texts == ["cannot open /dev/gpu0", "ended with exit code 1 (Error)"]


def test_devices_under_another_name_are_shown() -> None:
    ending = Scene(BAD["another resource name"]).run()
    assert ending.failure is not None
    assert ending.failure.evidence[0].text == "vendor.com/gpu-renamed is new here: 4 of 4"


def test_a_gate_that_is_open_at_the_deadline_fails_in_words_of_its_own() -> None:
    ending = Scene(BAD["offers one device fewer"]).run()
    assert ending.failure is not None
    assert ending.failure.expected == "vendor.com/gpu 4"
    assert ending.failure.seen == "vendor.com/gpu 3 of 3"
    assert ending.failure.reason == (
        "not within 60 s: the node does not offer as many vendor.com/gpu as before"
    )


def test_missing_devices_start_the_way_back_after_four_minutes_even_under_a_long_timeout() -> None:
    scene = Scene(BAD["never registers"], timeout=3600.0)
    ending = scene.run()
    assert ending.failure is not None
    assert ending.failure.reason.startswith("not within 240 s")


def test_a_version_bad_on_one_kind_stops_at_that_canary_and_all_canaries_come_back() -> None:
    scene = Scene(Version(devices=0, only_on=frozenset({"b1", "b2"})))
    ending = scene.run()
    assert ending.exit == 3
    assert ending.failure is not None
    assert ending.failure.node == "b1"
    assert scene.touched == {"a1", "b1"}
    assert scene.cluster.tags() == dict.fromkeys(FOUR, "v1")
    assert scene.cluster.leftovers == []


def test_the_failed_canary_stays_cordoned_until_it_is_back() -> None:
    scene = Scene(BAD["never registers"])
    scene.run()
    uncordons = [place for place, step in enumerate(scene.steps) if step == "uncordon a1 done"]
    failed = scene.steps.index("node a1 failed")
    assert len([place for place in uncordons if place > failed]) == 1
    assert uncordons[-1] > max(
        place for place, step in enumerate(scene.steps) if step == "node a1 verified"
    )


def test_pods_refused_in_the_gap_of_the_bad_version_do_not_judge_the_way_back() -> None:
    scene = Scene(BAD["never registers"])
    scene.runner.until(lambda runner: len(runner.cluster.deletions) == 2)
    scene.cluster.refuse_pod("a1")
    ending = scene.run()
    assert ending.exit == 3
    assert ending.failure is not None
    assert ending.failure.gate is GateId.REFUSED_PODS
    assert scene.cluster.leftovers == []


def test_the_old_pods_log_does_not_judge_the_new_version() -> None:
    scene = Scene(restart_tests=False)
    for pod in scene.cluster.pods.values():
        pod.version = Version(log="panic: runtime error: this is the former version's")
    assert scene.run().exit == 0


def test_an_image_id_that_differs_from_the_first_stops_the_run() -> None:
    scene = Scene()

    def moved(cluster: Cluster) -> None:
        cluster.versions["v2"] = Version(image_id="sha256:other")

    scene.runner.during["stage passed"] = moved
    ending = scene.run()
    assert ending.exit == 3
    assert ending.failure is not None
    assert (ending.failure.gate, ending.failure.node) == (GateId.IMAGE, "b1")
    assert ending.failure.reason.startswith("the tag was moved")


def test_nothing_is_taken_back_before_the_controller_has_seen_the_former_template() -> None:
    scene = Scene(BAD["log names a fault"])
    assert scene.cluster.daemonset is not None
    scene.cluster.daemonset.lag = 7.0
    assert scene.run().exit == 3
    assert all(deletion.observed for deletion in scene.cluster.deletions)


def test_a_canary_that_came_back_by_itself_is_verified_and_not_restarted_again() -> None:
    """The controller replaces a Failed pod from the template that stands, the former one."""
    scene = Scene(BAD["refused by the node"], restart_tests=False)
    assert scene.run().exit == 3
    assert [deletion.node for deletion in scene.cluster.deletions] == ["a1"]
    assert "node a1 arrived" in scene.steps


def test_the_probe_of_an_earlier_pass_does_not_answer_for_the_next() -> None:
    scene = Scene(BAD["allocate fails"])
    scene.cluster.own_grace = 30.0
    ending = scene.run()
    assert ending.exit == 3
    assert ending.failure is not None
    assert ending.failure.gate is GateId.PROBE
    assert not [entry for entry in scene.journal if entry.result == "lapsed"]
