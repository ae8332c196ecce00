"""One record of a run: what was about to be done, what came of it, or what was found."""

from datetime import UTC, datetime
from enum import Enum

import msgspec

from bridgehead.core.model.json import JsonObject


class Phase(Enum):
    """Whether a record precedes an effect, follows it, or states something without one."""

    INTENT = "intent"
    OUTCOME = "outcome"
    NOTE = "note"


class Evidence(msgspec.Struct, frozen=True, omit_defaults=True):
    """A quotation: where it was read, and what it says."""

    source: str
    text: str
    node: str = ""
    """The node that it is about, where that decides something; else left out."""


class Draft(msgspec.Struct, frozen=True, kw_only=True):
    """A record before it has a place in the journal."""

    step: str
    phase: Phase
    node: str = ""
    result: str = ""
    detail: JsonObject = {}
    evidence: tuple[Evidence, ...] = ()


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """A record in its place: numbered, dated, signed with who ran it, chained to the one before."""

    seq: int
    time: str
    run: str
    owner: str
    identity: str
    step: str
    phase: Phase
    node: str = ""
    result: str = ""
    detail: JsonObject = {}
    evidence: tuple[Evidence, ...] = ()
    previous: str = ""
    digest: str = ""

    @property
    def at(self) -> float:
        """Its time in seconds since the epoch."""
        return datetime.fromisoformat(self.time).timestamp()


RESOLUTION = 0.001
"""Seconds that a record's time can lie before the moment that it was written for."""


def stamp(at: float) -> str:
    """Seconds since the epoch as RFC 3339 in UTC with milliseconds, the journal's only form."""
    moment = datetime.fromtimestamp(at, UTC)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{moment.microsecond // 1000:03d}Z"
