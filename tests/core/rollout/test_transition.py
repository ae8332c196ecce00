"""What each record makes of a run's state, and which records are refused."""

import pytest

from bridgehead.core.journal.chain import Head, Signature, append
from bridgehead.core.journal.entry import Draft, Entry, Phase
from bridgehead.core.model.device import Offer
from bridgehead.core.model.json import JsonObject
from bridgehead.core.rollout.commands import (
    Baseline,
    Command,
    Cordon,
    CreateOwnPod,
    DeletePod,
    Flip,
    Position,
    Purpose,
    Role,
    TakeOver,
    Uncordon,
    decode,
    encode,
    key,
)
from bridgehead.core.rollout.decide import outcome
from bridgehead.core.rollout.decision import intent, note
from bridgehead.core.rollout.state import Mode, NodeStatus, RunState
from bridgehead.core.rollout.transition import (
    DONE,
    LAPSED,
    REFUSED,
    UnknownRecordError,
    fold,
    transition,
)

NOW = 1_700_000_000.0
BASELINE = Baseline(offers={"vendor.com/gpu": Offer(8, 8)}, refused=("r1",))
CORDON = Cordon(node="n1", purpose=Purpose.CHANGE, baseline=BASELINE, schedulable=True)
DELETE = DeletePod(node="n1", namespace="plugins", name="p", uid="u1")
PROBE = CreateOwnPod(node="n1", role=Role.PROBE)


def record(draft: Draft, at: float = NOW) -> Entry:
    return append(Head(6, "sha256:x"), draft, Signature("run", "team", "user"), at)


def told(state: RunState, *drafts: Draft) -> RunState:
    return fold((record(draft) for draft in drafts), state)


def done(command: Command, result: str = DONE, **detail: int | str) -> tuple[Draft, Draft]:
    return intent(command), outcome(key(command), result, detail)


@pytest.mark.parametrize(
    "draft",
    [
        note("node", "levitated", node="n1"),
        note("weather", "fine"),
        Draft(step="flip", phase=Phase.INTENT, detail={"type": "teleport"}),
        Draft(step="flip", phase=Phase.INTENT, detail={"type": "flip", "to": "sideways"}),
        Draft(step="flip", phase=Phase.OUTCOME, result=DONE, detail={"key": "flip//"}),
    ],
)
def test_a_record_that_is_not_known_is_refused_with_its_number(draft: Draft) -> None:
    with pytest.raises(UnknownRecordError, match="record 7 of run run is of step"):
        transition(RunState(), record(draft))


@pytest.mark.parametrize(
    "command", [CORDON, DELETE, PROBE, TakeOver(), Flip(to=Position.TARGET), Uncordon(node="n1")]
)
def test_a_command_reads_back_from_the_journal_as_it_was(command: Command) -> None:
    assert decode(encode(command)) == command


def test_an_intent_is_pending_until_its_outcome() -> None:
    begun = told(RunState(), intent(Flip(to=Position.TARGET)))
    assert list(begun.pending) == ["flip//"]
    assert begun.template is Position.FORMER
    ended = told(begun, outcome("flip//", DONE, {"generation": 5}))
    assert not ended.pending
    assert (ended.template, ended.generation, ended.written_at) == (Position.TARGET, 5, NOW)


@pytest.mark.parametrize("result", [LAPSED, REFUSED])
def test_a_write_that_did_not_happen_changes_nothing(result: str) -> None:
    state = told(RunState(generation=3), *done(Flip(to=Position.TARGET), result))
    assert (state.template, state.generation, dict(state.pending)) == (Position.FORMER, 3, {})


def test_a_cordon_begins_a_pass_and_one_that_lapsed_does_not() -> None:
    begun = told(RunState(), *done(CORDON)).node("n1")
    assert begun.held
    assert begun.work is not None
    assert (begun.work.purpose, begun.work.cordoned_at) == (Purpose.CHANGE, NOW)
    assert begun.baseline == BASELINE
    lapsed = told(RunState(), *done(CORDON, LAPSED)).node("n1")
    assert (lapsed.work, lapsed.held) == (None, False)


def test_a_deletion_is_remembered_and_numbers_the_touch() -> None:
    node = told(RunState(), *done(CORDON), *done(DELETE)).node("n1")
    assert node.work is not None
    assert node.work.deleted == frozenset({"u1"})
    assert node.touched == 7


def test_a_refused_pod_of_ours_keeps_the_reason_and_a_lapsed_one_does_not() -> None:
    refused = told(RunState(), *done(PROBE, REFUSED, message="quota")).node("n1")
    assert (dict(refused.own_pods), dict(refused.refused_pods)) == ({}, {Role.PROBE: "quota"})
    lapsed = told(RunState(), *done(PROBE, LAPSED, message="try again")).node("n1")
    assert (dict(lapsed.own_pods), dict(lapsed.refused_pods)) == ({}, {})
    there = told(RunState(), intent(PROBE)).node("n1")
    assert dict(there.own_pods) == {Role.PROBE: NOW}


