"""Journal records as lines: complete, and quoting what was seen."""

import msgspec
import pytest

from bridgehead.core.journal.chain import Head, Signature, append
from bridgehead.core.journal.entry import Draft, Entry, Evidence, Phase
from bridgehead.core.model.json import JsonObject
from bridgehead.core.rollout.commands import Flip, Position, TakeOver, key
from bridgehead.core.rollout.control import Abort, Approve, Pause, Request, Resume, encode
from bridgehead.core.rollout.decide import outcome
from bridgehead.core.rollout.decision import gate_note, intent, note
from bridgehead.core.rollout.facts import FACTS
from bridgehead.core.verify.result import GateId, GateResult, Verdict
from bridgehead.report.entry_text import NOTES, clock_time, entry_lines

FOR_MACHINES = {("gates", ""), ("stage", "deployed")}
"""Facts that a reader is not told one by one: all answers of a good node, and its stage's place."""


def written(draft: Draft) -> Entry:
    return append(Head(0, "sha256:0"), draft, Signature("run", "me", "user"), 1_700_000_000.5)


def test_every_fact_has_a_line_or_is_for_machines() -> None:
    assert set(FACTS) - set(NOTES) == FOR_MACHINES
    assert set(NOTES) - set(FACTS) == set()


def test_failed_node_tells_gate_expectation_sight_and_proof() -> None:
    proof = (Evidence("log of pod gpu/p", "no devices\n  in pool"),)
    failed = GateResult(
        gate=GateId.ALLOCATABLE,
        node="n1",
        verdict=Verdict.FAIL,
        expected="vendor.com/gpu 4",
        seen="vendor.com/gpu 0 of 0",
        reason="not within 20 s",
        evidence=proof,
    )
    lines = entry_lines(written(gate_note("node", "failed", failed, purpose="change")))
    told = "\n".join(lines)
    assert "n1: FAILED gate allocatable: not within 20 s" in told
    assert "expected: vendor.com/gpu 4" in told
    assert "seen: vendor.com/gpu 0 of 0" in told
    assert "log of pod gpu/p: no devices in pool" in told


def test_intent_is_silent_and_its_outcome_speaks() -> None:
    assert entry_lines(written(intent(TakeOver()))) == ()
    done = outcome(key(TakeOver()), "done", {"generation": 3})
    assert entry_lines(written(done)) == ("taken over: update strategy is OnDelete",)


def test_a_stage_of_which_no_node_was_changed_is_said_to_be_over_not_to_have_passed() -> None:
    detail: JsonObject = {"stage": "wave 1", "reason": "no node of it was changed (set-aside)"}
    (line,) = entry_lines(written(note("stage", "passed", detail=detail)))
    assert "wave 1 is over: no node of it was changed (set-aside)" in line


@pytest.mark.parametrize(
    ("position", "words"),
    [(Position.TARGET, "new template put in"), (Position.FORMER, "former template parked")],
)
def test_flip_says_which_template_stands(position: Position, words: str) -> None:
    done = outcome(key(Flip(to=position)), "done", {"generation": 3, "to": position.value})
    assert entry_lines(written(done)) == (f"{words} (generation 3)",)


def test_effect_that_did_not_happen_says_why() -> None:
    lapsed = outcome("cordon/n1/", "lapsed", {"message": "held by run x"})
    assert entry_lines(written(lapsed)) == ("n1: cordon did not happen (lapsed): held by run x",)


def test_time_is_shown_to_the_second() -> None:
    assert clock_time(written(note("preflight", "passed"))) == "22:13:20"


def test_soak_says_how_long() -> None:
    detail: JsonObject = {"stage": "canary", "seconds": 90.0}
    lines = entry_lines(written(note("stage", "soaking", detail=detail)))
    assert lines == ("canary: all gates good, soaking for 1m30s",)


