"""What a rule declares about itself."""

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, cast

import msgspec

from bridgehead.core.diagnose.cause import Cause
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.findings.card import Card, card_of
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.manifest import Doubt, Linted, Violation
from bridgehead.core.findings.needs import Need
from bridgehead.core.model.confidence import Confidence

if TYPE_CHECKING:
    from types import FunctionType

LintCheck = Callable[[Linted], Iterable[Violation | Doubt]]
DiagnosisCheck = Callable[[Scene], Iterable[Cause | Doubt]]


class Rule(msgspec.Struct, frozen=True, kw_only=True):
    """The part that all rules share.

    ``name`` states the fault in kebab-case, never the cure; ``aliases`` are older names.
    ``references`` are public sources: ``kubernetes#92396``, ``NVIDIA#1213``, a URL.
    Without all of ``needs`` the rule is not run and its answer is "unknown, because"; with
    ``helped_by`` it sees more, and says in a Doubt what it could not judge without.
    """

    name: str
    severity: Severity
    confidence: Confidence = Confidence.HIGH
    status: str = "stable"
    since: str = "0.1"
    references: tuple[str, ...] = ()
    needs: frozenset[Need] = frozenset()
    helped_by: frozenset[Need] = frozenset()
    aliases: tuple[str, ...] = ()

    @property
    def card(self) -> Card:
        """The docstring of the module that its check stands in, as a card; raises CardError."""
        found = self.stands_in["__doc__"]
        return card_of(found if isinstance(found, str) else None)

    @property
    def stands_in(self) -> Mapping[str, object]:
        """The names of that module."""
        raise TypeError("a rule is a lint rule or a diagnosis rule")


class LintRule(Rule, frozen=True, kw_only=True):
    """A rule about manifests. ``needs`` are of the cluster: with any, it is mute without one."""

    check: LintCheck

    @property
    def stands_in(self) -> Mapping[str, object]:
        """The names of its check's module."""
        return cast("FunctionType", self.check).__globals__


class DiagnosisRule(Rule, frozen=True, kw_only=True):
    """A rule about what went wrong.

    ``level`` is the step of the method at which it is asked: 1 DaemonSet and its events, 2 plugin
    pod, 3 plugin runs and the resource is wrong, 4 scheduling and admission, 5 started and not
    usable. ``supersedes`` names rules whose findings on the same symptoms are only consequences of
    this one. ``cases`` are the ids of public cases that it answers, such as ``PLACE-1``.
    """

    check: DiagnosisCheck
    level: int
    supersedes: frozenset[str] = frozenset()
    cases: tuple[str, ...] = ()

    @property
    def stands_in(self) -> Mapping[str, object]:
        """The names of its check's module."""
        return cast("FunctionType", self.check).__globals__


class FileRule(Rule, frozen=True, kw_only=True):
    """A rule about the file itself: a comment for the linter, or a spec of ours.

    The reader of the file applies it; there is nothing to be asked. ``doc`` is its card.
    """

    doc: str | None

    @property
    def stands_in(self) -> Mapping[str, object]:
        """What a module with this docstring has."""
        return {"__doc__": self.doc}
