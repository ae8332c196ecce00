"""Findings for tests of what is done with them."""

from collections.abc import Callable, Iterable

from bridgehead.core.findings.card import Card
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.manifest import Doubt, Fix, Linted, Manifest, Path, Violation
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.result import Reported, reported
from bridgehead.core.findings.rule import LintRule
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.json import JsonObject

OBJECT: JsonObject = {
    "apiVersion": "apps/v1",
    "kind": "DaemonSet",
    "metadata": {"namespace": "gpu", "name": "plugin"},
}

Check = Callable[[Linted], Iterable[Violation | Doubt]]


class CardRule(LintRule, frozen=True, kw_only=True):
    """A rule with a card of its own, as its check stands in a test."""

    @property
    def card(self) -> Card:
        """Any card."""
        return Card("A fault.", "it looks.", "it matters.", "look again.", "mend it.")


def rule(
    name: str = "fault",
    check: Check = lambda _linted: (),
    severity: Severity = Severity.ERROR,
    *,
    aliases: tuple[str, ...] = (),
    needs: frozenset[Need] = frozenset(),
) -> LintRule:
    """A rule of that name."""
    return CardRule(name=name, severity=severity, check=check, aliases=aliases, needs=needs)


def found(
    name: str = "fault",
    *,
    message: str = "it is broken",
    file: str = "dir/a.yaml",
    line: int = 7,
    first_line: int = 2,
    severity: Severity = Severity.ERROR,
    aliases: tuple[str, ...] = (),
    path: Path = ("spec", "replicas"),
    node: str = "",
    evidence: tuple[Evidence, ...] = (),
    fix: Fix | None = None,
) -> Reported:
    """A finding of the rule of that name, at the column 5 of a line."""
    manifest = Manifest(
        data=OBJECT, file=file, line=first_line, places={path: (line, 5)} if file else {}
    )
    violation = Violation(
        manifest=manifest, path=path, message=message, node=node, evidence=evidence, fix=fix
    )
    return reported(rule(name, severity=severity, aliases=aliases), violation)
