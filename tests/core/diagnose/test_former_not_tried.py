"""Where all that fail run a new version and nothing tells of the former one, it is open."""

import pytest

from bridgehead.core.diagnose.cause import Blame, Cause, RollbackHelps
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.symptoms import symptoms_of
from bridgehead.core.diagnose.version_or_node import may_be_of_version
from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.core.findings.runner import ask_diagnosis
from bridgehead.core.journal.entry import stamp
from bridgehead.rules.diagnosis.loss.devices_unhealthy import RULE as UNHEALTHY
from bridgehead.rules.diagnosis.registration.driver_not_bound import RULE as NOT_BOUND
from tests.core.diagnose.cluster import CARD, NOW, Object, daemon_set, node, plugin_pod, revision
from tests.core.diagnose.cluster import scene as scene_of
from tests.rules.cases import cases_of, observed

VERSIONS = [("b0", 1, "2026-01-30T00:00:00Z"), ("a1", 2, "2026-01-31T10:59:00Z")]


def made(name: str, number: int, at: str) -> Object:
    found = revision(name, number, 0)
    found["metadata"]["creationTimestamp"] = at
    return found


def without_better_days(item: Object) -> Object:
    readings = [it for it in item.get("readings", []) if not it["allocatable"]]
    return item | ({"readings": readings} if readings else {})


def found(rule: DiagnosisRule, case: str, *more: Object) -> Cause:
    (item,) = [it for it in cases_of(rule).fires if it.name == case]
    cluster = [*map(without_better_days, item.cluster or []), *more]
    seen = observed(type(item)(item.name, cluster=cluster, logs=item.logs))
    scene = Scene(seen, symptoms_of(Scene(seen)))
    ((_, cause),) = ask_diagnosis((rule,), scene).causes
    return cause


@pytest.mark.parametrize(
    ("rule", "case"),
    [
        (NOT_BOUND, "a quiet log and a card on the bus"),
        (UNHEALTHY, "all, for half an hour, by its readings"),
    ],
)
def test_the_former_version_is_compared_first_where_nothing_tells_of_it(
    rule: DiagnosisRule, case: str
) -> None:
    alone = found(rule, case)
    assert alone.rollback_helps is RollbackHelps.NO
    cause = found(rule, case, *(made(*item) for item in VERSIONS))
    assert (cause.blame, cause.rollback_helps) == (Blame.BELOW, RollbackHelps.UNKNOWN)
    assert "kubectl rollout undo daemonset/plugin -n gpu" in cause.actions[0].text


def test_devices_that_the_former_version_had_offered_tell_of_the_version() -> None:
    reading = {"time": "2026-01-31T09:00:00Z", "node": "n2", "resource": "example.com/fake"}
    history = {
        "apiVersion": "bridgehead.dev/v1",
        "kind": "DeviceHistory",
        "metadata": {"name": "baseline"},
        "readings": [reading | {"capacity": 4, "allocatable": 4}],
    }
    versions = [made(name, number, at) for name, number, at in VERSIONS]
    versions[1]["metadata"]["creationTimestamp"] = "2026-01-31T09:59:00Z"
    cause = found(UNHEALTHY, "all, for half an hour, by its readings", *versions, history)
    assert (cause.blame, cause.rollback_helps) == (Blame.VERSION, RollbackHelps.YES)
    assert cause.actions[0].rung == "R2"


def ill(*more: Object) -> Scene:
    pods = [plugin_pod("n1", revision="new", age=600)]
    return scene_of(daemon_set(), node("n1", "0/0"), *pods, revision("new", 2, 700), *more)


def test_without_a_former_version_nothing_is_to_be_compared() -> None:
    assert not may_be_of_version(ill(), ill().posts)


def test_the_same_version_that_is_sound_elsewhere_or_was_here_speaks_against_the_node() -> None:
    old = revision("old", 1, 9000)
    assert may_be_of_version(ill(old), ill(old).posts)
    elsewhere = ill(old, node("n2"), plugin_pod("n2", revision="new", age=600))
    failing = [post for post in elsewhere.posts if post.node.name == "n1"]
    assert not may_be_of_version(elsewhere, failing)
    was = {"time": stamp(NOW - 300), "node": "n1", "resource": CARD}
    readings = [was | {"capacity": 4, "allocatable": 4}]
    history = {
        "apiVersion": "bridgehead.dev/v1",
        "kind": "DeviceHistory",
        "metadata": {"name": "readings"},
        "readings": readings,
    }
    before = ill(old, history)
    assert not may_be_of_version(before, before.posts)
