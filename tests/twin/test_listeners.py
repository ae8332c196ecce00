"""Who is told of a change: everybody, or those who asked for its resource."""

from bridgehead.twin.kinds import Kind, Stored
from bridgehead.twin.store import Change, Store

PODS = Kind(group="", version="v1", kind="Pod", plural="pods")
LEASES = Kind(group="coordination.k8s.io", version="v1", kind="Lease", plural="leases")


def test_a_listener_hears_of_the_resources_that_it_named() -> None:
    store, everything, pods = Store(), list[str](), list[str]()
    store.subscribe(lambda change: everything.append(change.kind.plural))
    store.subscribe(lambda change: pods.append(change.kind.plural), Stored("", "pods"))
    store.put(PODS, {"metadata": {"name": "a"}})
    store.put(LEASES, {"metadata": {"name": "a"}})
    assert (everything, pods) == (["pods", "leases"], ["pods"])


def test_listeners_are_told_in_the_order_in_which_they_came() -> None:
    store, told = Store(), list[int]()
    store.subscribe(lambda _change: told.append(1))
    store.subscribe(lambda _change: told.append(2), Stored("", "pods"))
    store.subscribe(lambda _change: told.append(3))
    store.put(PODS, {"metadata": {"name": "a"}})
    assert told == [1, 2, 3]


def test_who_has_ended_is_told_no_more() -> None:
    store, told = Store(), list[Change]()
    end = store.subscribe(told.append)
    store.put(PODS, {"metadata": {"name": "a"}})
    end()
    store.put(PODS, {"metadata": {"name": "b"}})
    assert [change.object["metadata"]["name"] for change in told] == ["a"]


def test_events_of_both_groups_are_the_same() -> None:
    core = Kind(group="", version="v1", kind="Event", plural="events")
    newer = Kind(group="events.k8s.io", version="v1", kind="Event", plural="events")
    assert core.stored == newer.stored == Stored("", "events")
