"""Every kind of tampering with a stored journal, and what verification says of it."""

from collections.abc import Callable

import msgspec
import pytest

from bridgehead.core.journal.chain import Head, Signature, append, decode, encode
from bridgehead.core.journal.entry import Draft, Entry, Phase
from bridgehead.core.journal.segment import Filling, place, record_key, segment_name
from bridgehead.core.journal.verification import (
    Anchored,
    Appended,
    Consistent,
    Flaw,
    NotThere,
    StoredJournal,
    StoredSegment,
    verify,
)

RUN = "run-1"
CHANGE = "sha256:change"
SIGNATURE = Signature(RUN, "team", "user@corp")
NOW = 1_700_000_000.0


def records(
    count: int, *, run: str = RUN, word: str = "good", start: Head | None = None
) -> list[Entry]:
    made: list[Entry] = []
    head = start or Head(0, CHANGE)
    for number in range(count):
        draft = Draft(step="gates", phase=Phase.NOTE, result=word, detail={"number": number})
        entry = append(head, draft, msgspec.structs.replace(SIGNATURE, run=run), NOW + number)
        head = Head(entry.seq, entry.digest)
        made.append(entry)
    return made


def stored(entries: list[Entry], per_segment: int = 4) -> StoredJournal:
    """The records in segments of a few each; all but the last are closed."""
    groups = [entries[i : i + per_segment] for i in range(0, len(entries), per_segment)]
    segments = tuple(
        StoredSegment(
            segment_name(RUN, number),
            {record_key(entry.seq): encode(entry) for entry in group},
            closed=number < len(groups),
        )
        for number, group in enumerate(groups, start=1)
    )
    return StoredJournal(run=RUN, recorded=CHANGE, planned=CHANGE, segments=segments)


ENTRIES = records(10)
JOURNAL = stored(ENTRIES)
HEAD = Head(10, ENTRIES[-1].digest)


def changed(segment: int, change: Callable[[dict[str, str]], object]) -> StoredJournal:
    """The journal after somebody wrote to the data of one of its segments."""
    segments = list(JOURNAL.segments)
    data = dict(segments[segment - 1].data)
    change(data)
    segments[segment - 1] = msgspec.structs.replace(segments[segment - 1], data=data)
    return msgspec.structs.replace(JOURNAL, segments=tuple(segments))


def flaw(journal: StoredJournal, asked: str = "") -> Flaw:
    found = verify(journal, asked)
    assert isinstance(found, Flaw), found
    return found


def test_what_the_segmenter_places_verifies() -> None:
    entries = records(600)
    batches = place(Filling(), entries)
    segments = tuple(
        StoredSegment(segment_name(RUN, item.segment), item.data, item.after.closed)
        for item in batches
    )
    journal = msgspec.structs.replace(JOURNAL, segments=segments)
    assert verify(journal) == Consistent(Head(600, entries[-1].digest))


def test_without_a_head_a_journal_is_consistent_and_no_more() -> None:
    assert verify(JOURNAL) == Consistent(HEAD)


def test_a_journal_that_ends_with_the_head_verifies() -> None:
    assert verify(JOURNAL, HEAD.digest) == Anchored(HEAD)


def test_a_journal_without_records_is_consistent_but_holds_no_head() -> None:
    empty = stored([])
    assert verify(empty) == Consistent(Head(0, CHANGE))
    assert verify(empty, HEAD.digest) == NotThere(Head(0, CHANGE), HEAD.digest)


def test_records_after_the_head_are_counted() -> None:
    found = verify(JOURNAL, ENTRIES[6].digest)
    assert found == Appended(HEAD, Head(7, ENTRIES[6].digest))
    assert isinstance(found, Appended)
    assert found.count == 3


def test_an_edited_record_is_the_first_bad_one() -> None:
    def edit(data: dict[str, str]) -> None:
        entry = msgspec.structs.replace(decode(data["000006"]), result="bad")
        data["000006"] = encode(entry)

    found = flaw(changed(2, edit))
    assert (found.after.seq, found.segment) == (5, "run-1-0002")
    assert found.seen == ENTRIES[5].digest
    assert found.expected != found.seen


def test_an_edited_record_with_a_digest_of_its_own_breaks_the_next_one() -> None:
    def edit(data: dict[str, str]) -> None:
        draft = Draft(step="gates", phase=Phase.NOTE, result="bad")
        forged = append(Head(5, ENTRIES[4].digest), draft, SIGNATURE, NOW)
        data["000006"] = encode(forged)

    found = flaw(changed(2, edit))
    assert found.after.seq == 6
    assert "does not follow" in found.reason
    assert found.seen == ENTRIES[5].digest


