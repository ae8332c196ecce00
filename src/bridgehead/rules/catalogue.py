"""Every rule there is, in the order in which people meet the faults."""

from bridgehead.core.findings.rule import DiagnosisRule, FileRule, LintRule, Rule
from bridgehead.rules.diagnosis import (
    admission,
    configuration,
    loss,
    placement,
    registration,
    running,
    unexplained,
    use,
)
from bridgehead.rules.lint import files, identity, robustness, security, updates, workloads
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
FILES: tuple[FileRule, ...] = files.RULES
"""Applied by lint itself to what a file holds beside manifests."""
DIAGNOSIS: tuple[DiagnosisRule, ...] = (
    *placement.RULES,
    *running.RULES,
    *registration.RULES,
    *loss.RULES,
    *admission.RULES,
    *use.RULES,
    *configuration.RULES,
    *unexplained.RULES,
)
EVERY: tuple[Rule, ...] = (*LINT, *FILES, *DIAGNOSIS)


def rule_named(name: str) -> tuple[Rule, ...]:
    """The rules of that name or alias; names are unique, an alias may stand for several."""
    return tuple(rule for rule in EVERY if name == rule.name or name in rule.aliases)
