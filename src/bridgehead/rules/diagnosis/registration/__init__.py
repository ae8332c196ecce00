"""Rules about registration."""

from bridgehead.core.findings.rule import DiagnosisRule

RULES: tuple[DiagnosisRule, ...] = ()
