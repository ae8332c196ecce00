"""Why pods wait for devices is told by every node's own numbers, not by the word Insufficient."""

import pytest

from bridgehead.app.observing import observed_from
from bridgehead.core.diagnose.free_devices import holders_text, rooms
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.shortage import Shortage, lacks
from bridgehead.core.diagnose.symptoms import symptoms_of
from bridgehead.core.model.json import JsonObject, JsonValue
from bridgehead.core.model.times import epoch

R = "x.org/y"
OLD, NOW = "2026-01-30T00:00:00Z", "2026-01-31T12:00:00Z"


def node(name: str, offer: str = "", **spec: JsonValue) -> JsonObject:
    """A Ready node; ``offer`` as CAPACITY/ALLOCATABLE."""
    capacity, _, allocatable = offer.partition("/")
    shown = {"capacity": {R: capacity}, "allocatable": {R: allocatable}} if offer else {}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name},
        "spec": spec,
        "status": {**shown, "conditions": [{"type": "Ready", "status": "True"}]},
    }


def pod(name: str, count: int, where: str = "", phase: str = "Running") -> JsonObject:
    """A pod that asks for devices; it waits where ``where`` is empty."""
    asked = {"limits": {R: str(count)}}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "lab", "creationTimestamp": OLD},
        "spec": {
            "containers": [{"name": "c", "resources": asked}],
            **({"nodeName": where} if where else {}),
        },
        "status": {"phase": phase if where else "Pending", **({"startTime": OLD} if where else {})},
    }


def scene_of(*objects: JsonObject) -> Scene:
    """Everything given, nothing else there."""
    at = epoch(NOW)
    assert at is not None
    bare = Scene(observed_from(objects, at=at, complete=("Node", "Pod", "DaemonSet", "Event")))
    return Scene(bare.observed, symptoms_of(bare))


def sort_of(*objects: JsonObject) -> Shortage:
    """Of the one group that waits."""
    (lack,) = lacks(scene_of(*objects), *Shortage)
    return lack.sort


TAINTED = {"taints": [{"key": "t", "effect": "NoSchedule"}]}


@pytest.mark.parametrize(
    ("sort", "objects"),
    [
        (Shortage.NEVER_REGISTERED, [node("a"), pod("w", 1)]),
        (Shortage.PLUGIN_LOST, [node("a", "0/0"), node("b", "2/0"), pod("w", 1)]),
        (Shortage.IN_USE, [node("a", "2/2"), pod("h", 2, "a"), pod("w", 1)]),
        (Shortage.EXCLUDED, [node("a", "2/2", **TAINTED), node("b"), pod("w", 1)]),
        (Shortage.EXCLUDED, [node("a", "2/2", **TAINTED), pod("h", 2, "a"), pod("w", 1)]),
        (Shortage.EXCLUDED, [node("a", "2/2", unschedulable=True), pod("w", 1)]),
        (Shortage.TOO_MANY_ASKED, [node("a", "2/2"), node("b", "2/2"), pod("w", 4)]),
        (
            Shortage.SCATTERED,
            [node("a", "2/2"), node("b", "2/2"), pod("h", 1, "a"), pod("i", 1, "b"), pod("w", 2)],
        ),
        (Shortage.UNEXPLAINED, [node("a", "2/2"), pod("w", 1)]),
        (Shortage.UNEXPLAINED, [node("a", "2/2"), pod("h", 2, "a", "Succeeded"), pod("w", 1)]),
    ],
    ids=lambda item: item.name if isinstance(item, Shortage) else "",
)
def test_the_reason(sort: Shortage, objects: list[JsonObject]) -> None:
    assert sort_of(*objects) is sort


def test_free_is_allocatable_less_what_pods_that_have_not_ended_ask_for() -> None:
    scene = scene_of(
        node("a", "8/6"), pod("h", 3, "a"), pod("done", 2, "a", "Succeeded"), pod("w", 9)
    )

    (room,) = rooms(scene, R)

    assert (room.in_use, room.free) == (3, 3)


def test_more_held_than_offered_leaves_nothing_and_not_less() -> None:
    (room,) = rooms(scene_of(node("a", "1/1"), pod("h", 2, "a")), R)

    assert room.free == 0


def test_holders_are_told_with_those_that_nobody_will_end_first() -> None:
    owned = pod("owned", 1, "a")
    references = [{"kind": "Job", "name": "j", "uid": "u", "controller": True}]
    owned = {**owned, "metadata": {**owned["metadata"], "ownerReferences": references}}  # type: ignore[dict-item]

    text = holders_text(rooms(scene_of(node("a", "2/2"), owned, pod("zz", 1, "a")), R))

    assert text == "lab/zz (1, without a controller), lab/owned (1)"


def test_pods_that_wait_alike_are_one_group_and_others_are_not() -> None:
    scene = scene_of(node("a", "1/1"), pod("h", 1, "a"), pod("v", 1), pod("w", 1), pod("x", 2))

    groups = lacks(scene, *Shortage)

    assert [[item.name for item in lack.waiting.pods] for lack in groups] == [["v", "w"], ["x"]]


@pytest.mark.parametrize(("offer", "groups"), [("", 1), ("4/0", 1), ("4/4", 2)])
def test_pods_of_one_daemon_set_are_one_group_where_no_node_has_any(
    offer: str, groups: int
) -> None:
    pods = []
    for name in ("a", "b"):
        term = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": [name]}]}
        required = {"nodeSelectorTerms": [term]}
        found = pod(f"user-{name}", 1)
        owner = {"kind": "DaemonSet", "name": "user", "controller": True}
        meta, spec = found["metadata"], found["spec"]
        assert isinstance(meta, dict)
        assert isinstance(spec, dict)
        meta["ownerReferences"] = [owner]
        key = "requiredDuringSchedulingIgnoredDuringExecution"
        spec["affinity"] = {"nodeAffinity": {key: required}}
        pods.append(found)

    found_groups = lacks(scene_of(node("a", offer), node("b", offer), *pods), *Shortage)

    assert len(found_groups) == groups
