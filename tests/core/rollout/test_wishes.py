"""What people want of a run, as status shows it."""

from datetime import UTC, datetime

import msgspec
import pytest

from bridgehead.core.journal.chain import Head, Signature, append
from bridgehead.core.model.json import JsonObject
from bridgehead.core.plan.settings import Window
from bridgehead.core.rollout.approvals import binding
from bridgehead.core.rollout.control import Approve, Pause, Request
from bridgehead.core.rollout.decision import note
from bridgehead.core.rollout.limits import Limits
from bridgehead.core.rollout.run import Run
from bridgehead.core.rollout.state import Mode, NodeState, NodeStatus, RunState
from bridgehead.core.rollout.wishes import used, wishes
from tests.core.standin.plans import plan_of

NOON = datetime(2026, 1, 31, 12, 0, tzinfo=UTC).timestamp()
PAUSE = Pause(time="2026-01-31T11:00:00.000Z", identity="ann")


def waiting(*, two_people: bool = False, windows: tuple[Window, ...] = (), **state: object) -> Run:
    """A run whose canary has passed and that waits for consent."""
    plan = plan_of(("a1", "a2", "a3"))
    spec = msgspec.structs.replace(
        plan.spec, approve=("afterCanary",), two_people=two_people, windows=windows
    )
    nodes = {"a1": NodeState(name="a1", status=NodeStatus.PASSED)}
    known = msgspec.structs.replace(RunState(mode=Mode.FORWARD, stage=1, nodes=nodes), **state)
    return Run(
        name="gpu-1",
        plan=msgspec.structs.replace(plan, spec=spec),
        state=known,
        limits=Limits(identity="ann", zones={"UTC": UTC}),
    )


def approval(run: Run, by: str = "bob") -> Approve:
    return Approve(
        time="2026-01-31T11:30:00.000Z",
        identity=by,
        point="afterCanary",
        change_digest=run.plan.change_digest,
        binds=binding(run.plan),
    )


def test_the_consent_that_is_awaited_and_the_nodes_that_are_left_are_told() -> None:
    shown = wishes(waiting(), (), NOON)
    assert (shown.awaited, shown.left, shown.window) == ("afterCanary", 2, "")


def test_an_approval_that_is_only_filed_is_shown_and_no_other_is_awaited() -> None:
    run = waiting()
    shown = wishes(run, (approval(run),), NOON)
    assert shown.awaited == ""
    assert [(item.by, item.objection) for item in shown.approvals] == [("bob", "")]
    assert shown.filed == (approval(run),)


def test_an_approval_that_does_not_count_says_why() -> None:
    run = waiting(two_people=True)
    shown = wishes(run, (approval(run, by="ann"),), NOON)
    assert shown.awaited == "afterCanary"
    assert "another identity" in shown.approvals[0].objection


def test_requests_that_the_journal_holds_are_not_filed_any_more() -> None:
    asked: tuple[Request, ...] = (PAUSE, PAUSE)
    shown = wishes(waiting(requests=1, paused=PAUSE), asked, NOON)
    assert (shown.paused, shown.filed) == (PAUSE, (PAUSE,))


@pytest.mark.parametrize("mode", [Mode.BACK, Mode.PREFLIGHT])
def test_a_run_that_does_not_go_forward_waits_for_no_consent(mode: Mode) -> None:
    assert wishes(waiting(mode=mode), (), NOON).awaited == ""


def test_a_window_is_told_in_words() -> None:
    daily = Window(opens=60, closes=120, timezone="UTC")
    assert wishes(waiting(windows=(daily,)), (), NOON).window == (
        "closed until 2026-02-01T01:00:00Z"
    )
    midday = Window(opens=660, closes=780, timezone="UTC")
    assert wishes(waiting(windows=(midday,)), (), NOON).window == (
        "open until 2026-01-31T13:00:00Z"
    )
    nowhere = Window(opens=0, closes=60, timezone="Mars/Base")
    assert "Mars/Base are not known here" in wishes(waiting(windows=(nowhere,)), (), NOON).window


def test_an_approval_that_was_used_has_no_flaw_when_it_expires_later() -> None:
    run = waiting()
    given = msgspec.structs.replace(approval(run), expires="2026-01-31T11:30:03.000Z")
    state = msgspec.structs.replace(run.state, approvals=(given,))
    later = msgspec.structs.replace(run, state=state)
    detail: JsonObject = {"point": given.point, "by": "bob", "given": given.time}
    signature = Signature(run="gpu-1", owner="", identity="ann")
    acted = append(Head(0, ""), note("stage", "approved", detail=detail), signature, NOON - 1798)
    (unused,) = wishes(later, (), NOON).approvals
    assert "expired" in unused.objection
    (told,) = wishes(later, (), NOON, used=used((acted,))).approvals
    assert (told.objection, told.used) == ("", "2026-01-31T11:30:02.000Z")
