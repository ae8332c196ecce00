"""Rules about what happens to devices while a plugin is updated."""

from bridgehead.core.findings.rule import LintRule
from bridgehead.rules.lint.updates import (
    always_pull,
    argument_unknown_to_version,
    canary_by_hostname,
    driver_change_under_running_pods,
    image_not_on_node,
    image_rolled_back_alone,
    kubelet_change_in_same_window,
    kubelet_option_invented,
    mutable_image_tag,
    no_min_ready_seconds,
    previous_revision_unhealthy,
    restart_loses_devices_in_use,
    selector_changed,
    selector_overlaps,
    surge_on_device_plugin,
    unavailability_budget_spent,
    update_budgets_contradict,
    wide_outage,
)

RULES: tuple[LintRule, ...] = (
    surge_on_device_plugin.RULE,
    update_budgets_contradict.RULE,
    unavailability_budget_spent.RULE,
    previous_revision_unhealthy.RULE,
    no_min_ready_seconds.RULE,
    wide_outage.RULE,
    selector_changed.RULE,
    selector_overlaps.RULE,
    canary_by_hostname.RULE,
    mutable_image_tag.RULE,
    always_pull.RULE,
    image_not_on_node.RULE,
    argument_unknown_to_version.RULE,
    image_rolled_back_alone.RULE,
    restart_loses_devices_in_use.RULE,
    driver_change_under_running_pods.RULE,
    kubelet_change_in_same_window.RULE,
    kubelet_option_invented.RULE,
)
