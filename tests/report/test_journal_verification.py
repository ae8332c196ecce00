"""What is told of a verified journal, as text and as data."""

import pytest

from bridgehead.core.journal.chain import Head
from bridgehead.core.journal.verification import (
    Anchored,
    Appended,
    Consistent,
    Flaw,
    NotThere,
    Verification,
)
from bridgehead.report.journal_verification import verification_json, verification_text

HEAD = Head(9, "sha256:end")
FLAW = Flaw(
    after=Head(5, "sha256:five"),
    segment="run-1-0001",
    reason="its content does not match its digest",
    expected="sha256:right",
    seen="sha256:wrong",
)


@pytest.mark.parametrize(
    ("found", "verdict", "words"),
    [
        (Consistent(HEAD), "consistent", "consistent, not anchored: 9 records, head sha256:end"),
        (Anchored(HEAD), "verified", "verified: 9 records, head sha256:end"),
        (Appended(HEAD, Head(7, "sha256:seven")), "appended", "2 records were appended since"),
        (Appended(HEAD, Head(8, "sha256:eight")), "appended", "1 record was appended since"),
        (NotThere(HEAD, "sha256:kept"), "not-there", "asked for  sha256:kept"),
        (FLAW, "broken", "does not verify at record 6: its content does not match its digest"),
    ],
)
def test_each_finding_has_a_word_and_a_verdict(
    found: Verification, verdict: str, words: str
) -> None:
    assert words in verification_text("run-1", found)
    data = verification_json("run-1", found)
    assert data["schema"] == "bridgehead.dev/journal-verification/v1"
    assert data["verdict"] == verdict


def test_a_flaw_names_the_object_what_was_expected_and_what_was_seen() -> None:
    told = verification_text("run-1", FLAW)
    assert "configmap/run-1-0001" in told
    assert "expected  sha256:right" in told
    assert "seen      sha256:wrong" in told
    data = verification_json("run-1", FLAW)
    assert (data["records"], data["head"]) == (5, "sha256:five")
    assert data["flaw"] == {
        "record": 6,
        "object": "run-1-0001",
        "reason": "its content does not match its digest",
        "expected": "sha256:right",
        "seen": "sha256:wrong",
    }


def test_a_long_value_is_shown_by_its_beginning() -> None:
    flaw = Flaw(after=HEAD, segment="s", reason="r", expected="x" * 1000, seen="y")
    assert "x... (1000 characters)" in verification_text("run-1", flaw)


def test_a_flaw_of_the_runs_own_record_is_told_as_such() -> None:
    flaw = Flaw(after=Head(0, ""), segment="run-1", reason="r", expected="a", seen="b")
    assert "does not verify at its record: r" in verification_text("run-1", flaw)
