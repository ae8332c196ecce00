"""What is left when nothing explains it."""

from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.rules.diagnosis.unexplained import unexplained

RULES: tuple[DiagnosisRule, ...] = (unexplained.RULE,)
