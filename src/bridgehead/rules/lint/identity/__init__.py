"""Rules about names, configuration, and what a plugin refers to."""

from bridgehead.core.findings.rule import LintRule
from bridgehead.rules.lint.identity import (
    access_rights_missing,
    bad_resource_name,
    device_list_too_large,
    duplicate_resource_entry,
    missing_reference,
    mps_without_control_daemon,
    option_value_unknown,
    plugin_requests_own_device,
    renamed_while_requested,
    request_larger_than_any_node,
    requested_name_not_on_any_node,
    resource_claimed_twice,
    selector_by_device_name,
    unknown_config_key,
    unparsable_config,
    webhook_chain_incomplete,
)

RULES: tuple[LintRule, ...] = (
    resource_claimed_twice.RULE,
    renamed_while_requested.RULE,
    bad_resource_name.RULE,
    plugin_requests_own_device.RULE,
    requested_name_not_on_any_node.RULE,
    request_larger_than_any_node.RULE,
    unknown_config_key.RULE,
    option_value_unknown.RULE,
    unparsable_config.RULE,
    duplicate_resource_entry.RULE,
    device_list_too_large.RULE,
    selector_by_device_name.RULE,
    missing_reference.RULE,
    access_rights_missing.RULE,
    mps_without_control_daemon.RULE,
    webhook_chain_incomplete.RULE,
)
