"""Every rule of lint, in the order in which people meet the faults."""

from bridgehead.core.findings.rule import FileRule, LintRule, Rule
from bridgehead.rules.lint import (
    files,
    identity,
    placement,
    registration,
    robustness,
    security,
    updates,
    workloads,
)

LINT: tuple[LintRule, ...] = (
    *registration.RULES,
    *security.RULES,
    *placement.RULES,
    *updates.RULES,
    *identity.RULES,
    *robustness.RULES,
    *workloads.RULES,
)
FILES: tuple[FileRule, ...] = files.RULES
"""Applied by lint itself to what a file holds beside manifests."""


def lint_rule_named(name: str) -> Rule | None:
    """The rule of that name or alias, of those whose findings stand in files."""
    every = (*LINT, *FILES)
    return next((rule for rule in every if name == rule.name or name in rule.aliases), None)
