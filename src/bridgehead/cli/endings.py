"""How a run's ending is told: what happened, the proof, the journal's head, the next command."""

import sys
from collections.abc import Callable

import msgspec

from bridgehead.app.asking import StillAsked
from bridgehead.app.limits import TooShort
from bridgehead.app.loop import Stopped
from bridgehead.app.open_run import Orphaned
from bridgehead.app.planning import Planned
from bridgehead.app.recover_acts import ActStopped
from bridgehead.app.rollout import Busy, NotAllowed, RolloutResult
from bridgehead.app.runner import Ended
from bridgehead.cli.exits import Exit
from bridgehead.cli.explanation import explanation_json, explanation_lines
from bridgehead.cli.next_commands import next_command
from bridgehead.cli.plan import show_planned
from bridgehead.cli.say import next_step, say, show
from bridgehead.cli.typed import repeated
from bridgehead.cluster.access import grant_text
from bridgehead.core.model.durations import duration_text
from bridgehead.core.model.json import JsonObject, JsonValue
from bridgehead.core.recover.assessment import Assessment
from bridgehead.core.rollout.approvals import open_points
from bridgehead.core.rollout.control import encode
from bridgehead.core.rollout.kept import maybe_cordoned
from bridgehead.core.rollout.run import Run
from bridgehead.report.entry_text import headline
from bridgehead.report.inventory import pretty_json
from bridgehead.report.left_behind import left_behind

SCHEMA = "bridgehead.dev/ending/v1"


Meaning = Callable[[Ended], Exit]
"""The exit code of the command that was given, by the ending of the run."""


def as_ended(result: Ended) -> Exit:
    """That of the run's own command."""
    return Exit(result.ending.exit)


def conclude(
    result: RolloutResult, output: str, again: str, where: str, meaning: Meaning = as_ended
) -> Exit:
    """Tell the result of a rollout or rollback; the exit code.

    ``again`` is the command that was given, ``where`` its options that name the cluster.
    """
    match result:
        case Ended():
            return _ended(result, output, again, where, meaning(result))
        case Planned():
            return show_planned(result, output, again)
        case NotAllowed(missing=missing, user=user, grants=grants, why=for_what):
            first = f"{for_what}; " if for_what else ""
            why = f"{first}permissions are missing for {user}; nothing was changed"
            not_begun(output, Exit.CANNOT, why, missing=[str(item) for item in missing])
            for item in missing:
                say(f"  {item}")
            say(
                f"These objects grant all that is needed:\n---\n{grant_text(grants, user)}".rstrip()
            )
            next_step("have them applied (kubectl apply -f -), then the same command again")
            return Exit.CANNOT
        case Busy(run=run, why=why):
            not_begun(output, Exit.LOCKED, f"run {run} holds this component: {why}", run=run)
            next_step(f"bridgehead status {run}{where}")
            return Exit.LOCKED
        case Orphaned(component=component, anchor=anchor):
            why = f"{component} carries the mark of run {anchor}, which has no record"
            not_begun(output, Exit.NEEDS_A_PERSON, why, anchor=anchor)
            next_step(f"bridgehead release {component}{where}")
            return Exit.NEEDS_A_PERSON
        case TooShort(left=left, needed=needed):
            times = f"{duration_text(max(0, round(left)))} of --for are left"
            why = f"a node takes about {duration_text(round(needed))}, and {times}"
            not_begun(output, Exit.USAGE, f"{why}; nothing was changed")
            next_step(f"the same command with --for {duration_text(2 * round(needed))} or more")
            return Exit.USAGE


def stopped(stopping: Stopped, code: Exit, output: str, again: str) -> Exit:
    """The ending after a signal: how it was left, the journal's head, and how to go on."""
    if isinstance(stopping, StillAsked):
        return _still_asked(stopping, code, output)
    if isinstance(stopping, ActStopped):
        return _in_the_middle(stopping, code, output)
    run = stopping.left
    how = left_behind(run) if run is not None else "nothing was changed by this command"
    said = f"stopped; {how}"
    say(said)
    if stopping.head and run is not None:
        say(f"journal of run {run.name}: {stopping.head}")
    if output == "json":
        more: JsonObject = {
            "parked": stopping.parked,
            "run": run.name if run is not None else None,
            "cordoned": list(maybe_cordoned(run)) if run is not None else [],
            "journalHead": stopping.head,
        }
        show(pretty_json(_unended(code, said, **more)))
    next_step(again)
    return code


