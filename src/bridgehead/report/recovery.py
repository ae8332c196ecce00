"""Recovery for people and programs: which rung fits, what must hold, what was done."""

from collections.abc import Iterable, Iterator

import msgspec

from bridgehead.core.diagnose.trajectory import trajectories
from bridgehead.core.findings.observed import Reading
from bridgehead.core.journal.entry import stamp
from bridgehead.core.model.json import JsonObject, JsonValue
from bridgehead.core.recover.assessment import Assessment
from bridgehead.core.recover.choice import Choice
from bridgehead.core.recover.past import INTERRUPTED, Past
from bridgehead.core.recover.situation import Situation
from bridgehead.report.plain import plain_line

SCHEMA = "bridgehead.dev/recovery/v1"


def choice_text(situation: Situation, choice: Choice, tried: str = "") -> str:
    """One node: what is wrong, the rungs that this asks for, and which of them to take."""
    return "\n".join(map(plain_line, _choice(situation, choice, tried)))


def _choice(situation: Situation, choice: Choice, tried: str) -> Iterator[str]:
    yield f"{situation.plugin.component.ref} on node {situation.node.name}"
    for missing in situation.missing:
        yield f"  shows     {missing}"
    for item in situation.faults:
        yield f"  cause     {item.rule}: {item.message}"
    for item in situation.causes:
        if not item.wrong:
            yield f"  seen      {item.rule}: {item.message}"
    for words in situation.undiagnosed:
        yield f"  unread    {words}"
    for words in choice.first:
        yield f"  first     {words}"
    for assessment in choice.assessments:
        yield from _assessment(assessment)
    if choice.chosen is None:
        yield f"  none      {choice.why}"
        return
    yield f"  take      {choice.chosen.rung.value}: {choice.why}"
    if tried:
        yield f"  tried     {tried}"


def _assessment(item: Assessment) -> Iterator[str]:
    yield f"  {item.rung.value}: {item.rung.title}"
    for condition in item.preconditions:
        yield f"    {condition.verdict.value:<9} {condition.what}: {condition.evidence}"
    for words in item.would:
        yield f"    would     {words}"
    for words in item.would_not:
        yield f"    would not {words}"
    for words in item.risks:
        yield f"    risk      {words}"


def acted_text(
    assessment: Assessment, verified: bool | None, said: str, readings: Iterable[Reading], head: str
) -> str:
    """What was done and whether it has helped."""
    word = {True: "verified", False: "NOT verified", None: "done"}[verified]
    lines = [f"{assessment.rung.value} {word}: {said}", *trajectory_lines(readings)]
    if head:
        lines.append(f"journal of recoveries: {head}")
    return "\n".join(map(plain_line, lines))


def open_end_line(past: Past, journal: str = "") -> str:
    """An earlier recovery of which nobody knows whether it has helped.

    ``journal`` is the command that shows its records; empty where they stand above.
    """
    if past.ended == INTERRUPTED:
        end = "was interrupted before anybody saw whether it has helped"
    else:
        end = "has no end in the journal: it goes on still, or was broken off"
    named = f" ({past.what})" if past.what else ""
    begun = f"begun {stamp(past.at)} by {past.identity}"
    where = f"; {journal} shows it" if journal else ""
    return plain_line(f"{past.rung.value} on node {past.node}{named}, {begun}, {end}{where}")


def open_end_json(component: str, past: Past) -> JsonObject:
    """The same as data."""
    return {
        "component": component,
        "node": past.node,
        "rung": past.rung.value,
        "begun": stamp(past.at),
        "what": past.what,
        "identity": past.identity,
        "result": past.ended,
    }


def trajectory_lines(readings: Iterable[Reading]) -> Iterator[str]:
    """What each resource showed over time: ``4/4 -> 4/0 -> 4/4``."""
    for (node, resource), item in trajectories(readings).items():
        yield f"  {node} {resource}: {' -> '.join(str(stretch) for stretch in item.stretches)}"


def choice_json(situation: Situation, choice: Choice, tried: str) -> JsonObject:
    """One node as data."""
    return {
        "component": situation.plugin.component.ref,
        "node": situation.node.name,
        "missing": [str(item) for item in situation.missing],
        "causes": [item.rule for item in situation.faults],
        "seen": [item.rule for item in situation.causes if not item.wrong],
        "undiagnosed": list(situation.undiagnosed),
        "first": list(choice.first),
        "rungs": [_as_json(item) for item in choice.assessments],
        "take": choice.chosen.rung.value if choice.chosen else None,
        "why": choice.why,
        "tried": tried,
    }


def _as_json(item: Assessment) -> JsonObject:
    return {
        "rung": item.rung.value,
        "ready": item.ready,
        "preconditions": [
            {"what": it.what, "verdict": it.verdict.value, "evidence": it.evidence}
            for it in item.preconditions
        ],
        "would": list(item.would),
        "wouldNot": list(item.would_not),
        "risks": list(item.risks),
    }


def acted_json(
    assessment: Assessment, verified: bool | None, said: str, readings: Iterable[Reading], head: str
) -> JsonObject:
    """What was done as data."""
    every: list[JsonValue] = [msgspec.to_builtins(item) for item in readings]
    return {
        "rung": assessment.rung.value,
        "verified": verified,
        "summary": said,
        "readings": every,
        "journalHead": head,
    }
