"""What must hold before a rung is taken, with what was seen of it."""

from collections.abc import Iterable
from enum import Enum

import msgspec


class Verdict(Enum):
    """Whether a precondition holds. What is not known never counts as met."""

    MET = "met"
    NOT_MET = "not met"
    NOT_KNOWN = "not known"


class Precondition(msgspec.Struct, frozen=True):
    """One condition: what it asks, the answer, and what that answer rests on."""

    what: str
    verdict: Verdict
    evidence: str

    @property
    def met(self) -> bool:
        """Whether it holds."""
        return self.verdict is Verdict.MET


def judged(what: str, holds: bool | None, evidence: str) -> Precondition:
    """A condition from a plain answer; None where nobody knows."""
    if holds is None:
        return Precondition(what, Verdict.NOT_KNOWN, evidence)
    return Precondition(what, Verdict.MET if holds else Verdict.NOT_MET, evidence)


def unmet(preconditions: Iterable[Precondition]) -> tuple[Precondition, ...]:
    """Those that stand in the way, in order: not met, and not known."""
    return tuple(item for item in preconditions if not item.met)
