"""Rules about where a plugin's pods go, and where they do not."""

from bridgehead.core.findings.rule import LintRule
from bridgehead.rules.lint.placement import (
    architecture_not_covered,
    eligible_node_without_device,
    eligible_nodes_lost,
    instance_type_allowlist,
    label_near_miss,
    label_writer_cannot_reach_node,
    quota_admits_too_few_pods,
    taint_tolerated_by_value,
)

RULES: tuple[LintRule, ...] = (
    eligible_nodes_lost.RULE,
    label_near_miss.RULE,
    label_writer_cannot_reach_node.RULE,
    eligible_node_without_device.RULE,
    taint_tolerated_by_value.RULE,
    instance_type_allowlist.RULE,
    architecture_not_covered.RULE,
    quota_admits_too_few_pods.RULE,
)
