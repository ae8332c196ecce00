"""Every public case is told rightly, and nothing is wrong where nothing is wrong."""

import functools
import re

import msgspec
import pytest

from bridgehead.core.diagnose.diagnosis import Diagnosis
from tests.cases.case import MANIFESTS, Case, Origin, cases, misquoted, shortfalls

CASES = cases()
PUBLIC = 62
NUMBER = re.compile(r"(PLACE|RUN|ZERO|LOSS|ADMIT|USE|CONF)-\d+")
HEALTHY = 20
QUOTED = 50
"""Log lines that all answers together quote, at the least."""

named = pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])


@functools.cache
def answer(name: str) -> Diagnosis:
    """What diagnosis says of the case, thought through once."""
    return next(case for case in CASES if case.name == name).diagnosed()


def test_every_public_case_is_there() -> None:
    numbers = {case.expected.case for case in CASES if NUMBER.fullmatch(case.expected.case)}
    assert len(numbers) == PUBLIC
    reports = [
        case for case in CASES if case.public and case.expected.origin is Origin.RECONSTRUCTED
    ]
    assert all(case.expected.references for case in reports)


def test_there_are_enough_healthy_states_that_look_bad() -> None:
    assert sum(not case.public for case in CASES) >= HEALTHY


@named
def test_the_state_is_read_whole(case: Case) -> None:
    recording = case.read()
    assert [problem.message for problem in recording.problems] == []
    assert recording.observed.unread == ()


@named
def test_the_state_is_told_rightly(case: Case) -> None:
    assert list(shortfalls(case, answer(case.name))) == []


@named
def test_log_lines_are_quoted_word_for_word(case: Case) -> None:
    assert list(misquoted(case, answer(case.name))) == []


def test_log_lines_are_quoted_at_all() -> None:
    quotes = [
        quote
        for case in CASES
        for cause in answer(case.name).causes
        for quote in cause.evidence
        if quote.source.startswith(("log ", "kubelet log "))
    ]
    assert len(quotes) >= QUOTED


@named
def test_a_case_that_does_not_insist_on_its_rungs_says_why(case: Case) -> None:
    lenient = MANIFESTS in case.expected.rungs
    assert lenient == bool(case.expected.why_no_rung)


@named
def test_the_answer_is_the_same_every_time(case: Case) -> None:
    assert msgspec.json.encode(case.diagnosed()) == msgspec.json.encode(answer(case.name))


@pytest.mark.parametrize(
    "case",
    [case for case in CASES if case.expected.lint],
    ids=[case.name for case in CASES if case.expected.lint],
)
def test_lint_sees_it_before_it_is_applied(case: Case) -> None:
    said = {item.finding.rule for item in case.linted().findings}
    assert set(case.expected.lint) <= said
