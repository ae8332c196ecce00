"""Runs in the cluster: a record each, and a journal to which one holder at a time can append.

The guard is the resourceVersion of the last segment: whoever appends names the one that he wrote or
read last, so a holder that was replaced finds out with his next record, before its effect.
"""

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence

import msgspec

from bridgehead.cluster.errors import (
    BrokenJournalError,
    LostJournalError,
    NoSuchRunError,
    RemovedJournalError,
    RunExistsError,
    UnreadableRunError,
)
from bridgehead.cluster.names import COMPONENT_LABEL, PART_LABEL, RUN_LABEL, component_label
from bridgehead.cluster.record import (
    RECORD,
    SEGMENT,
    Listed,
    Record,
    chain_start,
    listed,
    record_object,
    record_of,
    segment_object,
)
from bridgehead.cluster.state_namespace import create_in
from bridgehead.core.journal import chain
from bridgehead.core.journal.chain import Head, Signature, check, head_of
from bridgehead.core.journal.entry import Draft, Entry
from bridgehead.core.journal.segment import (
    Batch,
    Filling,
    filling_of,
    place,
    read,
    record_key,
    segment_name,
)
from bridgehead.core.journal.verification import StoredJournal, StoredSegment
from bridgehead.core.plan.settings import ComponentRef
from bridgehead.kube.client import Kube
from bridgehead.kube.errors import AlreadyExists, Conflict, NotFound
from bridgehead.kube.objects.cluster import ConfigMap
from bridgehead.kube.resources import CONFIG_MAPS


class _End(msgspec.Struct, frozen=True):
    """The end of a run's journal as this holder knows it."""

    head: Head
    filling: Filling
    version: str
    """The last segment's resourceVersion; empty before the first."""


