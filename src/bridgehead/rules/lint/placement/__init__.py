"""Rules about placement."""

from bridgehead.core.findings.rule import LintRule

RULES: tuple[LintRule, ...] = ()
