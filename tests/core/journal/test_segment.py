"""Segments: every record goes into exactly one, in order, and a closed one stays as it is."""

from hypothesis import given
from hypothesis import strategies as st

from bridgehead.core.journal.chain import VALUE_LIMIT, Head, Signature, append
from bridgehead.core.journal.entry import Draft, Entry, Phase
from bridgehead.core.journal.segment import (
    BYTE_LIMIT,
    ENTRY_LIMIT,
    Filling,
    filling_of,
    place,
    read,
    segment_name,
)

SIGNATURE = Signature(run="run", owner="team", identity="me")


def entries(*sizes: int) -> list[Entry]:
    """Records whose details have so many characters."""
    head = Head(0, "sha256:start")
    made = []
    for size in sizes:
        draft = Draft(step="gates", phase=Phase.NOTE, result="good", detail={"text": "x" * size})
        entry = append(head, draft, SIGNATURE, 1_800_000_000.0)
        head = Head(entry.seq, entry.digest)
        made.append(entry)
    return made


def test_names_sort_like_numbers() -> None:
    assert segment_name("run", 7) == "run-0007"


def test_the_first_record_begins_the_first_segment() -> None:
    (batch,) = place(Filling(), entries(10))
    assert (batch.segment, batch.first, list(batch.data)) == (1, True, ["000001"])
    assert not batch.after.closed


def test_records_that_fit_go_into_the_open_segment_with_one_write() -> None:
    filling = Filling(number=3, entries=10, size=5000, closed=False)
    (batch,) = place(filling, entries(10, 20, 30))
    assert (batch.segment, batch.first, len(batch.data)) == (3, False, 3)
    assert batch.after.entries == 13


def test_a_closed_segment_is_never_written_again() -> None:
    filling = Filling(number=3, entries=10, size=5000, closed=True)
    (batch,) = place(filling, entries(10))
    assert (batch.segment, batch.first) == (4, True)


def test_the_write_that_fills_a_segment_closes_it() -> None:
    filling = Filling(number=1, entries=ENTRY_LIMIT - 1, size=5000, closed=False)
    (batch,) = place(filling, entries(10))
    assert batch.after.closed


def test_a_record_that_is_too_long_is_kept_whole() -> None:
    filling = Filling(number=1, entries=1, size=BYTE_LIMIT - VALUE_LIMIT, closed=False)
    (batch,) = place(filling, entries(2 * VALUE_LIMIT))
    assert batch.segment == 1
    assert batch.after.closed


@given(st.lists(st.lists(st.integers(0, 3000), min_size=1, max_size=60), max_size=20))
def test_nothing_is_lost_and_no_segment_grows_too_large(writes: list[list[int]]) -> None:
    every = entries(*(size for write in writes for size in write))
    segments: dict[int, dict[str, str]] = {}
    closed: set[int] = set()
    filling = Filling()
    left = list(every)
    for write in writes:
        due, left = left[: len(write)], left[len(write) :]
        for batch in place(filling, due):
            assert batch.segment not in closed
            assert batch.first == (batch.segment not in segments)
            segments.setdefault(batch.segment, {}).update(batch.data)
            filling = batch.after
            stored = segments[batch.segment]
            assert filling == filling_of(batch.segment, stored, closed=filling.closed)
            if filling.closed:
                closed.add(batch.segment)
    assert list(read(segments[number] for number in sorted(segments))) == every
    assert all(len(data) <= ENTRY_LIMIT for data in segments.values())
    assert all(sum(map(len, data.values())) <= BYTE_LIMIT for data in segments.values())
