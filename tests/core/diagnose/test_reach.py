"""What failing nodes and sound ones say about a version: nodes of one kind are compared."""

from bridgehead.core.diagnose.cause import Blame, RollbackHelps
from bridgehead.core.diagnose.reach import Reach, reach_of
from tests.core.diagnose.cluster import Object, daemon_set, node, plugin_pod, scene

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
