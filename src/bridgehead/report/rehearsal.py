"""What a rehearsal has shown: for people, and as ``bridgehead.dev/rehearsal/v1``."""

from collections.abc import Iterator, Sequence

import msgspec

from bridgehead.core.diagnose.explained import explained_note
from bridgehead.core.findings.standing import few
from bridgehead.core.journal.entry import stamp
from bridgehead.core.model.durations import duration_text
from bridgehead.core.model.json import JsonObject
from bridgehead.core.rehearsal.outcome import PREFLIGHT, Outcome, Rehearsal
from bridgehead.report.sections import Section, as_text

SCHEMA = "bridgehead.dev/rehearsal/v1"

_AS_IT_IS = "(none)"
_LONGEST = 36
"""Letters of a fault that the table shows; below it, and as data, they are whole."""

_WORDS = {"passed": "passes", "caught": "caught", "escaped": "ESCAPED", "stopped": "stops"}


def rehearsal_text(rehearsal: Rehearsal) -> str:
    """One playing in full, or a table of several and what they say together."""
    nodes = len(rehearsal.plan.nodes)
    lines = [
        f"Rehearsed on a twin of the cluster as of {stamp(rehearsal.at)}; {nodes} nodes to change; "
        f"seed {rehearsal.chance}.",
        "",
    ]
    if len(rehearsal.outcomes) == 1:
        lines += _one(rehearsal.outcomes[0])
    else:
        lines += as_text([_table(rehearsal.outcomes)]).splitlines()
        lines += [*_together(rehearsal), *_notes(rehearsal.outcomes)]
    assumed = [f"  - {line}" for line in rehearsal.assumptions]
    return "\n".join([*lines, "", "Assumed, as it was not recorded:", *assumed])


def rehearsal_json(rehearsal: Rehearsal) -> JsonObject:
    """Every outcome, whole."""
    return {
        "schema": SCHEMA,
        "unread": msgspec.to_builtins(rehearsal.unread),
        "at": stamp(rehearsal.at),
        "seed": rehearsal.chance,
        "component": str(rehearsal.plan.spec.component),
        "changeDigest": rehearsal.plan.change_digest,
        "planDigest": rehearsal.plan.plan_digest,
        "good": rehearsal.good,
        "assumptions": list(rehearsal.assumptions),
        "outcomes": [_json(outcome) for outcome in rehearsal.outcomes],
    }


def verdict_line(outcome: Outcome) -> str:
    """What became of one playing, in a line."""
    where = f" {_where(outcome)}" if outcome.failure is not None else ""
    return f"{outcome.fault or 'the change as it is'}: {_WORDS[outcome.verdict]}{where}"


def _json(outcome: Outcome) -> JsonObject:
    failure = outcome.failure
    return {
        "fault": outcome.fault or None,
        "verdict": outcome.verdict,
        "exit": outcome.exit,
        "summary": outcome.summary,
        "caught": {"stage": outcome.stage, "gate": failure.gate.value, "node": failure.node}
        if failure is not None
        else None,
        "failure": msgspec.to_builtins(failure),
        "diagnosis": explained_note(outcome.explained).detail
        if outcome.explained is not None
        else None,
        "touched": list(outcome.touched),
        "deviceMinutes": round(outcome.device_minutes, 3),
        "duration": round(outcome.duration, 3),
        "missing": msgspec.to_builtins(outcome.missing),
        "struck": list(outcome.struck),
        "journalHead": outcome.journal_head,
    }


# One playing


