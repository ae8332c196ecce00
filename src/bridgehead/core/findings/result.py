"""What lint found, with all that was left out and why."""

import hashlib
import re
from collections.abc import Iterable

import msgspec

from bridgehead.core.findings.finding import Finding, NotKnown, RuleFailure, Severity
from bridgehead.core.findings.manifest import Fix, Path, Violation
from bridgehead.core.findings.rule import Rule
from bridgehead.core.model.json import canonical
from bridgehead.core.model.problem import Problem
from bridgehead.core.model.snapshot import Unread

_ELSEWHERE = re.compile(r"\S*\.(ya?ml|json)\b(:\d+)*")
"""Another file that a message names, with its line: what is moved there is still the same fault."""


class Reported(msgspec.Struct, frozen=True, kw_only=True):
    """A finding, and what is needed to set it aside, to know it again and to mend it.

    ``first_line`` is that of the object; ``fixable``: the file that it names is the one that holds
    the value, so that a fix can be written there.
    """

    finding: Finding
    path: Path = ()
    first_line: int = 0
    aliases: tuple[str, ...] = ()
    fix: Fix | None = None
    fixable: bool = True

    @property
    def fingerprint(self) -> str:
        """The same for the same fault of the same object, wherever in the file it moved to."""
        said = self.finding
        names = (said.object.api_version, str(said.object), path_text(self.path), said.node)
        text = canonical([said.rule, *names, _ELSEWHERE.sub("", said.message)])
        return hashlib.sha256(text.encode()).hexdigest()[:32]


class PassedOver(msgspec.Struct, frozen=True, kw_only=True, order=True):
    """Something in a file that no rule is about, and what it is."""

    file: str
    line: int
    what: str


class LintResult(msgspec.Struct, frozen=True, kw_only=True):
    """All that a run of lint has to tell.

    ``findings`` stand; ``aside`` were set aside by comments, with the reasons; ``old`` are in the
    baseline, of which ``gone`` entries were found no more. ``problems`` are files that could not be
    read, ``asked`` those among them that the user named; ``unread`` is of the cluster.
    """

    findings: tuple[Reported, ...] = ()
    aside: tuple[tuple[Reported, str], ...] = ()
    old: tuple[Reported, ...] = ()
    gone: int = 0
    not_known: tuple[NotKnown, ...] = ()
    failures: tuple[RuleFailure, ...] = ()
    problems: tuple[Problem, ...] = ()
    asked: tuple[Problem, ...] = ()
    passed_over: tuple[PassedOver, ...] = ()
    unread: tuple[Unread, ...] = ()
    objects: int = 0
    specs: int = 0
    files: int = 0

    def at_least(self, threshold: Severity) -> tuple[Reported, ...]:
        """Findings as bad as the threshold, or worse."""
        return tuple(item for item in self.findings if item.finding.severity.rank <= threshold.rank)

    def count(self, severity: Severity) -> int:
        """How many findings of a severity stand."""
        return sum(item.finding.severity is severity for item in self.findings)


def reported(rule: Rule, violation: Violation, *, fixable: bool = True) -> Reported:
    """What a rule said of a manifest, as it is reported."""
    manifest = violation.manifest
    line, column = manifest.place(violation.path)
    return Reported(
        finding=Finding(
            rule=rule.name,
            severity=violation.severity or rule.severity,
            confidence=violation.confidence or rule.confidence,
            message=violation.message,
            remedy=violation.remedy or rule.card.do,
            object=manifest.ref,
            node=violation.node,
            file=manifest.file,
            line=line,
            column=column,
            evidence=violation.evidence,
        ),
        path=violation.path,
        first_line=manifest.line,
        aliases=rule.aliases,
        fix=violation.fix,
        fixable=fixable and bool(manifest.file),
    )


def in_order(found: Iterable[Reported]) -> tuple[Reported, ...]:
    """By place, then by rule: one order for one input. What was found twice is told once."""
    once = {(item.fingerprint, _place(item)): item for item in found}
    return tuple(sorted(once.values(), key=_place))


def _place(item: Reported) -> tuple[str, int, int, str, str, str, str]:
    said = item.finding
    where = (said.file, said.line, said.column)
    return (*where, str(said.object), said.rule, said.node, said.message)


def path_text(path: Path) -> str:
    """A path as people write it: ``spec.containers[0].image``."""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text
