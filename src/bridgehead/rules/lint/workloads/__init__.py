"""Rules about workloads."""

from bridgehead.core.findings.rule import LintRule

RULES: tuple[LintRule, ...] = ()
