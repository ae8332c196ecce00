"""Rules about use."""

from bridgehead.core.findings.rule import DiagnosisRule

RULES: tuple[DiagnosisRule, ...] = ()
