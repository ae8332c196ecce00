"""Every failure that a rehearsal knows and a gate catches is named by the run that it fails."""

import pytest

from bridgehead.app.runner import Ended
from bridgehead.core.diagnose.diagnosis import Ranked
from tests.app.small_twin import fail, on_a_twin

OF_THE_VERSION = {
    "devices=0": "fewer-devices",
    "fewerDevices=1": "fewer-devices",
    "allocateTakesDevice=true": "fewer-devices",
    "unhealthyAfter=0s": "devices-unhealthy",
    "unhealthyAfter=30s,unhealthyDevices=1": "devices-unhealthy",
    "resourceSuffix=!": "resource-name-refused",
    "registers=never": "plugin-never-registers",
    "apiVersion=v2": "plugin-api-versions-differ",
    "optionsError=no options": "options-refused",
    "endStreamAfter=0s": "stream-ended",
    "endStreamAfter=70s": "stream-ended",
    "onKubeletRestart=ignore,node.kubeletRestart": "kubelet-restart-missed",
    "onKubeletRestart=exit,node.kubeletRestart": "plugin-crashes",
    "allocateError=no device nodes": "allocate-fails",
    "preferredError=no preference": "preferred-allocation-fails",
    "preStartError=reset failed": "allocate-fails",
    "initFailure=exit": "driver-not-visible",
    "initFailure=block": "driver-not-visible",
    "initFailure=retry": "driver-not-visible",
    "apiCall=listNodes": "plugin-lacks-permission",
    "crashAfter=5s": "plugin-crashes",
    "kernel.mismatch=*": "driver-not-visible",
}
LEFT_OPEN_BY_THE_RULE = {
    "resourceSuffix=-next": "dead-resource-name",
    "cdiKind=example.com/missing": "cdi-name-unknown",
}


def named(fault: str) -> tuple[Ranked, Ended]:
    """The first cause of the run that the fault fails."""
    ended = on_a_twin(lambda stage: fail(stage, fault))
    assert ended.explained is not None
    assert ended.explained.failed == ""
    assert ended.explained.causes, [str(item) for item in ended.explained.too_early]
    return ended.explained.causes[0], ended


@pytest.mark.parametrize(("fault", "rule"), OF_THE_VERSION.items(), ids=OF_THE_VERSION)
def test_a_bad_version_is_named_and_blamed_where_the_former_one_came_back(
    fault: str, rule: str
) -> None:
    cause, ended = named(fault)
    assert ended.ending.exit == 3
    told = (cause.rule, cause.blame.value, cause.rollback_helps.value)
    assert told == (rule, "bad version", "yes")
    assert ended.ending.failure is not None
    assert cause.nodes == (ended.ending.failure.node,)


@pytest.mark.parametrize(("fault", "rule"), LEFT_OPEN_BY_THE_RULE.items())
def test_that_the_former_version_helps_is_known_as_it_was_tried(fault: str, rule: str) -> None:
    cause, ended = named(fault)
    assert ended.ending.exit == 3
    assert (cause.rule, cause.rollback_helps.value) == (rule, "yes")
    assert "a drifted node" in {item.what for item in cause.ruled_out}


@pytest.mark.parametrize(
    ("fault", "rule", "blame"),
    [
        ("node.drift", "driver-not-visible", "drifted node"),
        ("node.lost", "node-silent-in-run", "kubelet"),
        ("allocateHang=true", "allocate-hangs", "bad version"),
    ],
)
def test_nobody_is_told_that_a_rollback_helps_where_it_does_not(
    fault: str, rule: str, blame: str
) -> None:
    cause, ended = named(fault)
    assert ended.ending.exit == 4
    told = (cause.rule, cause.blame.value, cause.rollback_helps.value)
    assert told == (rule, blame, "no")
