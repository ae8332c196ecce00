"""Where no other node decides, a node's own past tells of the version and of the node."""

from collections.abc import Mapping, Sequence

import pytest

from bridgehead.core.diagnose.cause import Blame, RollbackHelps
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.version_or_node import Verdict, begun_with_version, version_or_node
from bridgehead.core.journal.entry import stamp
from tests.core.diagnose.cluster import (
    CARD,
    NOW,
    Object,
    daemon_set,
    node,
    plugin_pod,
    revision,
    scene,
)

CHANGED = 600.0
"""Seconds ago the new version came; Kubernetes writes times down to whole seconds."""


def reading(at: float) -> Object:
    """Four devices on the node at that time."""
    return {"time": stamp(at), "node": "n1", "resource": CARD, "capacity": 4, "allocatable": 4}


def ill_since_the_change(
    *read: float,
    pod: Object | None = None,
    readings: Sequence[Object] = (),
    revisions: Sequence[Object] | None = None,
    others: Sequence[Object] = (),
    labels: Mapping[str, str] = {},
) -> Scene:
    """One node without devices under the new version, which had four of them at these times."""
    known = [revision("old", 1, 9000), revision("new", 2, CHANGED)]
    return scene(
        daemon_set(),
        node("n1", "0/0", labels=labels),
        pod or plugin_pod("n1", revision="new", age=CHANGED),
        *(known if revisions is None else revisions),
        {
            "apiVersion": "bridgehead.dev/v1",
            "kind": "DeviceHistory",
            "metadata": {"name": "readings"},
            "readings": [*map(reading, read), *readings],
        },
        *others,
    )


def verdict(found: Scene) -> Verdict:
    return version_or_node(found, found.posts, Blame.BELOW)


BEGAN = NOW - CHANGED


@pytest.mark.parametrize("at", [BEGAN - 3600, BEGAN - 0.4, BEGAN + 0.6])
def test_devices_until_the_very_second_of_the_change_speak_against_the_version(at: float) -> None:
    found = ill_since_the_change(at)
    assert (verdict(found).blame, verdict(found).rollback) == (Blame.VERSION, RollbackHelps.YES)
    assert begun_with_version(found, found.posts) == verdict(found)


def test_devices_under_the_new_version_speak_against_the_node() -> None:
    found = ill_since_the_change(BEGAN - 3600, BEGAN + 60)
    assert (verdict(found).blame, verdict(found).rollback) == (Blame.DRIFT, RollbackHelps.NO)
    assert begun_with_version(found, found.posts) is None


@pytest.mark.parametrize("at", [BEGAN + 3, BEGAN + 10])
def test_a_node_shows_the_devices_of_the_former_pod_until_its_next_report(at: float) -> None:
    found = ill_since_the_change(BEGAN - 3600, at)
    assert (verdict(found).blame, verdict(found).rollback) == (Blame.VERSION, RollbackHelps.YES)
    assert verdict(ill_since_the_change(at)).blame is Blame.BELOW


@pytest.mark.parametrize(
    "reason", ["ErrImagePull", "ImagePullBackOff", "ContainerCreating", "PodInitializing"]
)
def test_a_pod_that_waits_for_its_next_pull_has_never_offered_what_the_node_showed(
    reason: str,
) -> None:
    waits = plugin_pod("n1", revision="new", age=CHANGED, waits=reason)
    found = ill_since_the_change(BEGAN - 3600, BEGAN + 60, pod=waits)
    assert (verdict(found).blame, verdict(found).rollback) == (Blame.VERSION, RollbackHelps.YES)
    assert begun_with_version(found, found.posts) == verdict(found)


@pytest.mark.parametrize("restarts", [0, 3])
def test_a_pod_that_has_crashed_may_have_offered_devices_before(restarts: int) -> None:
    ended: Object = {"terminated": {"exitCode": 1, "reason": "Error"}}
    waits: Object = {"waiting": {"reason": "CrashLoopBackOff"}}
    pod = plugin_pod("n1", revision="new", age=CHANGED)
    (container,) = pod["status"]["containerStatuses"]
    container |= {"ready": False, "restartCount": restarts}
    container |= {"state": waits, "lastState": ended} if restarts else {"state": ended}
    found = ill_since_the_change(BEGAN - 3600, BEGAN + 60, pod=pod)
    assert (verdict(found).blame, verdict(found).rollback) == (Blame.DRIFT, RollbackHelps.NO)


def test_the_last_reading_of_each_version_is_what_is_quoted() -> None:
    under = verdict(ill_since_the_change(BEGAN + 60, BEGAN + 120)).ruled_out
    assert under[0].by == f"the same version offered devices at {stamp(BEGAN + 120)} (baseline)"
    before = verdict(ill_since_the_change(BEGAN - 120, BEGAN - 60)).ruled_out
    assert before[0].by == f"the former version offered devices at {stamp(BEGAN - 60)} (baseline)"


@pytest.mark.parametrize("at", [BEGAN - 3600, BEGAN + 60])
def test_a_pod_of_another_revision_than_the_newest_has_no_past_that_counts(at: float) -> None:
    older = plugin_pod("n1", revision="old", age=CHANGED)
    assert verdict(ill_since_the_change(at, pod=older)).blame is Blame.BELOW


