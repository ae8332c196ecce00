"""Rules about what happens to devices while a plugin is updated."""

from bridgehead.core.findings.rule import LintRule
from bridgehead.rules.lint.updates import surge_on_device_plugin

RULES: tuple[LintRule, ...] = (surge_on_device_plugin.RULE,)
