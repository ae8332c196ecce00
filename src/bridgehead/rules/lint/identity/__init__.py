"""Rules about identity."""

from bridgehead.core.findings.rule import LintRule

RULES: tuple[LintRule, ...] = ()
