"""What is asked last: symptoms that no other rule explains."""

from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.rules.diagnosis.unexplained import unexplained

RULES: tuple[DiagnosisRule, ...] = (unexplained.RULE,)
