"""What failing nodes and sound ones say about a version: nodes of one kind are compared."""

import pytest

from bridgehead.core.diagnose.cause import Blame, RollbackHelps
from bridgehead.core.diagnose.reach import Reach, former_ran, reach_of
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

A100 = {"nvidia.com/gpu.product": "NVIDIA-A100"}
L40S = {"nvidia.com/gpu.product": "NVIDIA-L40S"}
NEW, FORMER = "new", "former"


def reach(*others: Object, ill: Object) -> Reach:
    """Of the plugin on the ill node, which has the new version and offers nothing."""
    found = scene(daemon_set(3), ill, plugin_pod("ill", revision=NEW), *others)
    posts = [post for post in found.posts if post.node.name == "ill"]
    assert [post.failing for post in posts] == [True]
    return reach_of(found, posts)


def on(name: str, revision: str, labels: dict[str, str], **info: str) -> tuple[Object, Object]:
    """A node that offers its devices under a version."""
    return node(name, labels=labels, info=info), plugin_pod(name, revision=revision)


def ill(labels: dict[str, str], **info: str) -> Object:
    return node("ill", "4/0", labels=labels, info=info)


def test_a_version_that_is_sound_on_the_same_devices_is_not_to_blame() -> None:
    found = reach(*on("n1", NEW, L40S), *on("n2", FORMER, L40S), ill=ill(L40S))
    assert (found.blame, found.rollback) == (Blame.DRIFT, RollbackHelps.NO)
    assert found.ruled_out[0].by == "the same version is sound on n1"


def test_a_version_that_is_sound_on_other_devices_alone_may_be_bad_for_these() -> None:
    found = reach(*on("n1", NEW, A100), *on("n2", FORMER, L40S), ill=ill(L40S))
    assert (found.blame, found.rollback) == (Blame.VERSION, RollbackHelps.YES)
    (rival,) = found.ruled_out
    assert rival.what == "a drifted node"
    assert rival.by == (
        "the other version is sound on n2, of the same kind; "
        "this one only on n1, with other devices"
    )


def test_nothing_is_decided_by_nodes_with_other_devices() -> None:
    found = reach(*on("n1", NEW, A100), *on("n2", FORMER, A100), ill=ill(L40S))
    assert (found.blame, found.rollback) == (None, RollbackHelps.UNKNOWN)


def test_a_node_whose_devices_are_not_told_may_be_of_any_kind() -> None:
    found = reach(*on("n1", NEW, {}), *on("n2", FORMER, L40S), ill=ill(L40S))
    assert found.blame is Blame.DRIFT


def test_a_node_with_another_kernel_may_have_drifted_from_those_with_its_devices() -> None:
    found = reach(
        *on("n1", NEW, L40S, kernelVersion="6.8"),
        *on("n2", FORMER, L40S, kernelVersion="6.12"),
        ill=ill(L40S, kernelVersion="6.12"),
    )
    assert found.blame is Blame.DRIFT


def test_another_architecture_is_another_kind() -> None:
    found = reach(
        *on("n1", NEW, {}, architecture="amd64"),
        *on("n2", FORMER, {}, architecture="arm64"),
        ill=ill({}, architecture="arm64"),
    )
    assert (found.blame, found.rollback) == (Blame.VERSION, RollbackHelps.YES)


def test_another_version_is_sound_on_other_devices_alone_and_is_not_known_to_help() -> None:
    found = reach(*on("n1", FORMER, A100), ill=ill(L40S))
    assert (found.blame, found.rollback) == (Blame.VERSION, RollbackHelps.UNKNOWN)
    assert found.ruled_out == ()


def tried(component: str = "daemonset/gpu/plugin", *back: str) -> Object:
    """A run saw the ill node fail, and the former version come back on these."""
    return {
        "apiVersion": "bridgehead.dev/v1",
        "kind": "RunVerdicts",
        "metadata": {"name": "run"},
        "component": component,
        "failed": {"ill": "allocatable"},
        "formerBack": list(back),
    }


