"""What lint found as JUnit XML."""

from xml.etree import ElementTree

from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.result import LintResult
from bridgehead.report.junit import lint_junit
from tests.core.findings.lint_values import found
from tests.report.lint_results import EMPTY, FULL


def _suite(result: LintResult, fail_on: Severity = Severity.ERROR) -> ElementTree.Element:
    (suite,) = ElementTree.fromstring(lint_junit(result, fail_on))
    return suite


def test_a_finding_at_the_threshold_is_a_failure_and_a_milder_one_is_skipped() -> None:
    suite = _suite(FULL)
    failed = [case.get("classname") for case in suite if case.find("failure") is not None]
    skipped = [case.get("classname") for case in suite if case.find("skipped") is not None]
    assert failed == ["fault"]
    assert skipped == ["milder", "a-remark", "aside"]
    stricter = _suite(FULL, Severity.WARNING)
    assert stricter.get("failures") == "2"


def test_what_could_not_be_read_or_asked_is_an_error() -> None:
    messages = [item.get("message") for item in _suite(FULL).iterfind("testcase/error")]
    assert messages == [
        "there is no such file",
        "this is no YAML",
        "forbidden",
        "defect of bridgehead: ValueError: x",
    ]


def test_the_counts_are_those_of_the_cases() -> None:
    suite = _suite(FULL)
    counts = {key: suite.get(key) for key in ("tests", "failures", "errors", "skipped")}
    assert counts == {"tests": "8", "failures": "1", "errors": "4", "skipped": "3"}


def test_places_and_proofs_are_in_the_text() -> None:
    failure = _suite(FULL).find("testcase/failure")
    assert failure is not None
    assert failure.text is not None
    assert failure.text.splitlines()[0] == "dir/a.yaml:7:5"
    assert "node n1: taint <a&b>" in failure.text


def test_nothing_found_is_one_test_that_passed() -> None:
    (case,) = _suite(EMPTY)
    assert len(case) == 0


def test_characters_that_xml_cannot_hold_are_replaced() -> None:
    (case,) = _suite(LintResult(findings=(found(message="a\x00b\x1bc\ud800"),)))
    (failure,) = case
    assert failure.get("message") == "a\ufffdb\ufffdc\ufffd"
