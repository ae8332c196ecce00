"""What recovery did before: read from its journal, and counted against its limits."""

from collections.abc import Iterable

import msgspec

from bridgehead.core.journal.entry import Entry, Phase
from bridgehead.core.model.json import text
from bridgehead.core.recover.rung import Rung, rung_of

STEP = "recover"
"""Step of all records of recovery."""

INTERRUPTED = "interrupted"
"""Result of a recovery that was told to stop before it was seen whether it has helped."""

HOUR, DAY = 3600.0, 86400.0


class Past(msgspec.Struct, frozen=True, kw_only=True):
    """A rung that was begun at ``at`` (seconds since the epoch), whatever came of it.

    ``what`` is the object that it was about: a pod, a resource name. ``ended`` is the last result
    that was written of it; empty while nothing says how it ended.
    """

    at: float
    rung: Rung
    node: str
    what: str = ""
    ended: str = ""
    identity: str = ""

    @property
    def verdict_lacks(self) -> bool:
        """Whether nobody has seen, or nobody has written, what came of it."""
        return self.ended in {"", INTERRUPTED}


def past_of(entries: Iterable[Entry]) -> tuple[Past, ...]:
    """Every rung that was begun, in order: intents count, since their effect may be there.

    One recovery at a time has the component's lock: what follows an intent is about that one.
    """
    found: list[Past] = []
    for entry in entries:
        rung = rung_of(text(entry.detail, "rung"))
        if entry.step != STEP or rung is None:
            continue
        if entry.phase is Phase.INTENT:
            found.append(
                Past(
                    at=entry.at,
                    rung=rung,
                    node=entry.node,
                    what=text(entry.detail, "what"),
                    identity=entry.identity,
                )
            )
        elif found and _ends(entry, rung):
            found[-1] = msgspec.structs.replace(found[-1], ended=entry.result)
    return tuple(found)


def _ends(entry: Entry, rung: Rung) -> bool:
    """Of an effect that took place a note is still to come; of a person's own command none is."""
    return entry.phase is Phase.NOTE or entry.result != "done" or rung.by_hand


def without_verdict(past: Iterable[Past]) -> tuple[Past, ...]:
    """The newest recovery of each node, where nobody knows what came of it; by node."""
    newest = {item.node: item for item in past}
    return tuple(newest[node] for node in sorted(newest) if newest[node].verdict_lacks)


def last(past: Iterable[Past], rung: Rung, node: str, now: float, within: float) -> Past | None:
    """The last time that the rung was begun on the node in the last ``within`` seconds."""
    found = [
        item for item in past if (item.rung, item.node) == (rung, node) and now - item.at < within
    ]
    return max(found, key=lambda item: item.at, default=None)
