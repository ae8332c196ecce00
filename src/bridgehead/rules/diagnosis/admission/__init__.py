"""Rules about admission."""

from bridgehead.core.findings.rule import DiagnosisRule

RULES: tuple[DiagnosisRule, ...] = ()
