"""What a rule says about an object: the form that every command and every report shares."""

from enum import Enum

import msgspec

from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.confidence import Confidence
from bridgehead.core.model.json import JsonObject, text


class Severity(Enum):
    """How much a finding weighs; ``--fail-on`` compares by ``rank``."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"

    @property
    def rank(self) -> int:
        """0 for the worst."""
        return (Severity.ERROR, Severity.WARNING, Severity.INFO).index(self)


class ObjectRef(msgspec.Struct, frozen=True, rename="camel"):
    """An API object by its names; an empty namespace for cluster-scoped kinds and for manifests
    that leave it to ``kubectl apply``."""

    api_version: str = ""
    kind: str = ""
    namespace: str = ""
    name: str = ""

    def __str__(self) -> str:
        """``DaemonSet/NAMESPACE/NAME``."""
        return "/".join(filter(None, (self.kind, self.namespace, self.name)))


def ref_of(item: JsonObject) -> ObjectRef:
    """The names of a raw API object."""
    return ObjectRef(
        text(item, "apiVersion"),
        text(item, "kind"),
        text(item, "metadata", "namespace"),
        text(item, "metadata", "name"),
    )


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One fault, with its place and its proof.

    ``rule`` is the rule's kebab-case name. ``line`` and ``column`` count from 1 and are 0 where
    there is no file. ``remedy`` is one sentence that says what to change.
    """

    rule: str
    severity: Severity
    confidence: Confidence
    message: str
    remedy: str = ""
    object: ObjectRef = ObjectRef()
    node: str = ""
    file: str = ""
    line: int = 0
    column: int = 0
    evidence: tuple[Evidence, ...] = ()


class NotKnown(msgspec.Struct, frozen=True, kw_only=True):
    """A rule that could not judge, or could judge only a part: never the same as "fine"."""

    rule: str
    why: str


class RuleFailure(msgspec.Struct, frozen=True, kw_only=True):
    """A rule that crashed: our defect, never a finding about the user."""

    rule: str
    error: str
    """Type and message of the exception, and the place in the rule's file."""
