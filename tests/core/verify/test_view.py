"""Which pod stands on a node, and whose log and events are looked at."""

import msgspec

from bridgehead.core.rollout.world import World
from bridgehead.core.verify.view import NodeView, PodEvent
from tests.core.verify.cases import NODE, NOW, POD

OLD = msgspec.structs.replace(POD, uid="old", name="plugin-old", created=NOW - 900)
GONE = frozenset({"old"})


def successor(*pods: object, deleted: frozenset[str] = GONE) -> str:
    view = NodeView(name="n1", node=NODE, pods=pods)  # type: ignore[arg-type]
    found = view.successor(deleted)
    return found.uid if found else ""


def test_the_successor_is_the_newest_pod_that_stays() -> None:
    newer = msgspec.structs.replace(POD, uid="newer", created=NOW)
    assert successor(OLD, POD) == "new"
    assert successor(OLD, newer, POD) == "newer"
    assert successor(OLD) == ""
    assert successor(OLD, deleted=frozenset()) == "old"


def test_a_pod_on_its_way_out_is_no_successor_whoever_deleted_it() -> None:
    leaving = msgspec.structs.replace(POD, deleting=True)
    assert successor(leaving) == ""
    assert successor(OLD, leaving, deleted=frozenset()) == "old"


def test_a_live_pod_goes_before_a_newer_one_that_has_ended() -> None:
    failed = msgspec.structs.replace(POD, uid="failed", phase="Failed", created=NOW)
    assert successor(POD, failed) == "new"
    assert successor(failed) == "failed"


def test_the_deleted_pods_are_gone_once_none_is_left() -> None:
    assert not NodeView(name="n1", node=NODE, pods=(OLD, POD)).gone(GONE)
    assert NodeView(name="n1", node=NODE, pods=(POD,)).gone(GONE)


def world(*pods: object) -> World:
    return World(
        component=None,
        nodes={"n1": NODE},
        pods={"n1": pods},  # type: ignore[dict-item]
        logs={"old": "the former version's log", "new": "the new version's log"},
        logs_unread={"other": "forbidden"},
        events={"new": (PodEvent("Warning", "Failed", "about the new pod"),)},
    )


def test_log_and_events_are_those_of_the_successor() -> None:
    view = world(OLD, POD).view("n1", GONE)
    assert view.log == "the new version's log"
    assert [event.message for event in view.events] == ["about the new pod"]


def test_without_a_successor_there_is_no_log() -> None:
    """Even while the old pod does not show yet that it was deleted."""
    view = world(OLD).view("n1", GONE)
    assert (view.log, view.log_unread, view.events) == (None, "", ())


def test_a_node_without_pods_has_an_empty_view() -> None:
    view = world().view("n2")
    assert (view.node, view.pods, view.log) == (None, (), None)
