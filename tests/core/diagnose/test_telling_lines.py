"""Telling lines are found with their number, and a quick look before the search misses none."""

import re
from functools import lru_cache
from pathlib import Path

import pytest
import yaml

from bridgehead.core.components import generic
from bridgehead.core.components.family import FAMILIES
from bridgehead.core.diagnose.needles import needles_of
from bridgehead.core.diagnose.telling_lines import KUBELET, MARKS, lines_in, patterns_of, quotes_in
from bridgehead.core.findings.observed import Log

CASES = Path(__file__).parents[2] / "rules" / "diagnosis"
PATTERNS = (*MARKS, *KUBELET, *generic.FAULTS, *(it for each in FAMILIES for it in each.faults))
EXPRESSIONS = sorted({text for item in PATTERNS for text in (item.regex, item.cured_by) if text})


@lru_cache(maxsize=1)
def _lines() -> list[str]:
    found: set[str] = set()
    for path in sorted(CASES.glob("*.yaml")):
        cases = yaml.load(path.read_text(encoding="utf-8"), yaml.CSafeLoader)
        for case in (*cases["fires"], *cases["silent"]):
            for text in (case.get("logs") or {}).values():
                found.update(text.splitlines())
    return sorted(found)


@pytest.mark.parametrize("regex", EXPRESSIONS)
def test_every_line_that_an_expression_matches_has_one_of_its_words(regex: str) -> None:
    needles = needles_of(regex)
    for line in _lines():
        if re.search(regex, line, re.IGNORECASE):
            assert not needles or any(needle in line.lower() for needle in needles), line


def test_most_expressions_have_words_to_look_for() -> None:
    without = [regex for regex in EXPRESSIONS if not needles_of(regex)]
    assert len(without) * 10 <= len(EXPRESSIONS), without


@pytest.mark.parametrize(
    ("regex", "words"),
    [
        ("driver unavailable|no such (file|device)", ("driver unavailable", "no such ")),
        (r"\bstopped unexpectedly", ("stopped unexpectedly",)),
        (r"kubelet\.sock created", ("kubelet.sock created",)),
        (r"(panic|error)\b.*\bMIG devices?", ("mig device",)),
        (r"[a-z]+(device)", ()),
        (r"colou?rs", ("colo",)),
        (r"a{3}bcd|xyz", ("bcd", "xyz")),
    ],
)
def test_words_are_what_stands_for_itself(regex: str, words: tuple[str, ...]) -> None:
    assert needles_of(regex) == words


def test_a_line_is_quoted_with_its_number_and_how_often_it_came() -> None:
    lines = ("starting", "E1 kubelet.sock created", "x", "E2 kubelet.sock created")
    found = quotes_in([("log a/b/c", Log(lines, first_line=10))], patterns_of(generic.FAMILY))
    assert found["kubelet-back"].evidence.source == "log a/b/c:13"
    assert found["kubelet-back"].evidence.text == "E2 kubelet.sock created"
    assert found["kubelet-back"].times == 2


def test_every_line_of_a_sign_is_told_until_one_takes_them_back() -> None:
    closed = "ListAndWatch stream close: context canceled"
    called = "ListAndWatch called by kubelet for: rdma/hca"
    lines = ("starting", f"E1 {closed}", f"E2 {closed}")
    patterns = patterns_of(generic.FAMILY)
    found = lines_in([("log a/b/c", Log(lines, first_line=10))], patterns, "stream-ended")
    assert [(item.line, item.text) for item in found] == [(11, lines[1]), (12, lines[2])]
    later = (*lines, called, f"E3 {closed}")
    assert [item.text for item in lines_in([("log", Log(later))], patterns, "stream-ended")] == [
        f"E3 {closed}"
    ]


def test_a_later_success_takes_a_failure_back() -> None:
    failed = "dial unix /x/kubelet.sock: connect: no such file or directory"
    success = "Registered device plugin for 'a.b/c' with Kubelet"
    patterns = patterns_of(generic.FAMILY)
    assert "kubelet-socket-missing" in quotes_in([("log", Log((failed,)))], patterns)
    cured = quotes_in([("log", Log((failed,))), ("log", Log((success,)))], patterns)
    assert "kubelet-socket-missing" not in cured


def test_a_stream_that_closed_is_open_again_once_the_kubelet_calls() -> None:
    closed = "2023/07/11 08:31:07 ListAndWatch stream close: context canceled"
    called = "2023/07/11 08:31:12 ListAndWatch called by kubelet for: rdma/hca"
    patterns = patterns_of(generic.FAMILY)
    assert "stream-ended" in quotes_in([("log", Log((closed,)))], patterns)
    assert "stream-ended" not in quotes_in([("log", Log((closed, called)))], patterns)
