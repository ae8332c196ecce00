"""Rules about scheduling and admission: devices are offered, and pods do not get them."""

from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.rules.diagnosis.admission import (
    allocate_hangs,
    devices_in_use,
    excluded_by_another_predicate,
    kubelet_restart_refused_pods,
    plugin_later_than_pods,
    request_larger_than_node,
    verified_too_early,
)

RULES: tuple[DiagnosisRule, ...] = (
    excluded_by_another_predicate.RULE,
    devices_in_use.RULE,
    request_larger_than_node.RULE,
    plugin_later_than_pods.RULE,
    kubelet_restart_refused_pods.RULE,
    verified_too_early.RULE,
    allocate_hangs.RULE,
)
