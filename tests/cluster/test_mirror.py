"""A mirror converts what changed, and wakes its readers only for what they can see."""

import msgspec

from bridgehead.cluster.mirror import Mirror
from bridgehead.kube.objects.base import ObjectMeta, PartialObject
from bridgehead.kube.watch_store import Change


class Noun(msgspec.Struct, frozen=True):
    label: str
    version: str


def convert(item: PartialObject) -> Noun | None:
    label = item.metadata.labels.get("l", "")
    return Noun(label, item.metadata.resource_version) if label else None


def item(label: str, version: str) -> PartialObject:
    labels = {"l": label} if label else {}
    return PartialObject(metadata=ObjectMeta(name="x", labels=labels, resource_version=version))


class Readers:
    def __init__(self) -> None:
        self.woken = 0
        self.mirror: Mirror[PartialObject, Noun] = Mirror(convert, self.wake, lambda n: n.label)

    def wake(self) -> None:
        self.woken += 1

    def hear(self, *changes: Change[PartialObject]) -> None:
        for change in changes:
            self.mirror.take(change)
        self.mirror.wake()


def test_a_change_that_readers_see_wakes_them() -> None:
    readers = Readers()
    readers.hear(Change("added", item("a", "1")))
    readers.hear(Change("modified", item("b", "2")))
    assert readers.woken == 2
    assert [noun.label for noun in readers.mirror.nouns.values()] == ["b"]


def test_a_change_of_the_version_alone_is_kept_and_wakes_nobody() -> None:
    readers = Readers()
    readers.hear(Change("added", item("a", "1")))
    readers.hear(Change("modified", item("a", "2")))
    assert readers.woken == 1
    assert [noun.version for noun in readers.mirror.nouns.values()] == ["2"]


def test_a_watch_that_becomes_stale_or_fresh_wakes() -> None:
    readers = Readers()
    readers.hear()
    assert readers.woken == 1


def test_what_does_not_count_is_left_out_and_goes_when_it_stops_counting() -> None:
    readers = Readers()
    readers.hear(Change("added", item("", "1")))
    assert readers.woken == 0
    readers.hear(Change("modified", item("a", "2")))
    readers.hear(Change("modified", item("", "3")))
    assert readers.woken == 2
    assert readers.mirror.nouns == {}


def test_a_deleted_object_goes() -> None:
    readers = Readers()
    readers.hear(Change("added", item("a", "1")))
    readers.hear(Change("deleted", item("a", "2")))
    assert readers.woken == 2
    assert readers.mirror.nouns == {}
