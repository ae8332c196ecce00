"""How a journal is cut into segments: objects of limited size, closed for good when full.

A segment is a mapping from six-digit record numbers to records in their stored form. One that is
closed never changes again, so a reader may keep it, and only the last one has to be guarded.
"""

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from bridgehead.core.journal.chain import VALUE_LIMIT, decode, encode
from bridgehead.core.journal.entry import Entry

ENTRY_LIMIT = 256
"""Records of one segment."""
BYTE_LIMIT = 128 * 1024
"""Bytes of one segment's keys and values; an API object may hold about a megabyte."""


class Filling(msgspec.Struct, frozen=True):
    """How full the last segment is; ``number`` 0 and ``closed`` before the first one."""

    number: int = 0
    entries: int = 0
    size: int = 0
    closed: bool = True


class Batch(msgspec.Struct, frozen=True):
    """Records that go into one segment with one write."""

    segment: int
    data: Mapping[str, str]
    first: bool
    """Whether the write creates the segment."""
    after: Filling
    """The segment after the write; where it is closed, the write closes it."""


def segment_name(run: str, number: int) -> str:
    """The name of a run's segment."""
    return f"{run}-{number:04d}"


def record_key(seq: int) -> str:
    """The key of a record in its segment; keys sort like the numbers."""
    return f"{seq:06d}"


def place(filling: Filling, entries: Iterable[Entry]) -> tuple[Batch, ...]:
    """Where records go after what is there: one batch as long as they fit into one segment.

    A segment is closed with the write after which the longest possible record would not fit. A
    record is never cut: one that is longer than it may be still goes in, as the last.
    """
    batches: list[Batch] = []
    waiting = [(record_key(entry.seq), encode(entry)) for entry in entries]
    while waiting:
        first = filling.closed
        if first:
            filling = Filling(filling.number + 1, closed=False)
        taken = _fitting(filling, waiting)
        data = dict(waiting[:taken])
        waiting = waiting[taken:]
        filling = _filled(filling, data, more=bool(waiting))
        batches.append(Batch(filling.number, data, first, filling))
    return tuple(batches)


def _fitting(filling: Filling, waiting: Sequence[tuple[str, str]]) -> int:
    """How many of the records fit; at least one."""
    size, count = filling.size, 0
    for item in waiting:
        size += _size(*item)
        if count and (size > BYTE_LIMIT or filling.entries + count >= ENTRY_LIMIT):
            break
        count += 1
    return count


def _filled(filling: Filling, data: Mapping[str, str], *, more: bool) -> Filling:
    entries = filling.entries + len(data)
    size = filling.size + sum(_size(*item) for item in data.items())
    full = entries >= ENTRY_LIMIT or size > BYTE_LIMIT - VALUE_LIMIT
    return Filling(filling.number, entries, size, closed=more or full)


def _size(key: str, value: str) -> int:
    return len(key) + len(value.encode())


def filling_of(number: int, data: Mapping[str, str], *, closed: bool) -> Filling:
    """How full a stored segment is."""
    return Filling(number, len(data), sum(_size(*item) for item in data.items()), closed)


def read(segments: Iterable[Mapping[str, str]]) -> tuple[Entry, ...]:
    """The records of segments in the order of their numbers.

    Raises msgspec.DecodeError or msgspec.ValidationError where a value is no record.
    """
    return tuple(decode(data[key]) for data in segments for key in sorted(data))
