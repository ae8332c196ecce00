"""Whether a stored journal is what its run wrote: the chain, its storage, and a head from outside.

The chain alone shows what was changed inside it. Whoever rewrites all of it, or cuts its end off,
leaves a chain that holds: only a head that was kept elsewhere shows that.
"""

from collections.abc import Iterator, Mapping

import msgspec

from bridgehead.core.journal.chain import Head, decode, digest_of, encode
from bridgehead.core.journal.segment import record_key, segment_name


class StoredSegment(msgspec.Struct, frozen=True):
    """A segment as it is stored."""

    name: str
    data: Mapping[str, str]
    closed: bool
    """Whether the API server refuses every further change of it."""


class StoredJournal(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that is kept of a run's journal, in the order of the segments' names."""

    run: str
    recorded: str
    """The change's digest as the run's record shows it."""
    planned: str
    """The change's digest in the run's plan; the first record follows it."""
    segments: tuple[StoredSegment, ...]


class Consistent(msgspec.Struct, frozen=True):
    """The chain holds; whether it is the whole one, nothing here can tell."""

    head: Head


class Anchored(msgspec.Struct, frozen=True):
    """The chain holds and ends with the head that was asked for."""

    head: Head


class Appended(msgspec.Struct, frozen=True):
    """The chain holds up to the head that was asked for and goes on after it."""

    head: Head
    asked: Head

    @property
    def count(self) -> int:
        """Records after the head that was asked for."""
        return self.head.seq - self.asked.seq


class NotThere(msgspec.Struct, frozen=True):
    """The chain holds, but no record has the digest that was asked for: cut off or replaced."""

    head: Head
    asked: str


class Flaw(msgspec.Struct, frozen=True, kw_only=True):
    """The first place where the journal is not what a run writes."""

    after: Head
    """The last record up to which everything holds."""
    segment: str
    """The stored object; the run's own name where it is the record of the run."""
    reason: str
    expected: str
    seen: str


Verification = Consistent | Anchored | Appended | NotThere | Flaw


def verify(journal: StoredJournal, asked: str = "") -> Verification:
    """What can be said of a journal; ``asked`` is the digest of a head that was kept elsewhere."""
    head = Head(0, journal.planned)
    known: Head | None = None
    for step in _walk(journal):
        if isinstance(step, Flaw):
            return step
        head = step
        known = step if step.digest == asked else known
    if not asked:
        return Consistent(head)
    if known is None:
        return NotThere(head, asked)
    return Anchored(head) if known == head else Appended(head, known)


def _walk(journal: StoredJournal) -> Iterator[Head | Flaw]:
    """The head after each record; ends at the first flaw."""
    head = Head(0, journal.planned)
    if journal.recorded != journal.planned:
        yield Flaw(
            after=head,
            segment=journal.run,
            reason="the run's record names another change than its plan",
            expected=journal.planned,
            seen=journal.recorded or "none",
        )
        return
    names = {segment.name for segment in journal.segments}
    for number, segment in enumerate(journal.segments, start=1):
        last = segment_name(journal.run, number + 1) not in names
        flaw = _storage_flaw(journal.run, number, segment, head, last=last)
        if flaw is not None:
            yield flaw
            return
        for key in sorted(segment.data):
            step = _record(journal.run, segment, key, head)
            yield step
            if isinstance(step, Flaw):
                return
            head = step


def _storage_flaw(
    run: str, number: int, segment: StoredSegment, head: Head, *, last: bool
) -> Flaw | None:
    """What is wrong with the object itself: its place, or that it can still be changed."""
    name = segment_name(run, number)
    if segment.name != name:
        why = "a segment is missing, or there is one that no run writes"
        return Flaw(after=head, segment=name, reason=why, expected=name, seen=segment.name)
    if not segment.data:
        why = "the segment holds no record"
        return Flaw(after=head, segment=name, reason=why, expected="records", seen="none")
    if not (last or segment.closed):
        why = "another segment follows, and this one can still be changed"
        return Flaw(
            after=head, segment=name, reason=why, expected="immutable: true", seen="not immutable"
        )
    return None


def _record(run: str, segment: StoredSegment, key: str, head: Head) -> Head | Flaw:
    """The head after one more record, or what is wrong with it."""

    def flaw(reason: str, expected: str, seen: str) -> Flaw:
        return Flaw(after=head, segment=segment.name, reason=reason, expected=expected, seen=seen)

    wanted = record_key(head.seq + 1)
    if key != wanted:
        return flaw("a record is missing, or there is one that no run writes", wanted, key)
    stored = segment.data[key]
    try:
        entry = decode(stored)
    except msgspec.DecodeError as error:
        return flaw("the value is no record", "a record", str(error))
    if entry.seq != head.seq + 1:
        return flaw("it stands in another record's place", str(head.seq + 1), str(entry.seq))
    if entry.previous != head.digest:
        return flaw("it does not follow the record before it", head.digest, entry.previous)
    if entry.digest != (digest := digest_of(entry)):
        return flaw("its content does not match its digest", digest, entry.digest)
    if encode(entry) != stored:
        return flaw("it holds more than its digest covers", encode(entry), stored)
    if entry.run != run:
        return flaw("it belongs to another run", run, entry.run)
    return Head(entry.seq, entry.digest)
