"""Rules about placement."""

from bridgehead.core.findings.rule import DiagnosisRule

RULES: tuple[DiagnosisRule, ...] = ()