def test_what_a_run_tried_on_the_very_node_outweighs_all_other_nodes() -> None:
    found = reach(
        tried("daemonset/gpu/plugin", "ill"),
        *on("n1", NEW, L40S),
        *on("n2", NEW, L40S),
        ill=ill(L40S),
    )
    assert (found.blame, found.rollback) == (Blame.VERSION, RollbackHelps.YES)
    assert "started anew on ill" in found.ruled_out[0].by


def test_what_was_tried_with_another_plugin_or_on_other_nodes_says_nothing() -> None:
    for verdicts in (tried("daemonset/gpu/other", "ill"), tried("daemonset/gpu/plugin", "n1")):
        found = reach(verdicts, *on("n1", NEW, L40S), ill=ill(L40S))
        assert found.blame is Blame.DRIFT


def reach_together(*objects: Object, ill: tuple[str, ...]) -> Reach:
    found = scene(daemon_set(5), *objects)
    return reach_of(found, [post for post in found.posts if post.node.name in ill])


def failing(name: str, labels: dict[str, str], waits: str = "") -> tuple[Object, Object]:
    return node(name, "4/0", labels=labels), plugin_pod(name, revision=NEW, waits=waits)


def test_a_node_that_is_ill_itself_speaks_for_no_version() -> None:
    found = reach(*failing("n1", L40S), ill=ill(L40S))
    assert (found.blame, found.rollback) == (None, RollbackHelps.UNKNOWN)


def test_nothing_is_decided_where_the_failing_pod_does_not_tell_its_version() -> None:
    bare = node("ill", "4/0", labels=L40S), plugin_pod("ill")
    found = reach_together(*bare, *on("n1", FORMER, L40S), ill=("ill",))
    assert (found.blame, found.rollback) == (None, RollbackHelps.UNKNOWN)


def test_the_former_version_is_known_to_help_where_one_of_the_kinds_shows_it() -> None:
    two = (*failing("ill", L40S), *failing("worse", A100))
    found = reach_together(*two, *on("n1", FORMER, L40S), ill=("ill", "worse"))
    assert (found.blame, found.rollback) == (Blame.VERSION, RollbackHelps.YES)


def test_where_a_version_is_sound_on_other_devices_alone_every_kind_must_show_the_former_one() -> (
    None
):
    h100 = {"nvidia.com/gpu.product": "NVIDIA-H100"}
    two = (*failing("ill", L40S), *failing("worse", A100))
    others = (*on("n1", NEW, h100), *on("n2", FORMER, L40S))
    found = reach_together(*two, *others, ill=("ill", "worse"))
    assert (found.blame, found.rollback) == (None, RollbackHelps.UNKNOWN)
    found = reach_together(*two, *others, *on("n3", FORMER, A100), ill=("ill", "worse"))
    assert (found.blame, found.rollback) == (Blame.VERSION, RollbackHelps.YES)


def test_a_version_that_is_sound_on_the_devices_of_some_failing_nodes_may_be_bad_for_others() -> (
    None
):
    two = (*failing("ill", L40S), *failing("worse", A100))
    former = (*on("n3", FORMER, L40S), *on("n4", FORMER, A100))
    for others in ((), former):
        found = reach_together(*two, *on("n1", NEW, L40S), *others, ill=("ill", "worse"))
        assert (found.blame, found.rollback) == (None, RollbackHelps.UNKNOWN)
    found = reach_together(*two, *on("n1", NEW, L40S), *on("n2", NEW, A100), ill=("ill", "worse"))
    assert (found.blame, found.rollback) == (Blame.DRIFT, RollbackHelps.NO)


