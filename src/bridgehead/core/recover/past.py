"""What recovery did before: read from its journal, and counted against its limits."""

from collections.abc import Iterable

import msgspec

from bridgehead.core.journal.entry import Entry, Phase
from bridgehead.core.model.json import text
from bridgehead.core.recover.rung import Rung, rung_of

STEP = "recover"
"""Step of all records of recovery."""

HOUR, DAY = 3600.0, 86400.0


class Past(msgspec.Struct, frozen=True, kw_only=True):
    """A rung that was begun at ``at`` (seconds since the epoch), whatever came of it.

    ``what`` is the object that it was about: a pod, a resource name.
    """

    at: float
    rung: Rung
    node: str
    what: str = ""


def past_of(entries: Iterable[Entry]) -> tuple[Past, ...]:
    """Every rung that was begun, in order: intents count, since their effect may be there."""
    found = []
    for entry in entries:
        rung = rung_of(text(entry.detail, "rung"))
        if entry.step == STEP and entry.phase is Phase.INTENT and rung is not None:
            found.append(
                Past(at=entry.at, rung=rung, node=entry.node, what=text(entry.detail, "what"))
            )
    return tuple(found)


def last(past: Iterable[Past], rung: Rung, node: str, now: float, within: float) -> Past | None:
    """The last time that the rung was begun on the node in the last ``within`` seconds."""
    found = [
        item for item in past if (item.rung, item.node) == (rung, node) and now - item.at < within
    ]
    return max(found, key=lambda item: item.at, default=None)
