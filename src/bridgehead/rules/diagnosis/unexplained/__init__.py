"""What no fault of devices explains: workloads that fail by themselves, and what is left."""

from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.rules.diagnosis.unexplained import unexplained, workload_fails_by_itself

RULES: tuple[DiagnosisRule, ...] = (workload_fails_by_itself.RULE, unexplained.RULE)