@pytest.mark.parametrize(
    ("status", "blame"),
    [
        ({"state": {"terminated": {"exitCode": 1}}}, Blame.VERSION),
        (
            {
                "state": {"waiting": {"reason": "CrashLoopBackOff"}},
                "lastState": {"terminated": {"exitCode": 1}},
            },
            Blame.VERSION,
        ),
        ({"state": {"waiting": {"reason": "ImagePullBackOff"}}}, Blame.DRIFT),
    ],
    ids=["ended", "crashes", "waits for its image"],
)
def test_a_trial_of_the_former_version_counts_where_the_new_one_ever_ran(
    status: Object, blame: Blame
) -> None:
    pod = plugin_pod("worse", revision=NEW)
    pod["status"]["containerStatuses"] = [{"name": "ctr", "ready": False, **status}]
    found = reach_together(
        tried("daemonset/gpu/plugin", "ill", "worse"),
        *failing("ill", L40S),
        node("worse", "4/0", labels=L40S),
        pod,
        *on("n1", NEW, L40S),
        ill=("ill", "worse"),
    )
    assert found.blame is blame


def test_an_init_container_that_ran_counts_as_well() -> None:
    pod = plugin_pod("ill", revision=NEW, waits="PodInitializing")
    pod["spec"]["initContainers"] = [{"name": "init", "image": "x:1"}]
    ran = {"name": "init", "state": {"terminated": {"exitCode": 1, "reason": "Error"}}}
    pod["status"]["initContainerStatuses"] = [ran]
    found = reach_together(
        tried("daemonset/gpu/plugin", "ill"),
        node("ill", "4/0", labels=L40S),
        pod,
        *on("n1", NEW, L40S),
        ill=("ill",),
    )
    assert found.blame is Blame.VERSION


def history(*readings: tuple[str, str, int, float]) -> Object:
    """Readings as (node, resource, allocatable, seconds ago)."""
    listed = [
        {"time": stamp(NOW - age), "node": at, "resource": name, "capacity": 4, "allocatable": it}
        for at, name, it, age in readings
    ]
    return {
        "apiVersion": "bridgehead.dev/v1",
        "kind": "DeviceHistory",
        "metadata": {"name": "readings"},
        "readings": listed,
    }


def revisions(*names: str) -> list[Object]:
    return [revision(name, number, 90000 - number) for number, name in enumerate(names, start=1)]


@pytest.mark.parametrize(
    ("readings", "known", "ran"),
    [
        ([("ill", CARD, 4, 9000.0)], (FORMER, NEW), True),
        ([("ill", CARD, 4, 9000.0)], (NEW,), False),
        ([("ill", CARD, 0, 9000.0)], (FORMER, NEW), False),
        ([("ill", CARD, 4, 60.0)], (FORMER, NEW), False),
        ([("n1", CARD, 4, 9000.0)], (FORMER, NEW), False),
        ([("ill", "vendor.example/other", 4, 9000.0)], (FORMER, NEW), False),
    ],
    ids=["before", "no former", "without devices", "since", "another node", "another name"],
)
def test_the_former_version_ran_where_the_nodes_had_its_devices_before_these_pods(
    readings: list[tuple[str, str, int, float]], known: tuple[str, ...], ran: bool
) -> None:
    found = scene(
        daemon_set(), *failing("ill", L40S), node("n1"), *revisions(*known), history(*readings)
    )
    posts = [post for post in found.posts if post.node.name == "ill"]
    assert former_ran(found, posts) is ran


def test_on_each_of_several_nodes_the_former_version_must_have_run() -> None:
    objects = (daemon_set(2), *failing("ill", L40S), *failing("worse", L40S))
    past = (*revisions(FORMER, NEW), history(("ill", CARD, 4, 9000.0)))
    found = scene(*objects, *past)
    assert not former_ran(found, found.posts)


@pytest.mark.parametrize(
    ("ages", "blame"),
    [
        ({NEW: 600, FORMER: 9000}, Blame.VERSION),
        ({NEW: 9000, FORMER: 600}, None),
        ({}, Blame.VERSION),
    ],
    ids=["the failing one is the newer", "it is the older", "neither is dated"],
)
def test_a_later_version_that_is_sound_is_nothing_to_go_back_to(
    ages: dict[str, float], blame: Blame | None
) -> None:
    made = [revision(name, number, age) for number, (name, age) in enumerate(ages.items())]
    found = reach(*made, *on("n1", FORMER, L40S), ill=ill(L40S))
    assert found.blame is blame