@pytest.mark.parametrize(
    ("purpose", "status"),
    [
        (Purpose.CHANGE, NodeStatus.FAILED),
        (Purpose.RESTART, NodeStatus.STUCK),
        (Purpose.TAKE_BACK, NodeStatus.STUCK),
    ],
)
def test_only_a_failed_change_can_be_taken_back(purpose: Purpose, status: NodeStatus) -> None:
    cordon = Cordon(node="n1", purpose=purpose, baseline=BASELINE, schedulable=True)
    node = told(RunState(), *done(cordon), note("node", "failed", node="n1")).node("n1")
    assert (node.status, node.work, node.held) == (status, None, True)


def test_preflight_passed_goes_forward_and_failed_goes_back_as_refused() -> None:
    assert told(RunState(), note("preflight", "passed")).mode is Mode.FORWARD
    refused = told(RunState(), note("preflight", "failed", detail={"reason": "why"}))
    assert (refused.mode, refused.refused, refused.turned_for) == (Mode.BACK, True, "why")


def test_an_ending_that_keeps_the_component_leaves_the_mode() -> None:
    ending: JsonObject = {"exit": 4, "summary": "stopped"}
    kept = told(
        RunState(mode=Mode.HOLD),
        note("run", "ended", detail={"ending": ending, "closed": "false"}),
    )
    assert kept.mode is Mode.HOLD
    assert kept.ending is not None
    closed = told(kept, note("run", "ended", detail={"ending": ending, "closed": "true"}))
    assert closed.mode is Mode.ENDED


def test_the_first_image_id_of_an_architecture_stays() -> None:
    def verified(name: str, image_id: str) -> Draft:
        detail: JsonObject = {
            "purpose": "change",
            "arch": "amd64",
            "verified": {"pod": "u", "restarts": 0, "image_ids": {"plugin": image_id}},
        }
        return note("node", "verified", node=name, detail=detail)

    state = told(RunState(), verified("n1", "sha256:a"), verified("n2", "sha256:b"))
    assert state.image_ids == {"amd64/plugin": "sha256:a"}


@pytest.mark.parametrize(
    "turn", [("turn", "back"), ("turn", "hold"), ("preflight", "passed"), ("preflight", "failed")]
)
def test_an_ended_run_turns_no_more(turn: tuple[str, str]) -> None:
    state = told(RunState(mode=Mode.ENDED), note(*turn, detail={"reason": "late"}))
    assert (state.mode, state.turned_for) == (Mode.ENDED, "")


def test_a_takeover_after_the_strategy_was_restored_holds_the_component_again() -> None:
    state = told(RunState(taken_over=True, restored=True), *done(TakeOver(), generation=7))
    assert (state.taken_over, state.restored, state.generation) == (True, False, 7)


def test_a_refusal_of_the_probe_is_forgotten_by_the_next_pass() -> None:
    refused = told(RunState(), *done(CORDON), *done(PROBE, REFUSED, message="quota"))
    assert dict(refused.node("n1").refused_pods) == {Role.PROBE: "quota"}
    again = told(refused, note("node", "cancelled", node="n1"), *done(CORDON))
    assert dict(again.node("n1").refused_pods) == {}


def test_a_node_that_waits_for_one_reason_after_the_other_has_one_time_for_all_of_them() -> None:
    """What is only too little on offer has a shorter one beside it, anew each time."""

    def waits(state: RunState, at: float, *, fewer: bool) -> RunState:
        draft = note("node", "waits", node="n1", detail={"reason": "why", "fewer": fewer})
        return transition(state, record(draft, NOW + at))

    first = waits(RunState(), 0, fewer=False)
    second = waits(first, 5, fewer=True)
    third = waits(second, 9, fewer=False)
    times = [(s.node("n1").waits_since, s.node("n1").fewer_since) for s in (first, second, third)]
    assert times == [(NOW, None), (NOW, NOW + 5), (NOW, None)]
    waited = told(second, note("node", "waited", node="n1")).node("n1")
    assert (waited.waits_since, waited.fewer_since) == (None, None)


def test_a_refusal_of_the_pull_pod_is_kept_by_the_next_pass() -> None:
    pull = CreateOwnPod(node="n1", role=Role.PULL)
    refused = told(RunState(), *done(pull, REFUSED, message="quota"), *done(CORDON))
    assert dict(refused.node("n1").refused_pods) == {Role.PULL: "quota"}
