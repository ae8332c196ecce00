"""What lint found as workflow commands."""

from bridgehead.core.findings.result import LintResult
from bridgehead.report.github import lint_github
from tests.core.findings.lint_values import found
from tests.report.lint_results import EMPTY, FULL


def test_messages_and_properties_are_escaped() -> None:
    lines = lint_github(FULL).splitlines()
    assert lines[0] == (
        "::error file=dir/a.yaml,line=7,col=5,title=fault::"
        "DaemonSet/gpu/plugin: 100%25 of it,%0Ais: broken%0Amend it."
    )
    assert "::error file=gone%2C1%3A2.yaml,line=1,col=1,title=not read::" in lint_github(FULL)


def test_severities_have_their_commands() -> None:
    commands = [line.split()[0] for line in lint_github(FULL).splitlines()[:3]]
    assert commands == ["::error", "::warning", "::notice"]


def test_without_a_file_there_is_no_place() -> None:
    line = lint_github(LintResult(findings=(found(file=""),))).splitlines()[0]
    assert line.startswith("::error title=fault::")


def test_a_failed_rule_is_an_error() -> None:
    assert "::error title=bridgehead::rule broken failed: ValueError: x" in lint_github(FULL)


def test_nothing_found_is_the_count_alone() -> None:
    assert lint_github(EMPTY) == "0 errors, 0 warnings, 0 remarks in 2 objects of 1 file"
