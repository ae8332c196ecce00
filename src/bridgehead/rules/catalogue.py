"""Every rule there is, in the order in which people meet the faults."""

from bridgehead.core.findings.rule import DiagnosisRule, Rule
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
from bridgehead.rules.lint.catalogue import FILES, LINT

__all__ = ["DIAGNOSIS", "EVERY", "FILES", "LINT", "rule_named"]

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
