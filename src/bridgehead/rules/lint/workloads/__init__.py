"""Rules about pods that ask for devices, and about what makes them."""

from bridgehead.core.findings.rule import LintRule
from bridgehead.rules.lint.workloads import (
    bare_device_pod,
    device_in_init_container,
    device_in_pod_level_resources,
    fractional_device_request,
    request_differs_from_limit,
    selector_misses_own_pods,
    workload_runtime_class_missing,
)

RULES: tuple[LintRule, ...] = (
    device_in_pod_level_resources.RULE,
    fractional_device_request.RULE,
    request_differs_from_limit.RULE,
    selector_misses_own_pods.RULE,
    bare_device_pod.RULE,
    device_in_init_container.RULE,
    workload_runtime_class_missing.RULE,
)
