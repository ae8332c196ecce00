"""The journal's chain: records follow each other, tampering shows, what is long is cut."""

import hashlib

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridgehead.core.journal.chain import (
    VALUE_LIMIT,
    Head,
    Signature,
    append,
    check,
    decode,
    encode,
    head_of,
)
from bridgehead.core.journal.entry import Draft, Entry, Evidence, Phase

START = Head(0, "sha256:change")
SIGNATURE = Signature("run-1", "team", "user@corp")
NOW = 1_700_000_000.1239


def chain(*drafts: Draft) -> list[Entry]:
    entries: list[Entry] = []
    for number, draft in enumerate(drafts):
        entries.append(append(head_of(entries, START), draft, SIGNATURE, NOW + number))
    return entries


def three() -> list[Entry]:
    return chain(*(Draft(step=f"step-{number}", phase=Phase.NOTE) for number in range(3)))


def test_records_are_numbered_from_one_and_chained_to_the_change() -> None:
    entries = three()
    assert [entry.seq for entry in entries] == [1, 2, 3]
    assert entries[0].previous == "sha256:change"
    assert entries[1].previous == entries[0].digest
    assert check(entries, START) is None


def test_a_record_says_when_and_who_to_the_millisecond() -> None:
    entry = three()[0]
    assert entry.time == "2023-11-14T22:13:20.123Z"
    assert entry.at == pytest.approx(1_700_000_000.123, abs=1e-6)
    assert (entry.run, entry.owner, entry.identity) == ("run-1", "team", "user@corp")


def test_the_digest_is_that_of_the_previous_digest_a_newline_and_the_record_without_it() -> None:
    entry = three()[1]
    without = encode(msgspec.structs.replace(entry, digest="")).replace('"digest":"",', "")
    wanted = hashlib.sha256(f"{entry.previous}\n{without}".encode()).hexdigest()
    assert entry.digest == f"sha256:{wanted}"


@pytest.mark.parametrize("field", ["step", "node", "result", "identity", "time", "owner", "run"])
def test_a_changed_record_shows(field: str) -> None:
    entries = three()
    entries[1] = msgspec.structs.replace(entries[1], **{field: "forged"})
    broken = check(entries, START)
    assert broken is not None
    assert (broken.seq, broken.reason) == (2, "its content does not match its digest")


def test_a_changed_record_with_a_fitting_digest_shows_at_the_next_one() -> None:
    entries = three()
    forged = Draft(step="forged", phase=Phase.NOTE)
    entries[1] = append(Head(1, entries[0].digest), forged, SIGNATURE, NOW)
    broken = check(entries, START)
    assert broken is not None
    assert (broken.seq, broken.reason) == (3, "it does not follow the record before it")


def test_a_missing_record_shows_in_the_middle_and_at_the_start() -> None:
    entries = three()
    middle = check([entries[0], entries[2]], START)
    assert middle is not None
    assert middle.reason == "record 2 is missing"
    start = check(entries[1:], START)
    assert start is not None
    assert start.reason == "record 1 is missing"


def test_records_at_the_end_that_are_gone_show_only_against_the_known_head() -> None:
    entries = three()
    assert check(entries[:2], START) is None
    assert head_of(entries[:2], START) != head_of(entries, START)


def test_records_of_another_change_do_not_follow() -> None:
    assert check(three(), Head(0, "sha256:other")) is not None


def test_a_quotation_that_is_of_no_node_is_written_as_before_there_were_nodes() -> None:
    draft = Draft(step="s", phase=Phase.NOTE, evidence=(Evidence("log", "a line"),))
    assert '{"source":"log","text":"a line"}' in encode(chain(draft)[0])


def test_long_evidence_is_cut_to_fit_and_keeps_the_digest_of_the_whole_text() -> None:
    text = "é" * 6000
    draft = Draft(step="s", phase=Phase.NOTE, evidence=(Evidence("log", text, "n1"),) * 3)
    entry = chain(draft)[0]
    assert len(encode(entry).encode()) <= VALUE_LIMIT
    whole = hashlib.sha256(text.encode()).hexdigest()
    assert all(item.text.endswith(f"... (cut, sha256:{whole})") for item in entry.evidence)
    assert {item.node for item in entry.evidence} == {"n1"}
    assert check([entry], START) is None


def test_a_long_text_deep_in_the_detail_is_cut_too() -> None:
    text = "x" * 9000
    entry = chain(Draft(step="s", phase=Phase.NOTE, detail={"gate": {"reason": text, "n": [1]}}))[0]
    assert len(encode(entry).encode()) <= VALUE_LIMIT
    gate = entry.detail["gate"]
    assert isinstance(gate, dict)
    assert gate["n"] == [1]
    assert gate["reason"].endswith(f"(cut, sha256:{hashlib.sha256(text.encode()).hexdigest()})")


def test_short_evidence_stays_beside_nothing_that_is_too_long() -> None:
    draft = Draft(step="s", phase=Phase.NOTE, evidence=(Evidence("log", "short"),))
    assert chain(draft)[0].evidence == draft.evidence


json = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text() | st.floats(0, 1e12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


@given(
    detail=st.dictionaries(st.text(), json, max_size=3),
    texts=st.lists(st.text(max_size=3000), max_size=3),
)
def test_what_was_stored_reads_back_as_it_was_and_its_chain_holds(
    detail: dict[str, object], texts: list[str]
) -> None:
    evidence = tuple(Evidence("log", text) for text in texts)
    draft = Draft(step="s", phase=Phase.NOTE, detail=detail, evidence=evidence)  # type: ignore[arg-type]
    entry = chain(draft)[0]
    stored = encode(entry)
    assert len(stored.encode()) <= VALUE_LIMIT
    assert encode(decode(stored)) == stored
    assert check([decode(stored)], START) is None


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"seq": "one"}', "not json"])
def test_what_is_no_record_is_refused(text: str) -> None:
    with pytest.raises(msgspec.DecodeError):
        decode(text)
