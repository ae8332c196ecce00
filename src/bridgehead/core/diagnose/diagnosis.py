"""What a diagnosis says: causes with their effects, what was not known, and the nodes concerned.

Field names are part of ``bridgehead.dev/diagnosis/v1``; in JSON they are camelCase.
"""

import msgspec

from bridgehead.core.diagnose.cause import Action, Blame, RollbackHelps, RuledOut
from bridgehead.core.findings.finding import (
    Finding,
    NotKnown,
    ObjectRef,
    RuleFailure,
    Severity,
)
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.confidence import Confidence
from bridgehead.core.model.snapshot import Unread

SCHEMA = "bridgehead.dev/diagnosis/v1"


class Value(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A part of the diagnosis."""


class Ranked(Value, frozen=True):
    """A cause in its place: a finding, and what is known beyond that something is wrong.

    ``effects`` are findings that this cause alone would bring about. ``explains`` are symptoms by
    their keys, consequences included.
    """

    rule: str
    severity: Severity
    confidence: Confidence
    message: str
    remedy: str
    object: ObjectRef
    nodes: tuple[str, ...]
    scope: str
    """Where it is seen and where not, in words; empty where nodes are not what it is about."""
    blame: Blame
    evidence: tuple[Evidence, ...]
    refuted_by: str
    ruled_out: tuple[RuledOut, ...]
    actions: tuple[Action, ...]
    rollback_helps: RollbackHelps
    explains: tuple[str, ...]
    effects: tuple[Finding, ...] = ()


class Moment(Value, frozen=True):
    """Something that happened on a node; ``at`` is RFC 3339 in UTC."""

    at: str
    what: str
    source: str


class NodeView(Value, frozen=True):
    """A node that a cause speaks of, with what happened there, oldest first."""

    name: str
    cohort: str
    ready: bool | None
    resources: dict[str, str]
    """Capacity/allocatable by name."""
    timeline: tuple[Moment, ...]
    earlier: int = 0
    """Older moments that are left out."""


class SymptomView(Value, frozen=True):
    """Something seen to be wrong, and the rules of the causes that explain it, surest first."""

    key: str
    text: str
    explained_by: tuple[str, ...]


class TooEarly(Value, frozen=True):
    """Something that just began, so that what is missing there says nothing yet.

    ``node`` is empty where it is about the DaemonSet's pods.
    """

    component: str
    node: str
    text: str
    again: int
    """Seconds after which it can be judged."""


class Diagnosis(Value, frozen=True):
    """Everything.

    ``healthy`` is None where nothing was found, and something was not read or has just begun.
    """

    at: str
    about: str
    healthy: bool | None
    causes: tuple[Ranked, ...]
    symptoms: tuple[SymptomView, ...] = ()
    nodes: tuple[NodeView, ...] = ()
    not_known: tuple[NotKnown, ...] = ()
    failures: tuple[RuleFailure, ...] = ()
    unread: tuple[Unread, ...] = ()
    too_early: tuple[TooEarly, ...] = ()

    @property
    def again(self) -> int:
        """Seconds after which all that is too early to judge can be judged; 0 for nothing such."""
        return max((item.again for item in self.too_early), default=0)

    @property
    def worst(self) -> Severity | None:
        """The gravest of the causes; None where there is none."""
        return min((item.severity for item in self.causes), key=lambda it: it.rank, default=None)
