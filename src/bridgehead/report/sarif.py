"""What lint found as SARIF 2.1.0, with the rules' cards as help.

Source: https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/sarif-v2.1.0-os.html and, of what code
scanning makes of it, https://docs.github.com/en/code-security/code-scanning/integrating-with-code-scanning/sarif-support-for-code-scanning
"""

from collections.abc import Iterable, Iterator, Sequence
from urllib.parse import quote

from bridgehead import __version__
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.result import LintResult, Reported
from bridgehead.core.findings.rule import Rule
from bridgehead.core.model.json import JsonObject, JsonValue
from bridgehead.core.model.problem import Problem
from bridgehead.report.inventory import pretty_json

_SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}


def lint_sarif(result: LintResult, rules: Sequence[Rule]) -> str:
    """One run. What comments set aside is there as suppressed, what a baseline knows as unchanged.

    ``rules`` are all that lint has; those that were found to say something are described.
    """
    every: list[tuple[Reported, JsonObject]] = [
        *((item, {}) for item in result.findings),
        *((item, {"baselineState": "unchanged"}) for item in result.old),
        *((item, {"suppressions": [_suppression(reason)]}) for item, reason in result.aside),
    ]
    named = {item.finding.rule for item, _ in every}
    described = [rule for rule in rules if rule.name in named]
    numbers = {rule.name: number for number, rule in enumerate(described)}
    marks_new = bool(result.old or result.gone)
    run: JsonObject = {
        "tool": {
            "driver": {
                "name": "bridgehead",
                "version": __version__,
                "rules": [_rule(rule) for rule in described],
            }
        },
        "columnKind": "unicodeCodePoints",
        "results": [
            {**({"baselineState": "new"} if marks_new else {}), **_result(item, numbers), **more}
            for item, more in every
        ],
        "invocations": [_invocation(result)],
    }
    return pretty_json({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]})


def _rule(rule: Rule) -> JsonObject:
    card = rule.card
    text = f"{card.finds}\n\nWhy: {card.why}\n\nSure: {card.sure}\n\nDo: {card.do}"
    marked = f"{card.finds}\n\n**Why:** {card.why}\n\n**Sure:** {card.sure}\n\n**Do:** {card.do}"
    return {
        "id": rule.name,
        "shortDescription": {"text": card.title},
        "fullDescription": {"text": card.finds},
        "help": {"text": text, "markdown": marked},
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
        "properties": {"precision": _PRECISION[rule.confidence.value], "tags": ["kubernetes"]},
    }


_PRECISION = {"high": "very-high", "medium": "high", "low": "medium"}
"""What code scanning shows of how sure a rule is."""


def _result(item: Reported, numbers: dict[str, int]) -> JsonObject:
    said = item.finding
    proofs = "".join(f"\n{proof.source}: {proof.text}" for proof in said.evidence)
    location: dict[str, JsonValue] = {}
    if said.file:
        location["physicalLocation"] = _physical(said.file, said.line, said.column)
    if said.object.kind:
        location["logicalLocations"] = [
            {"fullyQualifiedName": str(said.object), "kind": "resource"}
        ]
    found: dict[str, JsonValue] = {
        "ruleId": said.rule,
        "level": _LEVELS[said.severity],
        "message": {"text": f"{said.message}\n{said.remedy}{proofs}"},
        "partialFingerprints": {"bridgehead/v1": item.fingerprint},
        "locations": [location] if location else [],
    }
    if said.rule in numbers:
        found["ruleIndex"] = numbers[said.rule]
    return found


def _physical(file: str, line: int, column: int) -> JsonObject:
    region = {"startLine": max(line, 1), "startColumn": max(column, 1)}
    return {"artifactLocation": {"uri": quote(file)}, "region": region}


def _suppression(reason: str) -> JsonObject:
    return {"kind": "inSource", "status": "accepted", "justification": reason}


def _invocation(result: LintResult) -> JsonObject:
    """Whether everything was read and every rule was asked; what was not is a notification."""
    notes = [*_unread(result), *_failed(result)]
    return {"executionSuccessful": not notes, "toolExecutionNotifications": notes}


def _unread(result: LintResult) -> Iterator[JsonObject]:
    for problem in _problems(result):
        yield {
            "level": "error",
            "message": {"text": f"not read: {problem.message}"},
            "locations": [
                {"physicalLocation": _physical(problem.file, problem.line, problem.column)}
            ],
        }
    for item in result.unread:
        yield {"level": "warning", "message": {"text": f"not read: {item.what}: {item.why}"}}


def _failed(result: LintResult) -> Iterator[JsonObject]:
    for failure in result.failures:
        text = f"defect of bridgehead: rule {failure.rule} failed: {failure.error}"
        yield {"level": "error", "message": {"text": text}}


def _problems(result: LintResult) -> Iterable[Problem]:
    return (*result.asked, *result.problems)
