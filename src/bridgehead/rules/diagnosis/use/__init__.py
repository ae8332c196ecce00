"""Rules about workloads that have started and cannot use their devices."""

from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.rules.diagnosis.use import (
    cdi_name_unknown,
    device_access_lost,
    resource_without_plugin,
    selinux_denies_workload,
    workload_fails_by_itself,
    workload_on_wrong_runtime,
)

RULES: tuple[DiagnosisRule, ...] = (
    cdi_name_unknown.RULE,
    workload_on_wrong_runtime.RULE,
    device_access_lost.RULE,
    resource_without_plugin.RULE,
    selinux_denies_workload.RULE,
    workload_fails_by_itself.RULE,
)
