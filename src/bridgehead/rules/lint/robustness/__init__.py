"""Rules about what keeps a plugin alive, and what only seems to watch it."""

from bridgehead.core.findings.rule import LintRule
from bridgehead.rules.lint.robustness import (
    memory_limit_too_small,
    no_resource_requests,
    plugin_starts_before_its_devices,
    probe_proves_nothing,
    silent_init_failure,
)

RULES: tuple[LintRule, ...] = (
    silent_init_failure.RULE,
    plugin_starts_before_its_devices.RULE,
    memory_limit_too_small.RULE,
    no_resource_requests.RULE,
    probe_proves_nothing.RULE,
)