def test_a_very_long_proof_is_cut_on_its_line() -> None:
    failed = GateResult(
        gate=GateId.LOG,
        node="n1",
        verdict=Verdict.FAIL,
        evidence=(Evidence("log", "x" * 1000),),
    )
    entry = written(gate_note("node", "failed", failed))
    assert max(len(line) for line in entry_lines(entry)) < 400
    assert entry.phase is Phase.NOTE
    assert msgspec.to_builtins(entry)["step"] == "node"


@pytest.mark.parametrize(
    ("request_", "line"),
    [
        (Pause(time="", identity="alice", reason="lunch\nbreak"), "alice asked for a pause: lunch"),
        (
            Resume(time="", identity="bob", without=("n1",), retry=("n2", "n3")),
            "bob asked to go on without n1 with another try of n2, n3",
        ),
        (
            Approve(
                time="",
                identity="ci",
                actor="carol",
                point="afterCanary",
                change_digest="",
                binds="",
                expires="2026-01-01T00:00:00Z",
            ),
            "carol (so claimed, as ci) approved afterCanary until 2026-01-01T00:00:00Z",
        ),
        (Abort(time="", identity=""), "somebody unknown asked for an abort"),
    ],
)
def test_a_request_tells_who_asked_for_what(request_: Request, line: str) -> None:
    detail = encode(request_)
    (told,) = entry_lines(written(note("control", str(detail["kind"]), detail=detail)))
    assert told.startswith(line)
    assert "\n" not in told


def test_a_point_that_was_passed_tells_on_whose_approval() -> None:
    passed = note("stage", "approved", detail={"point": "afterCanary", "by": "carol"})
    assert entry_lines(written(passed)) == ("afterCanary: goes on, as carol approved",)


@pytest.mark.parametrize(
    ("more", "line"),
    [({}, "goes on: holder 2"), ({"stands": "former"}, "goes on: holder 2, from the former ")],
)
def test_whoever_goes_on_is_told_by_number_as_it_may_be_the_same_process(
    more: JsonObject, line: str
) -> None:
    (told,) = entry_lines(written(note("run", "held", detail={"holder": 2, **more})))
    assert told.startswith(line)


@pytest.mark.parametrize(
    ("code", "line"),
    [(5, "waiting: so it is"), (3, "taken back: so it is"), (6, "exit 6: so it is")],
)
def test_an_ending_is_told_in_words_as_the_code_is_that_of_another_command(
    code: int, line: str
) -> None:
    ended = note("run", "ended", detail={"ending": {"exit": code, "summary": "so it is"}})
    assert entry_lines(written(ended)) == (line,)


LOUD = "it broke\n::error::all is lost\x1b[31m"
PAUSE = Pause(time="", identity="me", actor=LOUD, reason=LOUD)


@pytest.mark.parametrize(
    "draft",
    [
        note("node", "set-aside", node=LOUD, detail={"reason": LOUD}),
        note(
            "control",
            "pause",
            detail=encode(Pause(time="", identity="me", actor=LOUD, reason=LOUD)),
        ),
        outcome(key(TakeOver()), "lapsed", {"message": LOUD}),
        gate_note(
            "node",
            "failed",
            GateResult(
                gate=GateId.ALLOCATABLE,
                node="n1",
                verdict=Verdict.FAIL,
                expected=LOUD,
                seen=LOUD,
                reason=LOUD,
                evidence=(Evidence(LOUD, LOUD),),
            ),
            purpose="change",
        ),
        Draft(
            step="recover",
            phase=Phase.INTENT,
            node="n1",
            detail={"rung": "R1", "what": LOUD},
            evidence=(Evidence(LOUD, LOUD),),
        ),
    ],
    ids=["note", "request", "outcome", "gate", "recovery"],
)
def test_line_breaks_and_control_characters_stay_on_their_line(draft: Draft) -> None:
    lines = "\n".join(entry_lines(written(draft))).split("\n")
    assert any("it broke ::error::all is lost [31m" in line for line in lines)
    for line in lines:
        assert line.isprintable()
        assert not line.lstrip().startswith("::")
