"""Rules about robustness."""

from bridgehead.core.findings.rule import LintRule

RULES: tuple[LintRule, ...] = ()