def _one(outcome: Outcome) -> Iterator[str]:
    head = {
        "passed": "The change goes through",
        "caught": f"Caught {_where(outcome)}",
        "escaped": "ESCAPED",
        "stopped": "It stops",
    }[outcome.verdict]
    if outcome.fault:
        yield f"With the fault {outcome.fault}:"
    yield f"{head}: {outcome.summary}"
    if outcome.failure is not None:
        yield f"  expected         {outcome.failure.expected}"
        yield f"  seen             {outcome.failure.seen}"
        yield f"  why              {outcome.failure.reason}"
        for proof in outcome.failure.evidence:
            yield f"  proof            {proof.source}: {proof.text}"
    for cause in outcome.explained.causes if outcome.explained is not None else ():
        sure = f"{cause.rule}, {cause.confidence.value} confidence"
        yield f"  diagnosis        {cause.message} ({sure})"
    yield f"  nodes touched    {len(outcome.touched)}{_names(outcome.touched)}"
    yield f"  without devices  {outcome.device_minutes:.1f} device-minutes, as nodes report them"
    yield f"  simulated time   {duration_text(round(outcome.duration))}"
    if outcome.struck:
        yield f"  unfit by itself  {', '.join(outcome.struck)}"
    afterwards = [f"{item.node}: {item.what}" for item in outcome.missing]
    if not outcome.missing:
        afterwards = ["every node offers what it offered, and the next pod gets its device"]
    for number, line in enumerate(afterwards):
        yield f"  {'' if number else 'afterwards':<15}  {line}"


def _where(outcome: Outcome) -> str:
    if outcome.failure is None:
        return ""
    return f"in {outcome.stage} by gate {outcome.failure.gate.value} on {outcome.failure.node}"


def _names(names: Sequence[str]) -> str:
    return f": {few(names, 6)}" if names else ""


# Several


def _table(outcomes: Sequence[Outcome]) -> Section:
    header = ("FAULT", "OUTCOME", "CAUGHT IN", "BY GATE", "NODES", "DEV-MIN", "BACK")
    return Section("Faults and what becomes of them", header, tuple(map(_row, outcomes)))


def _row(outcome: Outcome) -> tuple[str, ...]:
    fault = outcome.fault or _AS_IT_IS
    short = fault if len(fault) <= _LONGEST else f"{fault[: _LONGEST - 1]}…"
    failure = outcome.failure
    back = "yes" if outcome.verdict == "caught" and not outcome.struck else "-"
    return (
        short,
        _WORDS[outcome.verdict],
        f"{outcome.stage}: {failure.node}" if failure is not None else "-",
        failure.gate.value if failure is not None else "-",
        str(len(outcome.touched)),
        f"{outcome.device_minutes:.1f}",
        "NO" if outcome.missing else back,
    )


def _together(rehearsal: Rehearsal) -> Iterator[str]:
    """Which failures this plan catches, on how many nodes, and how long without devices."""
    played = [outcome for outcome in rehearsal.outcomes if outcome.fault]
    of = {word: [item for item in played if item.verdict == word] for word in _WORDS}
    caught = of["caught"]
    total = len(rehearsal.plan.nodes)
    yield f"Of {len(played)} failures this plan catches {len(caught)}{_when(caught, total)}."
    if own := [item for item in caught if not item.struck]:
        dearest = max(own, key=lambda item: item.device_minutes)
        yield (
            f"What it catches costs {dearest.device_minutes:.1f} device-minutes at most "
            f"({dearest.fault}), as nodes report them{_but(caught, own)}."
        )
    yield (
        f"Of the others {len(of['passed'])} do no lasting harm, {len(of['stopped'])} stop the run "
        f"and say so, and {len(of['escaped'])} escape."
    )


def _but(caught: Sequence[Outcome], own: Sequence[Outcome]) -> str:
    """Of nodes that go away by themselves it is not the change that costs anything."""
    return ", without nodes that fail by themselves" if len(own) < len(caught) else ""


def _when(caught: Sequence[Outcome], total: int) -> str:
    early = [item for item in caught if item.stage == PREFLIGHT]
    first = [item for item in caught if item not in early and len(item.touched) <= 1]
    worst = max((len(item.touched) for item in caught), default=0)
    if not caught:
        return ""
    return (
        f": {len(early)} before anything is changed, {len(first)} on the first node, "
        f"the others after {worst} of {total} nodes at most"
    )


def _notes(outcomes: Sequence[Outcome]) -> Iterator[str]:
    for outcome in outcomes:
        if outcome.verdict == "stopped":
            yield f"stops: {outcome.fault or _AS_IT_IS}: {outcome.summary}"
        word = "ESCAPED" if outcome.verdict == "escaped" else "not back"
        for item in outcome.missing:
            told = "" if outcome.verdict == "escaped" else f" (told, exit {outcome.exit})"
            yield f"{word}: {outcome.fault or _AS_IT_IS}: {item.node}: {item.what}{told}"
