"""Rules about plugins that run and whose resource is absent or 0 from the start."""

from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.rules.diagnosis.registration import (
    devices_came_later,
    driver_library_mismatch,
    driver_not_bound,
    driver_not_visible,
    kubelet_directory_elsewhere,
    kubelet_in_container,
    mps_parts_missing,
    no_kubelet_directory,
    options_refused,
    plugin_api_versions_differ,
    plugin_never_registers,
    registration_server_dead,
    resource_name_refused,
    selectors_match_nothing,
)

RULES: tuple[DiagnosisRule, ...] = (
    driver_library_mismatch.RULE,
    driver_not_visible.RULE,
    kubelet_directory_elsewhere.RULE,
    kubelet_in_container.RULE,
    no_kubelet_directory.RULE,
    plugin_api_versions_differ.RULE,
    resource_name_refused.RULE,
    options_refused.RULE,
    registration_server_dead.RULE,
    mps_parts_missing.RULE,
    devices_came_later.RULE,
    selectors_match_nothing.RULE,
    driver_not_bound.RULE,
    plugin_never_registers.RULE,
)