def _in_the_middle(stopping: ActStopped, code: Exit, output: str) -> Exit:
    """A recovery that was begun counts, though nobody has seen whether it has helped."""
    acted = stopping.acted
    rung, node = acted.assessment.rung, acted.situation.node.name
    said = f"stopped; {rung.value} on node {node} is not verified: {acted.said}"
    say(said)
    limit = _limit(acted.assessment)
    if limit:
        say(f"it counts as taken: {limit}")
    if output == "json":
        more: JsonObject = {"rung": rung.value, "node": node, "verified": None}
        show(pretty_json(_unended(code, said, **more, journalHead=stopping.head)))
    ref = acted.situation.plugin.component.ref
    next_step(f"bridgehead diagnose {ref}{repeated(sys.argv[1:])}")
    return code


def _limit(taken: Assessment) -> str:
    """How often the rung may be taken, in the words of its precondition; empty without a limit."""
    return next((item.what for item in taken.preconditions if item.what.startswith("at most")), "")


def _still_asked(stopping: StillAsked, code: Exit, output: str) -> Exit:
    said = f"stopped waiting; what was asked stays in the record of run {stopping.run}"
    say(said)
    if output == "json":
        show(pretty_json(_unended(code, said, run=stopping.run)))
    next_step(f"bridgehead status {stopping.run}{repeated(sys.argv[1:])}")
    return code


def not_begun(output: str, code: Exit, why: str, **more: JsonValue) -> None:
    """Tell why nothing was done; as data too where data was asked for."""
    say(f"error: {why}")
    if output == "json":
        show(pretty_json(_unended(code, why, **more)))


def _unended(code: Exit, why: str, **more: JsonValue) -> JsonObject:
    return {"schema": SCHEMA, "unread": [], "exit": int(code), "summary": why, **more}


def _ended(result: Ended, output: str, again: str, where: str, code: Exit) -> Exit:
    if output == "json":
        show(pretty_json(_json(result, code, where)))
    else:
        for line in (*_lines(result), *explanation_lines(result.explained, result.run, where)):
            show(line)
    next_step(next_command(result, again, where))
    return code


def _lines(result: Ended) -> list[str]:
    ending = result.ending
    lines = [f"{headline(ending.exit)}: {ending.summary}"]
    failure = ending.failure
    if failure is not None and ending.exit != Exit.DONE:
        lines += [
            f"  node      {failure.node}",
            f"  gate      {failure.gate.value}",
            f"  expected  {failure.expected}",
            f"  seen      {failure.seen}",
            f"  why       {failure.reason}",
        ]
        lines += [f"  proof     {item.source}: {item.text}" for item in failure.evidence]
    if ending.rollback_helps is False:
        lines.append("  A rollback would not help.")
    lines.append(f"journal of run {result.run.name}: {result.head}")
    return lines


def _json(result: Ended, code: Exit, where: str) -> JsonObject:
    """``exit`` is the command's own, ``ending.exit`` that of the run's own command."""
    ending = result.ending
    return {
        "schema": SCHEMA,
        "unread": [],
        "run": result.run.name,
        "component": str(result.run.plan.spec.component),
        "exit": int(code),
        "ending": {"exit": ending.exit},
        "summary": ending.summary,
        "failure": msgspec.to_builtins(ending.failure),
        "rollbackHelps": ending.rollback_helps,
        "journalHead": result.head,
        "changeDigest": result.run.plan.change_digest,
        "diagnosis": explanation_json(result.explained, result.run, where),
        "waitsFor": _waits_for(result.run) if ending.exit == Exit.WAITING else None,
    }


def _waits_for(run: Run) -> JsonObject:
    """What a person has to do before it goes on; neither where only time must pass."""
    paused = run.state.paused
    return {
        "paused": encode(paused) if paused is not None else None,
        "approvals": list(open_points(run)),
    }
