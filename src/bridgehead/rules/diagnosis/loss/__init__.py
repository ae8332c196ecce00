"""Rules about resources that were fine and have shrunk, gone or changed their name."""

from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.rules.diagnosis.loss import (
    card_was_reset,
    dead_resource_name,
    devices_in_use_lost,
    devices_unhealthy,
    fewer_devices,
    health_watch_lost,
    kubelet_restart_missed,
    lost_gpu_refuses_pods,
    node_silent_in_run,
    plugin_pod_missing,
    race_at_kubelet_start,
    stream_ended,
    two_claimants,
    xid_reported,
)

RULES: tuple[DiagnosisRule, ...] = (
    race_at_kubelet_start.RULE,
    plugin_pod_missing.RULE,
    dead_resource_name.RULE,
    kubelet_restart_missed.RULE,
    stream_ended.RULE,
    node_silent_in_run.RULE,
    lost_gpu_refuses_pods.RULE,
    xid_reported.RULE,
    card_was_reset.RULE,
    health_watch_lost.RULE,
    devices_unhealthy.RULE,
    two_claimants.RULE,
    devices_in_use_lost.RULE,
    fewer_devices.RULE,
)
