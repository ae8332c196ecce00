"""How the answer to a request is told: done, noted by a runner that lives, or only filed."""

import msgspec

from bridgehead.app.asking import Asked, Outcome
from bridgehead.app.following import Answer
from bridgehead.app.pause import NotOpen, Parked
from bridgehead.app.subject import NothingOpen
from bridgehead.cli.endings import Meaning, as_ended, conclude
from bridgehead.cli.exits import Exit
from bridgehead.cli.say import next_step, say, show
from bridgehead.core.model.json import JsonObject
from bridgehead.core.rollout.control import Abort, Approve, Pause, Request, Resume, encode, who
from bridgehead.core.rollout.run import Run
from bridgehead.report.approval import approval_json, approval_of
from bridgehead.report.inventory import pretty_json

SCHEMA = "bridgehead.dev/request/v1"


def answered(
    result: Outcome | NotOpen,
    output: str,
    again: str,
    where: str,
    meaning: Meaning = as_ended,
) -> Exit:
    """Tell what came of a request; the exit code of the run's ending, or of the answer.

    ``again`` is the command that was given, ``where`` its options that name the cluster. That no
    run is open is exit 1: there is nothing to be asked.
    """
    match result:
        case NothingOpen():
            return not_open(result, output, where, Exit.FINDINGS)
        case Asked():
            return _asked(result, output, where)
        case _:
            return conclude(result, output, again, where, meaning)


def not_open(result: NothingOpen, output: str, where: str, code: Exit) -> Exit:
    """Tell that no run is open, and how the last one ended.

    A component that does not exist and never had a run is mistyped: that is exit 1 whatever
    ``code`` says, for in a pipeline's last step nobody reads words.
    """
    if result.absent is not None:
        say(f"error: {result.absent.message}")
        _as_data(output, Exit.FINDINGS, result.absent.message, run="")
        next_step(result.absent.remedy)
        return Exit.FINDINGS
    why = f"no run of {result.subject} is open"
    if result.ending is not None:
        why += f"; run {result.run} is over: {result.ending.summary}"
    if code is Exit.DONE:
        say(why)
    else:
        say(f"error: {why}")
    _as_data(output, code, why, run=result.run)
    if result.run:
        next_step(f"bridgehead status {result.subject}{where}")
    else:
        next_step(f"it never had one; bridgehead rollout -f FILE{where} begins one")
    return code


def parked(result: Parked, output: str, where: str) -> Exit:
    """Tell that nothing had to be done so that the former template stands."""
    run = result.run
    words = (
        f"a runner is at run {run.name}, and parks before it leaves"
        if result.alive
        else f"nobody is at run {run.name}, and the former template stands"
    )
    if output == "json":
        _as_data(output, Exit.DONE, words, run=run.name)
    else:
        show(words)
    next_step(f"bridgehead status {run.name}{where}")
    return Exit.DONE


def _asked(result: Asked, output: str, where: str) -> Exit:
    run = result.run
    noted = result.answer is not Answer.FILED
    code = Exit.NEEDS_A_PERSON if result.alive and not noted else Exit.DONE
    words = _words(result, noted=noted)
    if output == "json":
        about = {"request": encode(result.request), "answer": result.answer.value}
        if isinstance(result.request, Approve):
            about["approval"] = approval_json(approval_of(run, result.request.point))
        _as_data(output, code, words, run=run.name, **about)
    else:
        show(words)
    next_step(_next(result, where))
    return code


def _words(result: Asked, *, noted: bool) -> str:
    asked = f"run {result.run.name}: {_what(result.request)}"
    if result.answer is Answer.DONE:
        return f"{asked}; nothing is in flight, and the former template stands"
    if noted:
        return f"{asked}; the runner that is at it has noted that and acts on it"
    if result.alive:
        return f"{asked}; the runner that holds the lock has NOT noted that in all this time"
    return f"{asked}; whoever is at the run, or goes on with it, acts on that"


def _what(request: Request) -> str:
    """What was asked, by whom."""
    match request:
        case Pause():
            return f"paused by {who(request)}"
        case Resume():
            return f"asked to go on by {who(request)}"
        case Approve(point=point, expires=expires):
            until = f" until {expires}" if expires else ""
            return f"{point} approved by {who(request)}{until}"
        case Abort():
            return f"asked to take all back by {who(request)}"


def _next(result: Asked, where: str) -> str:
    ref = result.run.plan.spec.component
    match result.request:
        case Pause() if result.answer is not Answer.NOTED:
            return f"bridgehead resume {ref}{where}"
        case Approve():
            return f"bridgehead resume {ref}{where}, unless a runner waits at it (rollout --wait)"
        case _:
            return f"bridgehead status {result.run.name}{where}"


def not_now(run: Run, why: str, output: str, code: Exit, then: str) -> Exit:
    """Tell why nothing was asked of the run, and the next command."""
    say(f"error: {why}; nothing was asked")
    _as_data(output, code, why, run=run.name)
    next_step(then)
    return code


def _as_data(output: str, code: Exit, summary: str, **more: object) -> None:
    if output == "json":
        content: JsonObject = {
            "schema": SCHEMA,
            "unread": [],
            "exit": int(code),
            "summary": summary,
            **msgspec.to_builtins(more),
        }
        show(pretty_json(content))