@pytest.mark.parametrize(
    "value",
    ['{"comment":"innocent",', '{"seq":6,'],
    ids=["a field that no digest covers", "a field twice"],
)
def test_a_record_may_hold_nothing_beside_what_its_digest_covers(value: str) -> None:
    def edit(data: dict[str, str]) -> None:
        data["000006"] = value + data["000006"].removeprefix("{")

    assert "more than its digest covers" in flaw(changed(2, edit)).reason


def test_records_cut_off_at_the_end_show_only_beside_the_head() -> None:
    cut = stored(ENTRIES[:-2])
    head = Head(8, ENTRIES[7].digest)
    assert verify(cut) == Consistent(head)
    assert verify(cut, HEAD.digest) == NotThere(head, HEAD.digest)


def test_a_record_removed_in_the_middle_is_missed() -> None:
    found = flaw(changed(2, lambda data: data.pop("000006")))
    assert (found.after.seq, found.expected, found.seen) == (5, "000006", "000007")


def test_a_record_removed_at_the_end_of_a_closed_segment_is_missed() -> None:
    found = flaw(changed(1, lambda data: data.pop("000004")))
    assert (found.after.seq, found.segment, found.seen) == (3, "run-1-0002", "000005")


def test_a_tail_that_was_written_anew_shows_only_beside_the_head() -> None:
    kept = ENTRIES[:6]
    forged = records(4, word="forged", start=Head(6, kept[-1].digest))
    journal = stored([*kept, *forged])
    head = Head(10, forged[-1].digest)
    assert verify(journal) == Consistent(head)
    assert verify(journal, HEAD.digest) == NotThere(head, HEAD.digest)


def test_two_records_in_each_others_place_are_told() -> None:
    def swap(data: dict[str, str]) -> None:
        data["000006"], data["000007"] = data["000007"], data["000006"]

    found = flaw(changed(2, swap))
    assert (found.after.seq, found.expected, found.seen) == (5, "6", "7")


@pytest.mark.parametrize("number", [1, 2])
def test_a_deleted_segment_is_missed(number: int) -> None:
    segments = tuple(item for item in JOURNAL.segments if item.name != segment_name(RUN, number))
    found = flaw(msgspec.structs.replace(JOURNAL, segments=segments))
    assert found.expected == segment_name(RUN, number)
    assert found.seen == segment_name(RUN, number + 1)


def test_a_second_chain_is_no_part_of_the_journal() -> None:
    second = StoredSegment("run-1-00002", JOURNAL.segments[1].data, closed=True)
    segments = (*JOURNAL.segments, second)
    found = flaw(msgspec.structs.replace(JOURNAL, segments=segments))
    assert (found.after.seq, found.seen) == (10, "run-1-00002")


def test_an_empty_segment_is_none_of_a_run() -> None:
    found = flaw(changed(3, dict.clear))
    assert found.reason == "the segment holds no record"


def test_a_full_segment_must_be_closed() -> None:
    opened = msgspec.structs.replace(JOURNAL.segments[0], closed=False)
    journal = msgspec.structs.replace(JOURNAL, segments=(opened, *JOURNAL.segments[1:]))
    found = flaw(journal)
    assert (found.segment, found.seen) == ("run-1-0001", "not immutable")


def test_a_record_of_another_change_is_told_before_anything_else() -> None:
    found = flaw(msgspec.structs.replace(JOURNAL, recorded="sha256:other"), HEAD.digest)
    assert (found.segment, found.expected, found.seen) == (RUN, CHANGE, "sha256:other")


def test_a_change_digest_that_was_replaced_everywhere_breaks_the_first_record() -> None:
    journal = msgspec.structs.replace(JOURNAL, recorded="sha256:other", planned="sha256:other")
    found = flaw(journal)
    assert (found.after.seq, found.expected, found.seen) == (0, "sha256:other", CHANGE)


def test_another_runs_journal_of_the_same_change_is_told() -> None:
    assert "another run" in flaw(stored(records(3, run="run-2"))).reason


@pytest.mark.parametrize("value", ["", "{}", "not json"])
def test_what_is_no_record_is_a_flaw(value: str) -> None:
    found = flaw(changed(2, lambda data: data.update({"000006": value})))
    assert (found.after.seq, found.reason) == (5, "the value is no record")
