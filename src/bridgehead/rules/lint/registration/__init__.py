"""Rules about registration."""

from bridgehead.core.findings.rule import LintRule

RULES: tuple[LintRule, ...] = ()
