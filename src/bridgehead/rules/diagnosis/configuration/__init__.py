"""Rules about configuration, workloads and other tools that do not fit what is offered."""

from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.rules.diagnosis.configuration import (
    autoscaler_waits_for_resource,
    device_removed_under_plugin,
    device_unplugged,
    fpga_mode_mismatch,
    mig_geometry,
    requested_name_not_offered,
    unknown_configuration_key,
    verification_starves,
)

RULES: tuple[DiagnosisRule, ...] = (
    mig_geometry.RULE,
    requested_name_not_offered.RULE,
    unknown_configuration_key.RULE,
    fpga_mode_mismatch.RULE,
    verification_starves.RULE,
    autoscaler_waits_for_resource.RULE,
    device_removed_under_plugin.RULE,
    device_unplugged.RULE,
)
