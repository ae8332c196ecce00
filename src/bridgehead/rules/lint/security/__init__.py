"""Rules about security."""

from bridgehead.core.findings.rule import LintRule

RULES: tuple[LintRule, ...] = ()
