"""A run's journal as the loop uses it: append drafts, get the state after them."""

from collections.abc import Callable, Sequence
from typing import Protocol

import msgspec

from bridgehead.core.journal.chain import Signature
from bridgehead.core.journal.entry import Draft, Entry
from bridgehead.core.rollout.run import Run
from bridgehead.core.rollout.transition import fold


class Records(Protocol):
    """Where records are kept; ``cluster.store.RunStore`` is the only real one."""

    async def append(
        self, run: str, drafts: Sequence[Draft], signature: Signature, now: float
    ) -> tuple[Entry, ...]:
        """Write the drafts as the next records of the run, in one request."""
        ...


class Journal:
    """Writes a run's records before anything that rests on them is done."""

    def __init__(
        self,
        records: Records,
        signature: Signature,
        clock: Callable[[], float],
        tell: Callable[[Entry], None],
    ) -> None:
        self._records = records
        self._signature = signature
        self._clock = clock
        self._tell = tell
        self.head = ""
        """Digest of the last record that was written."""

    async def write(self, run: Run, drafts: Sequence[Draft]) -> Run:
        """The run after the drafts; they are stored when this returns."""
        if not drafts:
            return run
        entries = await self._records.append(run.name, drafts, self._signature, self._clock())
        for entry in entries:
            self.head = entry.digest
            self._tell(entry)
        return msgspec.structs.replace(run, state=fold(entries, run.state))
