"""Runs rules. A rule that crashes is our defect and told as one; the others are still asked."""

from collections.abc import Callable, Iterable
from typing import TypeVar

import msgspec

from bridgehead.core.diagnose.cause import Cause
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.findings.finding import NotKnown, RuleFailure
from bridgehead.core.findings.manifest import Doubt, Linted, Violation
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.observed import Observed
from bridgehead.core.findings.rule import DiagnosisRule, LintRule, Rule

T = TypeVar("T", bound=Violation | Cause)
R = TypeVar("R", bound=Rule)


class Answers(msgspec.Struct, frozen=True):
    """What the rules said, in the order of the rules.

    ``violations`` are of lint, ``causes`` of diagnosis; each with the rule that said it.
    """

    violations: tuple[tuple[LintRule, Violation], ...] = ()
    causes: tuple[tuple[DiagnosisRule, Cause], ...] = ()
    not_known: tuple[NotKnown, ...] = ()
    failures: tuple[RuleFailure, ...] = ()


def ask_lint(rules: Iterable[LintRule], linted: Linted) -> Answers:
    """All rules about these manifests."""
    run = _Run()
    said = [
        (rule, item)
        for rule in rules
        for item in run.ask(rule, linted.cluster, lambda rule=rule: rule.check(linted))  # type: ignore[misc]
    ]
    found = tuple((rule, item) for rule, item in said if isinstance(item, Violation))
    return Answers(violations=found, not_known=tuple(run.not_known), failures=tuple(run.failures))


def ask_diagnosis(rules: Iterable[DiagnosisRule], scene: Scene) -> Answers:
    """All rules about this scene."""
    run = _Run()
    said = [
        (rule, item)
        for rule in rules
        for item in run.ask(rule, scene.observed, lambda rule=rule: rule.check(scene))  # type: ignore[misc]
    ]
    found = tuple((rule, item) for rule, item in said if isinstance(item, Cause))
    return Answers(causes=found, not_known=tuple(run.not_known), failures=tuple(run.failures))


class _Run:
    def __init__(self) -> None:
        self.not_known: list[NotKnown] = []
        self.failures: list[RuleFailure] = []

    def ask(
        self, rule: Rule, observed: Observed | None, check: Callable[[], Iterable[T | Doubt]]
    ) -> list[T]:
        """What one rule says; its doubts, and why it cannot be asked or has failed, are kept."""
        unmet = _unmet(rule, observed)
        if unmet:
            self.not_known.append(NotKnown(rule=rule.name, why=unmet))
            return []
        found: list[T] = []
        try:
            for item in check():
                if isinstance(item, Doubt):
                    self.not_known.append(NotKnown(rule=rule.name, why=item.why))
                else:
                    found.append(item)
        except Exception as error:  # noqa: BLE001 - one broken rule must not silence the others
            self.failures.append(RuleFailure(rule=rule.name, error=_told(error)))
        return found


def _unmet(rule: Rule, observed: Observed | None) -> str:
    if not rule.needs:
        return ""
    if observed is None:
        return "it judges manifests against a cluster, and none was given"
    missing: list[Need] = sorted(
        (need for need in rule.needs if not observed.has(need)), key=lambda need: need.value
    )
    return f"not read: {', '.join(need.value for need in missing)}" if missing else ""


def _told(error: Exception) -> str:
    """Its words and the innermost line of ours or of a library that it came from."""
    trace, place = error.__traceback__, ""
    while trace is not None:
        file = "/".join(trace.tb_frame.f_code.co_filename.rsplit("/", 3)[1:])
        place = f"{file}:{trace.tb_lineno}"
        trace = trace.tb_next
    return f"{type(error).__name__}: {error} ({place})"
