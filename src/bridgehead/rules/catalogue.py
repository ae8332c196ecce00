"""Every rule there is, in the order in which people meet the faults."""

from bridgehead.core.findings.rule import DiagnosisRule, LintRule, Rule
from bridgehead.rules.diagnosis import (
    admission,
    configuration,
    loss,
    placement,
    registration,
    running,
    use,
)
from bridgehead.rules.lint import identity, robustness, security, updates, workloads
from bridgehead.rules.lint import placement as lint_placement
from bridgehead.rules.lint import registration as lint_registration

LINT: tuple[LintRule, ...] = (
    *lint_registration.RULES,
    *security.RULES,
    *lint_placement.RULES,
    *updates.RULES,
    *identity.RULES,
    *robustness.RULES,
    *workloads.RULES,
)
DIAGNOSIS: tuple[DiagnosisRule, ...] = (
    *placement.RULES,
    *running.RULES,
    *registration.RULES,
    *loss.RULES,
    *admission.RULES,
    *use.RULES,
    *configuration.RULES,
)


def rule_named(name: str) -> tuple[Rule, ...]:
    """The rules of that name or alias: a lint rule, a diagnosis rule, both, or none."""
    return tuple(rule for rule in (*LINT, *DIAGNOSIS) if name == rule.name or name in rule.aliases)
