"""Rules about configuration."""

from bridgehead.core.findings.rule import DiagnosisRule

RULES: tuple[DiagnosisRule, ...] = ()
