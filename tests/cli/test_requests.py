"""Commands that ask something of a run: how they name it, and what they say comes next."""

import json

import msgspec
import pytest
from click.testing import CliRunner

from bridgehead.app.asking import Asked
from bridgehead.app.following import Answer
from bridgehead.app.runner import Ended
from bridgehead.app.subject import NothingOpen
from bridgehead.cli import main
from bridgehead.cli.abort import of_an_abort
from bridgehead.cli.answers import answered, not_open
from bridgehead.cli.endings import Meaning, as_ended
from bridgehead.cli.exits import Exit
from bridgehead.cli.next_commands import next_command
from bridgehead.cli.pause import of_a_pause
from bridgehead.core.plan.plan import Refusal
from bridgehead.core.rollout.control import Pause
from bridgehead.core.rollout.run import Run
from bridgehead.core.rollout.state import Ending, Mode, NodeState, NodeStatus, RunState
from tests.core.standin.plans import plan_of

ASKING = ("pause", "resume", "approve", "abort")
NAMES = (*ASKING, "rollback", "release")
PAUSE = Pause(time="2026-01-31T12:00:00.000Z", identity="sa", actor="ann")
PLAN = plan_of(("a1", "a2"))
REF = str(PLAN.spec.component)


def run(mode: Mode = Mode.FORWARD, *, paused: Pause | None = None, **failed: NodeStatus) -> Run:
    nodes = {name: NodeState(name=name, status=status) for name, status in failed.items()}
    state = RunState(mode=mode, nodes=nodes, paused=paused)
    return Run(name="gpu-1", plan=PLAN, state=state)


def ended(code: int, made: Run, *, rollback_helps: bool | None = None) -> Ended:
    ending = Ending(exit=code, summary="so it ended", rollback_helps=rollback_helps)
    return Ended(run=made, ending=ending, head="sha256:1")


def after(result: Ended) -> str:
    return next_command(result, "bridgehead rollout -f x.yaml --for 50m", " --context c")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("arguments", [(), ("gpu-1", "-f", "x.yaml")])
def test_a_run_is_named_once(name: str, arguments: tuple[str, ...]) -> None:
    found = CliRunner().invoke(main.bridgehead, [name, *arguments])
    assert found.exit_code == Exit.USAGE
    assert "name one run: COMPONENT, RUN, or -f" in found.output


@pytest.mark.parametrize("name", ASKING)
def test_a_reason_that_would_not_fit_into_a_record_is_refused(name: str) -> None:
    found = CliRunner().invoke(main.bridgehead, [name, "gpu-1", "--reason", "x" * 501])
    assert found.exit_code == Exit.USAGE
    assert "501 characters; 500 at most" in found.output


def test_after_a_pause_comes_resume() -> None:
    assert after(ended(5, run(paused=PAUSE))) == f"bridgehead resume {REF} --context c"


def test_after_used_up_time_comes_the_same_command() -> None:
    assert after(ended(5, run())) == "bridgehead rollout -f x.yaml --for 50m"


def test_out_of_a_hold_there_are_three_ways() -> None:
    held = run(Mode.HOLD, a1=NodeStatus.PASSED, a2=NodeStatus.TAKEN_BACK)
    assert after(ended(4, held, rollback_helps=True)) == (
        f"try again: bridgehead resume {REF} --retry a2 --context c; "
        f"go on without: bridgehead resume {REF} --without a2 --context c; "
        f"take all back: bridgehead rollback {REF} --context c"
    )


def test_a_way_back_that_holds_is_taken_back_by_its_own_name() -> None:
    spec = msgspec.structs.replace(PLAN.spec, undoes="gpu-0")
    held = run(Mode.HOLD, a2=NodeStatus.TAKEN_BACK)
    held = msgspec.structs.replace(held, plan=msgspec.structs.replace(PLAN, spec=spec))
    told = after(ended(4, held, rollback_helps=True))
    assert told.endswith("take all back: bridgehead rollback gpu-1 --context c")


def test_where_a_rollback_does_not_help_the_node_is_mended() -> None:
    drifted = run(Mode.FORWARD, a2=NodeStatus.STUCK)
    told = after(ended(4, drifted, rollback_helps=False))
    assert told.startswith(f"mend the node, then: bridgehead resume {REF} --retry a2")
    assert "rollback" not in told