@pytest.mark.parametrize(
    "other",
    [{"node": "n2"}, {"resource": "vendor.example/other"}, {"allocatable": 0}],
    ids=["another node", "another name", "without devices"],
)
def test_readings_of_something_else_are_no_past_of_the_node(other: Object) -> None:
    found = ill_since_the_change(readings=[reading(BEGAN - 3600) | other])
    assert verdict(found).blame is Blame.BELOW


def test_without_revisions_or_their_times_the_past_decides_nothing() -> None:
    undated = revision("new", 2, CHANGED)
    del undated["metadata"]["creationTimestamp"]
    for known in ([], [revision("old", 1, 9000), undated], [revision("new", 2, CHANGED)]):
        found = ill_since_the_change(BEGAN - 3600, revisions=known)
        assert verdict(found).blame is Blame.BELOW


def test_one_node_with_another_past_keeps_the_version_from_being_to_blame() -> None:
    def both(at: float) -> Scene:
        second = (node("n2", "0/0"), plugin_pod("n2", revision="new", age=CHANGED))
        more = [reading(BEGAN - 3600), reading(at) | {"node": "n2"}]
        return ill_since_the_change(readings=more, others=second)

    one, other = both(BEGAN - 60), both(BEGAN + 60)
    assert begun_with_version(one, one.posts) == verdict(one)
    assert begun_with_version(other, other.posts) is None


@pytest.mark.parametrize(
    ("at", "rollback"), [(BEGAN - 3600, RollbackHelps.YES), (None, RollbackHelps.UNKNOWN)]
)
def test_where_the_former_version_is_sound_on_another_kind_alone_the_own_past_tells(
    at: float | None, rollback: RollbackHelps
) -> None:
    model = "nvidia.com/gpu.product"
    sound = (node("n2", labels={model: "A100"}), plugin_pod("n2", revision="old"))
    found = ill_since_the_change(*([at] if at else []), others=sound, labels={model: "L40S"})
    posts = [post for post in found.posts if post.node.name == "n1"]
    for judged in (version_or_node(found, posts, Blame.BELOW), begun_with_version(found, posts)):
        assert judged is not None
        assert (judged.blame, judged.rollback) == (Blame.VERSION, rollback)


def test_a_node_without_a_past_decides_nothing() -> None:
    found = ill_since_the_change()
    assert (verdict(found).blame, verdict(found).rollback) == (Blame.BELOW, RollbackHelps.UNKNOWN)


@pytest.mark.parametrize(
    ("model", "blame"), [("L40S", Blame.DRIFT), ("A100", Blame.BELOW)], ids=["same", "other"]
)
def test_where_no_resource_is_known_a_ready_pod_counts_on_nodes_of_the_kind(
    model: str, blame: Blame
) -> None:
    found = nameless(
        ("ill", "L40S", plugin_pod("ill", revision="new", waits="CrashLoopBackOff")),
        ("n1", model, plugin_pod("n1", revision="new")),
    )
    posts = [post for post in found.posts if post.node.name == "ill"]
    assert version_or_node(found, posts, Blame.BELOW).blame is blame


WAITS = "CrashLoopBackOff"


def judged_by_readiness(*others: tuple[str, str, Object], revision: str = "new") -> Verdict:
    ill = ("ill", "L40S", plugin_pod("ill", revision=revision, waits=WAITS))
    found = nameless(ill, *others)
    posts = [post for post in found.posts if post.node.name == "ill"]
    return version_or_node(found, posts, Blame.BELOW)


def test_where_only_pods_of_the_former_version_are_ready_the_new_one_is_to_blame() -> None:
    former = ("n1", "L40S", plugin_pod("n1", revision="old"))
    found = judged_by_readiness(former)
    assert (found.blame, found.rollback) == (Blame.VERSION, RollbackHelps.YES)
    assert found.ruled_out[0].by == "the other version runs on n1"
    same = ("n2", "L40S", plugin_pod("n2", revision="new"))
    found = judged_by_readiness(former, same)
    assert (found.blame, found.rollback) == (Blame.DRIFT, RollbackHelps.NO)
    assert found.ruled_out[0].by == "the same version runs on n2"


def test_a_pod_that_is_not_ready_and_one_without_a_revision_decide_nothing() -> None:
    waiting = ("n1", "L40S", plugin_pod("n1", revision="new", waits=WAITS))
    assert judged_by_readiness(waiting).blame is Blame.BELOW
    ready = ("n1", "L40S", plugin_pod("n1", revision="old"))
    assert judged_by_readiness(ready, revision="").blame is Blame.BELOW


def test_the_failing_node_itself_is_no_node_that_runs_the_version() -> None:
    found = nameless(("ill", "L40S", plugin_pod("ill", revision="new")))
    assert version_or_node(found, found.posts, Blame.BELOW).blame is Blame.BELOW


def nameless(*members: tuple[str, str, Object]) -> Scene:
    """Nodes of these models with pods of a plugin of which nothing tells what it offers."""
    plugin = daemon_set(len(members))
    plugin["spec"]["template"]["spec"]["containers"][0]["args"] = []
    nodes = [node(name, "", labels={"nvidia.com/gpu.product": model}) for name, model, _ in members]
    return scene(plugin, *nodes, *(pod for _, _, pod in members))