class RunStore:
    """The runs in one state namespace. Errors of the API server are those of ``kube.errors``."""

    def __init__(self, kube: Kube, namespace: str) -> None:
        self._kube = kube
        self._namespace = namespace
        self._ends: dict[str, _End] = {}

    async def create(self, record: Record) -> None:
        """Record a new run. Raises RunExistsError where the name is taken."""
        body = record_object(record, self._namespace)
        try:
            await create_in(self._kube, self._namespace, CONFIG_MAPS, body)
        except AlreadyExists as error:
            if not error.repeated or await self.load(record.run) != record:
                raise RunExistsError(f"run {record.run} is there already") from None

    async def load(self, run: str) -> Record:
        """The record of a run. Raises NoSuchRunError or UnreadableRunError."""
        return record_of(await self._record(run))

    async def _record(self, run: str) -> ConfigMap:
        try:
            return await self._kube.get(CONFIG_MAPS, run, self._namespace)
        except NotFound:
            where = f"namespace {self._namespace}"
            raise NoSuchRunError(f"there is no run {run} in {where}") from None

    async def list_runs(self, component: ComponentRef | None = None) -> tuple[Listed, ...]:
        """All runs, or those of a component, oldest first."""
        selector = f"{PART_LABEL}={RECORD}"
        if component is not None:
            selector += f",{COMPONENT_LABEL}={component_label(component)}"
        found = await self._kube.list(CONFIG_MAPS, self._namespace, selector)
        runs = map(listed, found.items)
        return tuple(sorted(runs, key=lambda item: (item.created, item.run)))

    async def entries(self, run: str) -> tuple[Entry, ...]:
        """All records of a run, in order. What is appended next follows these.

        Raises NoSuchRunError, UnreadableRunError, and BrokenJournalError where the chain does not
        hold.
        """
        start = Head(0, chain_start(await self._record(run)))
        segments = await self._segments(run)
        entries = _read(run, (segment.data for _, segment in segments))
        _check(run, entries, start)
        self._ends[run] = _end(head_of(entries, start), segments)
        return entries

    async def pages(self, run: str) -> AsyncIterator[tuple[Entry, ...]]:
        """The records of a run, a segment at a time: to be shown before all of them are read.

        Raises what ``entries`` does, after the records before the place that does not hold. Where
        the run's record is gone, the chain begins wherever its first record says.
        """
        names = await self._names(run)
        gone = bool(names) and not await self.is_recorded(run)
        head = None if gone else Head(0, chain_start(await self._record(run)))
        for number, name in enumerate(names, start=1):
            if name != segment_name(run, number):
                missing = segment_name(run, number)
                raise BrokenJournalError(f"the journal of run {run} lacks its segment {missing}")
            page = await self._page(run, name)
            head = head or Head(0, page[0].previous if page else "")
            _check(run, page, head)
            yield page
            head = head_of(page, head)

    async def is_recorded(self, run: str) -> bool:
        """Whether the run's record is there; its journal may outlast it."""
        try:
            await self._record(run)
        except NoSuchRunError:
            return False
        return True

    async def last_page(self, run: str) -> tuple[Entry, ...]:
        """The records of a run's last segment, unchecked; empty before the first.

        Enough to tell an ended run from others, without reading what it did.
        """
        names = await self._names(run)
        return await self._page(run, names[-1]) if names else ()

    async def _names(self, run: str) -> list[str]:
        selector = f"{PART_LABEL}={SEGMENT},{RUN_LABEL}={run}"
        found = await self._kube.list_metadata(CONFIG_MAPS, self._namespace, selector)
        return sorted(item.metadata.name for item in found.items)

    async def _page(self, run: str, name: str) -> tuple[Entry, ...]:
        segment = await self._kube.get(CONFIG_MAPS, name, self._namespace)
        return _read(run, (segment.data,))

    async def stored(self, run: str) -> StoredJournal:
        """A run's journal as it is kept, unchecked: for whoever verifies it.

        Where only the run's record is gone, the journal is what is left. Raises NoSuchRunError and
        UnreadableRunError.
        """
        selector = f"{PART_LABEL}={SEGMENT},{RUN_LABEL}={run}"
        kept = await self._kube.list(CONFIG_MAPS, self._namespace, selector)
        found = (StoredSegment(i.metadata.name, i.data, i.immutable) for i in kept.items)
        segments = tuple(sorted(found, key=lambda segment: segment.name))
        if segments and not await self.is_recorded(run):
            first = _read(run, (segments[0].data,))
            start = first[0].previous if first else ""
            return StoredJournal(run=run, recorded=start, planned=start, segments=segments)
        record = await self._record(run)
        return StoredJournal(
            run=run,
            recorded=listed(record).change_digest,
            planned=chain_start(record),
            segments=segments,
        )

    async def append(
        self, run: str, drafts: Sequence[Draft], signature: Signature, now: float
    ) -> tuple[Entry, ...]:
        """Store the drafts as the next records, with one write unless a segment fills up.

        ``now`` is in seconds since the epoch. Raises LostJournalError where somebody else has
        appended since this store last read or wrote the journal, RemovedJournalError where somebody
        has deleted it.
        """
        if run not in self._ends:
            await self.entries(run)
        end = self._ends[run]
        entries: list[Entry] = []
        head = end.head
        for draft in drafts:
            entry = chain.append(head, draft, signature, now)
            entries.append(entry)
            head = Head(entry.seq, entry.digest)
        for batch in place(end.filling, entries):
            end = await self._write(run, batch, end, entries)
            self._ends[run] = end
        return tuple(entries)

    async def _write(self, run: str, batch: Batch, end: _End, entries: Sequence[Entry]) -> _End:
        name = segment_name(run, batch.segment)
        try:
            version = await (
                self._create_segment(run, name, batch)
                if batch.first
                else self._extend_segment(name, batch, end.version)
            )
        except (AlreadyExists, Conflict) as error:
            version = await self._own_repeat(name, batch, repeated=error.repeated)
        except NotFound:
            del self._ends[run]
            raise RemovedJournalError(
                f"somebody has deleted the journal of run {run}: there is no configmap "
                f"{self._namespace}/{name}"
            ) from None
        last = next(item for item in reversed(entries) if record_key(item.seq) in batch.data)
        return _End(Head(last.seq, last.digest), batch.after, version)

    async def _create_segment(self, run: str, name: str, batch: Batch) -> str:
        body = segment_object(name, self._namespace, run)
        body |= {"data": batch.data, "immutable": batch.after.closed or None}
        stored = await create_in(self._kube, self._namespace, CONFIG_MAPS, body)
        return _version(stored)

    async def _extend_segment(self, name: str, batch: Batch, version: str) -> str:
        body: dict[str, object] = {"metadata": {"resourceVersion": version}, "data": batch.data}
        if batch.after.closed:
            body["immutable"] = True
        stored = await self._kube.patch_merge(CONFIG_MAPS, name, body, namespace=self._namespace)
        return _version(stored)

    async def _own_repeat(self, name: str, batch: Batch, *, repeated: bool) -> str:
        """The version after our own write, where its first sending went through unanswered."""
        if repeated:
            found = await self._kube.get(CONFIG_MAPS, name, self._namespace)
            newest = dict(sorted(found.data.items())[-len(batch.data) :])
            if newest == batch.data:
                return found.metadata.resource_version
        raise LostJournalError(
            f"another runner has written to journal segment {self._namespace}/{name}; "
            "this one stops, the other goes on"
        )

    async def _segments(self, run: str) -> list[tuple[int, ConfigMap]]:
        """Segments with their numbers, in order."""
        selector = f"{PART_LABEL}={SEGMENT},{RUN_LABEL}={run}"
        found = await self._kube.list(CONFIG_MAPS, self._namespace, selector)
        numbered = []
        for item in found.items:
            number = item.metadata.name.removeprefix(f"{run}-")
            if number.isdecimal():
                numbered.append((int(number), item))
        return sorted(numbered, key=lambda pair: pair[0])


def _read(run: str, segments: Iterable[Mapping[str, str]]) -> tuple[Entry, ...]:
    try:
        return read(segments)
    except msgspec.DecodeError as error:
        text = f"the journal of run {run} holds something that is no record: {error}"
        raise UnreadableRunError(text) from error


def _check(run: str, entries: Iterable[Entry], start: Head) -> None:
    broken = check(entries, start)
    if broken is not None:
        raise BrokenJournalError(
            f"the journal of run {run} does not hold at record {broken.seq}: {broken.reason}"
        )


def _end(head: Head, segments: Sequence[tuple[int, ConfigMap]]) -> _End:
    if not segments:
        return _End(head, Filling(), "")
    number, last = segments[-1]
    filling = filling_of(number, last.data, closed=last.immutable)
    return _End(head, filling, last.metadata.resource_version)


def _version(stored: dict[str, object]) -> str:
    metadata = stored["metadata"]
    return str(metadata["resourceVersion"]) if isinstance(metadata, dict) else ""
