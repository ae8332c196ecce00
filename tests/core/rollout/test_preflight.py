"""What can be known before a pod is deleted: the image can be pulled and the pod is let in."""

from bridgehead.core.verify.result import GateId
from tests.core.rollout.scenes import Scene
from tests.core.standin.cluster import Cluster
from tests.core.standin.versions import GOOD, Version


def test_an_image_that_cannot_be_pulled_is_refused_without_a_deletion() -> None:
    scene = Scene(Version(pull_error=True))
    ending = scene.run()
    assert ending.exit == 1
    assert "Nothing was changed" in ending.summary
    assert ending.failure is not None
    assert ending.failure.gate is GateId.IMAGE
    assert "not within 60 s" in ending.failure.reason
    assert scene.cluster.deletions == []
    assert scene.touched == set()
    assert scene.cluster.daemonset is not None
    assert scene.cluster.daemonset.generation == 1
    assert scene.cluster.leftovers == []


def test_a_pod_that_the_namespace_refuses_is_named_with_its_reason() -> None:
    scene = Scene()
    scene.cluster.namespace_refuses = 'violates PodSecurity "restricted:latest"'
    ending = scene.run()
    assert ending.exit == 1
    assert ending.failure is not None
    assert ending.failure.gate is GateId.ADMITTED
    assert ending.failure.reason == 'violates PodSecurity "restricted:latest"'
    assert scene.cluster.deletions == []
    assert scene.cluster.leftovers == []


def test_a_pull_error_that_passes_is_waited_for() -> None:
    scene = Scene(Version(pull_error=True))
    scene.runner.until(lambda runner: any(own.outcome for own in runner.cluster.own.values()))
    scene.cluster.versions["v2"] = GOOD
    for own in scene.cluster.own.values():
        own.outcome = ""
    assert scene.run().exit == 0


def test_a_pull_error_late_in_a_slow_pull_has_its_whole_minute() -> None:
    scene = Scene(Version(pull_error=True), timeout=240.0)
    scene.cluster.pull_seconds = 90.0
    begun = scene.cluster.now
    scene.runner.until(lambda runner: any(own.outcome for own in runner.cluster.own.values()))
    for _ in range(50):
        assert scene.runner.turn() is None
    assert "preflight a1 failed" not in scene.steps
    ending = scene.run()
    assert ending.exit == 1
    assert ending.failure is not None
    assert "not within 60 s" in ending.failure.reason
    assert 150 <= scene.cluster.now - begun < 170


def test_a_pull_error_that_comes_and_goes_is_counted_anew_each_time() -> None:
    scene = Scene(Version(pull_error=True), timeout=240.0)
    for _ in range(2):
        scene.runner.until(lambda runner: all(own.outcome for own in runner.cluster.own.values()))
        for _ in range(40):
            assert scene.runner.turn() is None
        for own in scene.cluster.own.values():
            own.outcome, own.created = "", scene.cluster.now + 5
        assert scene.runner.turn() is None
    scene.cluster.versions["v2"] = GOOD
    assert scene.run().exit == 0


def test_a_slow_pull_has_the_components_timeout_not_the_minute_of_an_error() -> None:
    scene = Scene(timeout=240.0)
    scene.cluster.pull_seconds = 90.0
    assert scene.run().exit == 0


def test_a_pull_that_never_begins_is_refused_at_the_timeout() -> None:
    scene = Scene()
    scene.cluster.nodes["a1"].ready = False
    ending = scene.run()
    assert ending.exit == 1
    assert scene.cluster.leftovers == []


def test_a_pull_pod_that_somebody_deletes_does_not_hang_the_run() -> None:
    scene = Scene()
    scene.runner.until(lambda runner: "a1/pull" in runner.cluster.own)
    _gone(scene.cluster)
    ending = scene.run()
    assert ending.exit == 1
    assert ending.failure is not None
    assert ending.failure.seen == "no pod"


def _gone(cluster: Cluster) -> None:
    del cluster.own["a1/pull"]


def test_a_change_of_the_component_during_preflight_ends_the_run_and_removes_our_pods() -> None:
    scene = Scene()
    scene.runner.until(lambda runner: "a1/pull" in runner.cluster.own)
    assert scene.cluster.daemonset is not None
    scene.cluster.daemonset.write(scene.cluster.now, "kubectl", strategy={"type": "OnDelete"})
    ending = scene.run()
    assert ending.exit == 4
    assert "kubectl" in ending.summary
    assert scene.cluster.leftovers == ["bridgehead.dev/run"]
