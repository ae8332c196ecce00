"""What no object tells and the API server is asked, and what is too early to judge."""

import time
from collections.abc import Callable

import pytest

from tests.faults.test_faults import PATIENCE
from tests.faults.ward import HAMI, Diagnosis, Ward

pytestmark = pytest.mark.cluster


def until_told(
    ward: Ward, right: Callable[[Diagnosis], bool], before: Callable[[], object] = lambda: None
) -> Diagnosis:
    """The first diagnosis that is right, or the last one; `before` is done before each look."""
    end = time.monotonic() + PATIENCE
    while True:
        before()
        found = ward.diagnose()
        if right(found) or time.monotonic() > end:
            return found
        time.sleep(2)


def begins_with(rule: str, source: str) -> Callable[[Diagnosis], bool]:
    """Whether the first cause is of a rule and has a proof of such a source."""

    def right(found: Diagnosis) -> bool:
        first = (found["causes"] or [{"rule": "", "evidence": []}])[0]
        sources = [item["source"] for item in first["evidence"]]
        return first["rule"] == rule and any(item.startswith(source) for item in sources)

    return right


def test_a_right_that_the_family_needs_is_told_though_the_log_is_quiet(ward: Ward) -> None:
    ward.pose_as_nvidia(HAMI)
    ward.install({})
    ward.until_offered()
    ward.change({"registers": "never"})
    account = f"{ward.namespace}/default"

    found = until_told(ward, begins_with("plugin-lacks-permission", "access review"))

    first = found["causes"][0]
    assert first["rule"] == "plugin-lacks-permission", [item["rule"] for item in found["causes"]]
    assert f"its service account {account} may not patch nodes" in first["message"]
    assert "get nodes" not in first["message"]  # that it may
    proofs = [item["text"] for item in first["evidence"] if "access review" in item["source"]]
    assert "patch nodes: no" in proofs
    assert sorted(first["nodes"]) == sorted((ward.sick.name, ward.sound.name))


def test_a_namespace_that_refuses_pods_is_told_when_its_events_are_gone(ward: Ward) -> None:
    ward.install({})
    ward.until_offered()
    ward.enforce("baseline")
    ward.remove_plugin_pod(ward.sick)
    ward.until(lambda: bool(ward.failed_creations()), "event of a refusal")

    found = until_told(
        ward, begins_with("pod-security-refuses", "dry run of a pod"), ward.forget_events
    )

    first = found["causes"][0]
    assert first["rule"] == "pod-security-refuses", [item["rule"] for item in found["causes"]]
    assert first["nodes"] == [ward.sick.name]
    assert any(
        item["source"].startswith("dry run of a pod")
        and 'violates PodSecurity "baseline:latest"' in item["text"]
        for item in first["evidence"]
    )
    assert not any("FailedCreate" in item["source"] for item in first["evidence"])


def test_a_plugin_that_began_seconds_ago_is_too_early_to_judge(ward: Ward) -> None:
    ward.install({"registers": "late", "registerDelay": "45s"})
    ward.until(lambda: _running(ward) == 2, "plugin pods that run")

    here = ("--node", ward.sick.name, "--node", ward.sound.name)
    early = ward.diagnose(*here)

    assert early["healthy"] is None, early["causes"]
    assert {item["node"] for item in early["tooEarly"]} == {ward.sick.name, ward.sound.name}
    assert all(0 < item["again"] <= 60 for item in early["tooEarly"])
    ward.until_offered()
    assert ward.diagnose(*here)["tooEarly"] == []


def _running(ward: Ward) -> int:
    return sum(pod["status"]["phase"] == "Running" for pod in ward.plugin_pods())
