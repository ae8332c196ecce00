"""Rules about updates."""

from bridgehead.core.findings.rule import LintRule

RULES: tuple[LintRule, ...] = ()
