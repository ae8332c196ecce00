"""What became of a rehearsed change: caught or not, where, on how many nodes, at what price."""

from typing import Literal

import msgspec

from bridgehead.core.diagnose.explained import Explained
from bridgehead.core.model.snapshot import Unread
from bridgehead.core.plan.plan import Plan
from bridgehead.core.verify.result import GateResult

Verdict = Literal["passed", "caught", "escaped", "stopped"]
"""``passed``: it went through, and nothing is missing. ``caught``: a gate stopped it. ``escaped``:
the run's exit says that all is well, or back as it was, and something is missing. ``stopped``: it
came to no end of its own; whoever ran it was told."""

PREFLIGHT = "preflight"

_PROMISES = frozenset({0, 1, 3})
"""Exits that promise that every node offers what it offered before."""


class Missing(msgspec.Struct, frozen=True, kw_only=True):
    """What a node lacks after all that it had before."""

    node: str
    what: str


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """What became of one playing."""

    fault: str = ""
    """As it is typed; empty for the change as it is."""
    exit: int
    """That of the rollout."""
    summary: str
    stage: str = ""
    """In which stage a gate failed."""
    failure: GateResult | None = None
    explained: Explained | None = None
    """What the run says of the cause."""
    touched: tuple[str, ...] = ()
    """Nodes on which a pod of the component was ended."""
    device_minutes: float = 0.0
    """Devices that nodes did not offer though they had before, times minutes, until the ending."""
    duration: float = 0.0
    """Simulated seconds from the first look to the ending."""
    missing: tuple[Missing, ...] = ()
    """What is missing long after the ending."""
    struck: tuple[str, ...] = ()
    """Nodes that the fault itself has made unfit: nothing is said of what is missing there."""
    journal_head: str = ""

    @property
    def verdict(self) -> Verdict:
        """What became of it, in a word."""
        if self.missing and self.exit in _PROMISES:
            return "escaped"
        if self.exit == 0:
            return "passed"
        return "caught" if self.failure is not None else "stopped"

    @property
    def good(self) -> bool:
        """Whether nobody was promised more than there is; of the change itself, that it passed."""
        return self.verdict != "escaped" if self.fault else self.verdict == "passed"


class Rehearsal(msgspec.Struct, frozen=True, kw_only=True):
    """A whole rehearsal."""

    plan: Plan
    at: float
    """When the state was recorded, in seconds since the epoch."""
    chance: int
    """The seed from which everything that is left to chance follows."""
    outcomes: tuple[Outcome, ...]
    assumptions: tuple[str, ...]
    unread: tuple[Unread, ...]

    @property
    def good(self) -> bool:
        """Whether no playing has shown anything that is amiss."""
        return all(outcome.good for outcome in self.outcomes)
