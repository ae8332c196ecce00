"""Where no other node decides, a node's own past tells of the version and of the node."""

import pytest

from bridgehead.core.diagnose.cause import Blame, RollbackHelps
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.version_or_node import Verdict, begun_with_version, version_or_node
from bridgehead.core.journal.entry import stamp
from tests.core.diagnose.cluster import CARD, NOW, Object, ago, daemon_set, node, plugin_pod, scene

CHANGED = 600.0
"""Seconds ago the new version came; Kubernetes writes times down to whole seconds."""


def revision(name: str, number: int, age: float) -> Object:
    return {
        "apiVersion": "apps/v1",
        "kind": "ControllerRevision",
        "metadata": {
            "name": f"plugin-{name}",
            "namespace": "gpu",
            "creationTimestamp": ago(age),
            "labels": {"controller-revision-hash": name},
            "ownerReferences": [{"kind": "DaemonSet", "name": "plugin", "controller": True}],
        },
        "revision": number,
        "data": {"spec": {"template": {"spec": {"priority": number}}}},
    }


def ill_since_the_change(*read: float, pod: Object | None = None) -> Scene:
    """One node without devices under the new version, which had four of them at these times."""
    history = [
        {"time": stamp(at), "node": "n1", "resource": CARD, "capacity": 4, "allocatable": 4}
        for at in read
    ]
    return scene(
        daemon_set(),
        node("n1", "0/0"),
        pod or plugin_pod("n1", revision="new", age=CHANGED),
        revision("old", 1, 9000),
        revision("new", 2, CHANGED),
        {
            "apiVersion": "bridgehead.dev/v1",
            "kind": "DeviceHistory",
            "metadata": {"name": "readings"},
            "readings": history,
        },
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


def nameless(*members: tuple[str, str, Object]) -> Scene:
    """Nodes of these models with pods of a plugin of which nothing tells what it offers."""
    plugin = daemon_set(len(members))
    plugin["spec"]["template"]["spec"]["containers"][0]["args"] = []
    nodes = [node(name, "", labels={"nvidia.com/gpu.product": model}) for name, model, _ in members]
    return scene(plugin, *nodes, *(pod for _, _, pod in members))
