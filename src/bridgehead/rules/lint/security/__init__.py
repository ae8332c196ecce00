"""Rules about what a plugin may do on its node, and whether its pods are let in."""

from bridgehead.core.findings.rule import LintRule
from bridgehead.rules.lint.security import (
    apparmor_annotation_deprecated,
    apparmor_blocks_sysfs,
    mig_monitoring_not_enabled,
    more_privilege_than_needed,
    namespace_refuses_pod,
    no_priority_class,
    non_root_without_profile,
    priority_class_refused,
    selinux_type_missing,
)

RULES: tuple[LintRule, ...] = (
    non_root_without_profile.RULE,
    selinux_type_missing.RULE,
    apparmor_blocks_sysfs.RULE,
    apparmor_annotation_deprecated.RULE,
    mig_monitoring_not_enabled.RULE,
    more_privilege_than_needed.RULE,
    namespace_refuses_pod.RULE,
    priority_class_refused.RULE,
    no_priority_class.RULE,
)
