"""Rules about plugins that get no pod, or whose rollout does not move."""

from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.rules.diagnosis.placement import (
    bad_updates_stacked,
    dead_nodes_use_up_budget,
    instance_type_not_listed,
    label_of_another_shape,
    label_writer_kept_away,
    labels_vanished,
    overlapping_selectors,
    placement_changed_with_revision,
    plugin_wanted_nowhere,
    pod_creation_refused,
    pod_security_refuses,
    priority_class_refused_pod,
    taint_not_tolerated,
)

RULES: tuple[DiagnosisRule, ...] = (
    label_of_another_shape.RULE,
    placement_changed_with_revision.RULE,
    instance_type_not_listed.RULE,
    taint_not_tolerated.RULE,
    label_writer_kept_away.RULE,
    labels_vanished.RULE,
    pod_security_refuses.RULE,
    priority_class_refused_pod.RULE,
    pod_creation_refused.RULE,
    dead_nodes_use_up_budget.RULE,
    bad_updates_stacked.RULE,
    overlapping_selectors.RULE,
    plugin_wanted_nowhere.RULE,
)
