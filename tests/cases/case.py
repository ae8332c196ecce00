"""A case: what is true of a recorded state, and in what an answer falls short of it."""

from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import Any

import msgspec
import yaml

from bridgehead.app.diagnose import diagnosed
from bridgehead.app.lint import lint
from bridgehead.app.observed_recording import ObservedRecording, read_observed
from bridgehead.core.diagnose.diagnosis import Diagnosis, Ranked
from bridgehead.core.diagnose.question import EVERYTHING
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.result import LintResult
from bridgehead.sources.lint_files import read_paths

HERE = Path(__file__).parent
RUNBOOK = "runbook"
MANIFESTS = ""
"""No rung: a change of manifests or configuration, or a look at what to change."""
UNEXPLAINED = "unexplained"
"""The rule of what no other rule explains: that somebody said "I do not know"."""


class Origin(Enum):
    """Where a state comes from."""

    RECONSTRUCTED = "reconstructed"
    CAPTURED = "captured"


class Expected(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """``expected.yaml``, as in the README of this folder; None where something is not compared."""

    title: str
    case: str
    references: list[str] = []
    origin: Origin
    healthy: bool | None
    first: list[str] = []
    nodes: list[str] | None = None
    blame: list[str] | None = None
    rungs: list[str] = []
    why_no_rung: str = ""
    never: list[str] = []
    rollback: list[str] | None = None
    lint: list[str] = []
    early: list[str] = []
    silent: list[str] = []


class Case(msgspec.Struct, frozen=True):
    """A folder with what is true of it."""

    name: str
    folder: Path
    expected: Expected

    @property
    def public(self) -> bool:
        """Whether it is a public report, and not a healthy state that only looks bad."""
        return self.expected.case != "healthy"

    def read(self) -> ObservedRecording:
        """The recorded state."""
        return read_observed(self.folder / "state")

    def diagnosed(self) -> Diagnosis:
        """What diagnosis says of it."""
        return diagnosed(self.read().observed, EVERYTHING)

    def linted(self) -> LintResult:
        """What lint says of its manifests, with the state as the cluster."""
        return lint(read_paths([self.folder / "manifests"]), self.read().observed)


class Verdict(Enum):
    """How an answer compares with the truth."""

    RIGHT_FIRST = "right first"
    IN_TOP_3 = "in the top 3"
    WRONG = "wrong"
    UNKNOWN = "unknown"
    SILENT = "silent on healthy"
    FALSE_ALARM = "false alarm"


def cases() -> tuple[Case, ...]:
    """All of them, in the order of their names."""
    found = sorted(HERE.glob("*/expected.yaml"))
    return tuple(Case(path.parent.name, path.parent, _expected(path)) for path in found)


def _expected(path: Path) -> Expected:
    document: Any = yaml.load(path.read_text(encoding="utf-8"), yaml.CSafeLoader)
    return msgspec.convert(document, type=Expected)


def verdict(case: Case, answer: Diagnosis) -> Verdict:
    """What the ranking is worth, whatever the causes say besides."""
    rules = [cause.rule for cause in answer.causes]
    if case.expected.healthy and _alarms(answer):
        return Verdict.FALSE_ALARM
    if not case.expected.first:
        return Verdict.SILENT
    if rules and rules[0] in case.expected.first:
        return Verdict.RIGHT_FIRST
    if any(rule in case.expected.first for rule in rules[:3]):
        return Verdict.IN_TOP_3
    return Verdict.WRONG if any(rule != UNEXPLAINED for rule in rules) else Verdict.UNKNOWN


def _alarms(answer: Diagnosis) -> list[Ranked]:
    return [cause for cause in answer.causes if cause.severity is not Severity.INFO]


def shortfalls(case: Case, answer: Diagnosis) -> Iterator[str]:
    """Everything in which the answer is not the truth, in words."""
    expected = case.expected
    yield from (f"{failure.rule} crashed: {failure.error}" for failure in answer.failures)
    if expected.healthy:
        for cause in _alarms(answer):
            yield f"nothing is wrong, and {cause.rule} says: {cause.message}"
        if answer.healthy is not (None if expected.early or expected.silent else True):
            yield f"healthy is {answer.healthy}"
    early = sorted({item.node for item in answer.too_early})
    if early != expected.early:
        yield f"too early to judge are {early}, expected {expected.early}"
    silent = sorted(item.what.removeprefix("node ") for item in answer.unread)
    if expected.healthy and silent != expected.silent:
        yield f"nothing is known of {silent}, expected {expected.silent}"
    yield from _never(expected, answer)
    if not expected.first:
        return
    if not answer.causes:
        yield f"no cause, expected {_or(expected.first)}"
        return
    first = answer.causes[0]
    if first.rule not in expected.first:
        yield f"first is {first.rule}, expected {_or(expected.first)}"
        return
    yield from _of_cause(expected, first)


def _of_cause(expected: Expected, cause: Ranked) -> Iterator[str]:
    if expected.nodes is not None and sorted(expected.nodes) != sorted(cause.nodes):
        yield f"nodes are {', '.join(cause.nodes)}, expected {', '.join(expected.nodes)}"
    if expected.blame is not None and cause.blame.value not in expected.blame:
        yield f"blame is {cause.blame.value}, expected {_or(expected.blame)}"
    yield from _of_actions(expected, cause)
    helps = cause.rollback_helps.value
    if expected.rollback is not None and helps not in expected.rollback:
        yield f"rollback helps is {helps}, expected {_or(expected.rollback)}"
    if not cause.evidence:
        yield "no evidence is quoted"
    if not cause.refuted_by:
        yield "nothing is said that would refute it"
    if not cause.ruled_out:
        yield "no rival is ruled out"


def _of_actions(expected: Expected, cause: Ranked) -> Iterator[str]:
    if not any(action.text or action.command for action in cause.actions):
        yield "it does not say what to do"
        return
    allowed = {*expected.rungs, MANIFESTS}
    for action in cause.actions:
        if action.rung not in allowed:
            yield f"rung {action.rung} is not among those allowed: {action.text}"
    wanted = expected.rungs or [MANIFESTS]
    if not any(action.rung in wanted for action in cause.actions):
        yield f"no action has {_or([rung or 'no rung' for rung in wanted])}"


def misquoted(case: Case, answer: Diagnosis) -> Iterator[str]:
    """Quoted log lines that do not stand so, word for word, at that place of a recorded log."""
    observed = case.read().observed
    logs = {f"log {key}": log for key, log in observed.logs.items()}
    for node, seen in observed.evidence.items():
        if seen.kubelet_log is not None:
            logs[f"kubelet log of {node}"] = seen.kubelet_log
    for cause in answer.causes:
        for quote in cause.evidence:
            source, _, number = quote.source.rpartition(":")
            if not quote.source.startswith(("log ", "kubelet log ")):
                continue
            log = logs.get(source)
            lines = log.lines if log is not None else ()
            if not any(
                line == quote.text and log is not None and str(log.number_of(index)) == number
                for index, line in enumerate(lines)
            ):
                yield f"{cause.rule} quotes {quote.source}, where it does not stand: {quote.text}"


def _never(expected: Expected, answer: Diagnosis) -> Iterator[str]:
    for cause in answer.causes:
        for action in cause.actions:
            if action.rung in expected.never:
                yield f"{cause.rule} proposes {action.rung}, never to be done: {action.text}"
            for command in expected.never:
                if command in action.command and action.rung != RUNBOOK:
                    yield f"{cause.rule} proposes {command} outside a runbook: {action.command}"


def _or(names: list[str]) -> str:
    return " or ".join(names)