def test_with_no_run_open_pause_is_content_and_others_are_not(
    capsys: pytest.CaptureFixture[str],
) -> None:
    nothing = NothingOpen(subject=REF, run="gpu-0", ending=Ending(exit=0, summary="done"))
    assert not_open(nothing, "text", "", Exit.DONE) is Exit.DONE
    assert "error" not in capsys.readouterr().err
    assert answered(nothing, "text", "", "") is Exit.FINDINGS
    assert f"error: no run of {REF} is open; run gpu-0 is over: done" in capsys.readouterr().err


def test_a_component_that_does_not_exist_is_told_by_every_command(
    capsys: pytest.CaptureFixture[str],
) -> None:
    absent = Refusal("component-missing", f"there is no {REF}", "did you mean x? list them")
    nothing = NothingOpen(subject=REF, absent=absent)
    assert not_open(nothing, "text", "", Exit.DONE) is Exit.FINDINGS
    told = capsys.readouterr().err
    assert f"error: there is no {REF}" in told
    assert "next: did you mean x? list them" in told


def test_who_asks_a_component_without_runs_is_sent_to_begin_one(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert answered(NothingOpen(subject=REF), "text", "", " --context c") is Exit.FINDINGS
    assert "bridgehead rollout -f FILE --context c begins one" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("answer", "alive", "code", "words"),
    [
        (Answer.FILED, False, Exit.DONE, "or goes on with it, acts on that"),
        (Answer.NOTED, True, Exit.DONE, "has noted that and acts on it"),
        (Answer.DONE, True, Exit.DONE, "nothing is in flight, and the former template stands"),
        (Answer.FILED, True, Exit.NEEDS_A_PERSON, "has NOT noted that in all this time"),
    ],
)
def test_how_far_a_request_has_come_is_told(
    capsys: pytest.CaptureFixture[str], answer: Answer, alive: bool, code: Exit, words: str
) -> None:
    asked = Asked(run=run(), request=PAUSE, answer=answer, alive=alive)
    assert answered(asked, "text", "", "") is code
    told = capsys.readouterr().out
    assert told.startswith("run gpu-1: paused by ann (so claimed, as sa); ")
    assert words in told


def test_a_request_is_data_too(capsys: pytest.CaptureFixture[str]) -> None:
    asked = Asked(run=run(), request=PAUSE, answer=Answer.NOTED, alive=True)
    answered(asked, "json", "", "")
    told = json.loads(capsys.readouterr().out)
    assert (told["schema"], told["exit"]) == ("bridgehead.dev/request/v1", 0)
    assert (told["run"], told["answer"]) == ("gpu-1", "noted")
    assert told["request"]["kind"] == "pause"


def test_an_ending_that_waits_says_for_what_as_data(capsys: pytest.CaptureFixture[str]) -> None:
    assert answered(ended(5, run(paused=PAUSE)), "json", "again", "") is Exit.WAITING
    told = json.loads(capsys.readouterr().out)
    assert (told["schema"], told["exit"]) == ("bridgehead.dev/ending/v1", 5)
    assert told["waitsFor"]["paused"]["actor"] == "ann"
    assert told["waitsFor"]["approvals"] == []


@pytest.mark.parametrize(
    ("meaning", "run_exit", "code"),
    [
        (as_ended, 3, Exit.ROLLED_BACK),
        (of_an_abort, 3, Exit.DONE),
        (of_an_abort, 0, Exit.FINDINGS),
        (of_an_abort, 4, Exit.NEEDS_A_PERSON),
        (of_a_pause, 5, Exit.DONE),
        (of_a_pause, 3, Exit.DONE),
        (of_a_pause, 4, Exit.NEEDS_A_PERSON),
    ],
)
def test_the_exit_of_the_data_is_that_of_the_command_and_the_runs_own_stands_beside_it(
    capsys: pytest.CaptureFixture[str], meaning: Meaning, run_exit: int, code: Exit
) -> None:
    assert answered(ended(run_exit, run()), "json", "again", "", meaning) is code
    told = json.loads(capsys.readouterr().out)
    assert (told["exit"], told["ending"]["exit"]) == (code, run_exit)
