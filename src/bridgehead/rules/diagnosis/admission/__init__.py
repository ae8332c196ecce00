"""Rules about scheduling and admission: devices are offered, and pods do not get them."""

from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.rules.diagnosis.admission import (
    allocate_fails,
    allocate_hangs,
    bound_to_full_node,
    checkpoint_not_restored,
    devices_in_use,
    devices_not_given_back_yet,
    excluded_by_another_predicate,
    kubelet_restart_refused_pods,
    message_too_large,
    numa_not_aligned,
    plugin_later_than_pods,
    plugin_socket_gone,
    preferred_allocation_fails,
    request_larger_than_node,
    stale_allocation_record,
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
    allocate_fails.RULE,
    plugin_socket_gone.RULE,
    preferred_allocation_fails.RULE,
    message_too_large.RULE,
    numa_not_aligned.RULE,
    stale_allocation_record.RULE,
    devices_not_given_back_yet.RULE,
    bound_to_full_node.RULE,
    checkpoint_not_restored.RULE,
)
