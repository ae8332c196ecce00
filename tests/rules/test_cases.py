"""Every rule fires where it should, is silent where it should, and says what it is for."""

from typing import Any

import pytest

from bridgehead.core.diagnose.cause import Cause
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.manifest import Violation
from bridgehead.core.findings.rule import LintRule, Rule
from bridgehead.core.model.confidence import Confidence
from bridgehead.rules.catalogue import DIAGNOSIS, LINT
from tests.rules.cases import Case, ask, cases_of, every, file_of, said

CASES = list(every())


@pytest.mark.parametrize("rule", [*LINT, *DIAGNOSIS], ids=lambda rule: rule.name)
def test_every_rule_has_a_card_and_cases_of_both_sorts(rule: Rule) -> None:
    assert rule.card.title
    assert file_of(rule).exists(), f"no cases: {file_of(rule)}"
    cases = cases_of(rule)
    assert len(cases.fires) >= 2
    assert len(cases.silent) >= 2
    assert any(case.lookalike for case in cases.silent), "no healthy look-alike"


@pytest.mark.parametrize("rule", LINT, ids=lambda rule: rule.name)
def test_a_firing_case_states_the_severity_of_the_rule(rule: LintRule) -> None:
    stated = {case.expect.get("severity") for case in cases_of(rule).fires}
    assert rule.severity.value in stated


@pytest.mark.parametrize(
    ("rule", "fires", "case"),
    CASES,
    ids=[f"{rule.name}: {case.name}" for rule, _, case in CASES],
)
def test_rule(rule: Rule, fires: bool, case: Case) -> None:
    answers = ask(rule, case)
    assert answers.failures == ()
    found = said(answers)
    if not fires:
        assert found == []
        doubt = case.expect.get("doubt")
        assert doubt is None or any(doubt in item.why for item in answers.not_known)
        return
    assert found, f"silent; not known: {answers.not_known}"
    met = any(_meets(rule, item, case.expect) for item in found)
    assert met, f"{case.expect} is not in {found}"
    causes = [item for item in found if isinstance(item, Cause)]
    assert all(item.evidence and item.refuted_by for item in causes)


def _meets(rule: Rule, item: Violation | Cause, expect: dict[str, Any]) -> bool:
    return all(_is(rule, item, key, value) for key, value in expect.items())


def _is(rule: Rule, item: Violation | Cause, key: str, value: Any) -> bool:
    match key:
        case "message":
            return str(value).lower() in item.message.lower()
        case "line":
            return isinstance(item, Violation) and item.manifest.place(item.path)[0] == value
        case "severity":
            return (item.severity or rule.severity) is Severity(value)
        case "fix":
            return isinstance(item, Violation) and _fix(item) == value
        case "confidence":
            return isinstance(item, Cause) and item.confidence is Confidence(value)
        case "nodes":
            return isinstance(item, Cause) and list(item.nodes) == value
        case "explains":
            return isinstance(item, Cause) and set(value) <= set(item.explains)
        case "rollback":
            return isinstance(item, Cause) and item.rollback_helps.value == value
        case "blame":
            return isinstance(item, Cause) and item.blame.value == value
        case "rungs":
            return isinstance(item, Cause) and [act.rung for act in item.actions] == value
        case _:
            raise AssertionError(f"{key} is nothing that a case can expect")


def _fix(item: Violation) -> object:
    """The value that its fix writes; ``removed``, or ``none`` where it has no fix."""
    if item.fix is None:
        return "none"
    return "removed" if item.fix.value is None else item.fix.value
