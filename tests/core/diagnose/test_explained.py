"""The record of a diagnosis: what programs look for in it, and that it stays small."""

import msgspec

from bridgehead.core.diagnose.cause import Blame, RollbackHelps
from bridgehead.core.diagnose.diagnosis import Ranked, TooEarly
from bridgehead.core.diagnose.explained import Explained, explained_note
from bridgehead.core.findings.finding import ObjectRef, Severity
from bridgehead.core.journal.chain import VALUE_LIMIT, Head, Signature, append, encode
from bridgehead.core.journal.entry import Evidence, Phase
from bridgehead.core.model.confidence import Confidence
from bridgehead.core.model.snapshot import Unread


def cause(rule: str = "fewer-devices", *, words: int = 1, proofs: int = 1) -> Ranked:
    return Ranked(
        rule=rule,
        severity=Severity.ERROR,
        confidence=Confidence.HIGH,
        message="fewer " * words,
        remedy="",
        object=ObjectRef(),
        nodes=("n1",),
        scope="",
        blame=Blame.VERSION,
        evidence=tuple(Evidence(f"log:{line}", "none " * words, "n1") for line in range(proofs)),
        refuted_by="",
        ruled_out=(),
        actions=(),
        rollback_helps=RollbackHelps.YES,
        explains=(),
    )


def test_causes_stand_in_their_order_with_their_proof() -> None:
    note = explained_note(Explained(causes=(cause("one"), cause("two")), nodes=("n1",)))
    assert (note.step, note.phase, note.result) == ("diagnosis", Phase.NOTE, "named")
    assert note.detail["nodes"] == ["n1"]
    assert [item["rule"] for item in note.detail["causes"]] == ["one", "two"]  # type: ignore[union-attr, index, call-overload]
    assert note.detail["causes"][0] == {  # type: ignore[index]
        "rule": "one",
        "message": "fewer ",
        "nodes": ["n1"],
        "blame": "bad version",
        "confidence": "high",
        "rollbackHelps": "yes",
    }
    assert note.evidence == (Evidence("log:0", "none ", "n1"),) * 2


def test_without_a_cause_it_is_open_and_says_what_stood_in_the_way() -> None:
    early = TooEarly(component="c", node="n2", text="started 2 s ago", again=58)
    unread = (Unread("events", "forbidden"),)
    note = explained_note(Explained(nodes=("n2",), too_early=(early,), unread=unread))
    assert note.result == "open"
    assert (note.detail["tooEarly"], note.detail["notRead"]) == (["n2"], ["events"])


def test_that_it_failed_is_recorded_as_well() -> None:
    note = explained_note(Explained(nodes=("n1",), failed="the server does not answer"))
    assert (note.result, note.detail["failed"]) == ("failed", "the server does not answer")


def test_however_much_failed_the_record_keeps_its_size() -> None:
    names = tuple(f"{number:04}.{'n' * 58}" for number in range(1000))
    many = tuple(
        msgspec.structs.replace(cause(f"rule-{number}", words=1000, proofs=100), nodes=names)
        for number in range(10)
    )
    early = tuple(TooEarly(component="c", node=name, text="", again=1) for name in names)
    unread = tuple(Unread(f"files of node {name}", "forbidden") for name in names)
    note = explained_note(Explained(causes=many, nodes=names, too_early=early, unread=unread))
    assert note.detail["nodes"] == list(names[:3])
    assert note.detail["moreNodes"] == 997
    signature = Signature("run-" + "r" * 60, "o" * 60, "system:serviceaccount:" + "i" * 60)
    entry = append(Head(1, "sha256:" + "0" * 64), note, signature, 0.0)
    assert len(encode(entry)) <= VALUE_LIMIT
