"""The form in which a finding is reported, its order and its fingerprint."""

import pytest

from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.manifest import Manifest, Path, Violation
from bridgehead.core.findings.result import LintResult, in_order, path_text, reported
from tests.core.findings.lint_values import OBJECT, found, rule


def test_what_a_rule_leaves_open_is_its_own() -> None:
    said = found().finding
    assert (said.severity, said.remedy) == (Severity.ERROR, "mend it.")


def test_what_a_violation_says_comes_first() -> None:
    violation = Violation(
        manifest=Manifest(data=OBJECT),
        path=(),
        message="m",
        remedy="now",
        severity=Severity.INFO,
    )
    said = reported(rule(), violation).finding
    assert (said.severity, said.remedy, said.file, said.line) == (Severity.INFO, "now", "", 0)


def test_an_object_without_a_file_cannot_be_mended() -> None:
    assert not found(file="").fixable
    assert found().fixable


def test_findings_stand_in_the_order_of_places_and_once() -> None:
    items = [found("b", line=2), found("a", line=2), found("c", line=1), found("a", line=2)]
    assert [item.finding.rule for item in in_order(items)] == ["c", "a", "b"]


def test_a_threshold_takes_what_is_as_bad_or_worse() -> None:
    every = tuple(found(severity=item) for item in Severity)
    result = LintResult(findings=every)
    assert [len(result.at_least(item)) for item in Severity] == [1, 2, 3]


@pytest.mark.parametrize(
    ("path", "text"),
    [(("spec", "containers", 0, "image"), "spec.containers[0].image"), ((), "")],
)
def test_paths_are_written_as_people_write_them(path: Path, text: str) -> None:
    assert path_text(path) == text
