"""Rules about scheduling and admission: devices are offered, and pods do not get them."""

from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.rules.diagnosis.admission import (
    allocate_hangs,
    kubelet_restart_refused_pods,
    plugin_later_than_pods,
    verified_too_early,
)

RULES: tuple[DiagnosisRule, ...] = (
    plugin_later_than_pods.RULE,
    kubelet_restart_refused_pods.RULE,
    verified_too_early.RULE,
    allocate_hangs.RULE,
)
