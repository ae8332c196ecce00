"""Rules about the files themselves: comments for the linter, specs of ours."""

from bridgehead.core.findings.rule import FileRule
from bridgehead.rules.lint.files import (
    ignore_not_needed,
    ignore_of_unknown_rule,
    ignore_without_reason,
    spec_doubt,
    spec_mistake,
)

RULES: tuple[FileRule, ...] = (
    spec_mistake.RULE,
    spec_doubt.RULE,
    ignore_without_reason.RULE,
    ignore_of_unknown_rule.RULE,
    ignore_not_needed.RULE,
)
