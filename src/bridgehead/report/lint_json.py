"""What lint found, for programs: ``bridgehead.dev/lint/v1``."""

from collections.abc import Iterator

import msgspec

from bridgehead.core.findings.result import LintResult, Reported, path_text
from bridgehead.core.model.json import JsonObject
from bridgehead.report.inventory import pretty_json

SCHEMA = "bridgehead.dev/lint/v1"


def lint_json(result: LintResult) -> str:
    """The whole result; files that could not be read are ``unread`` as parts of a cluster are."""
    return pretty_json(
        {
            "schema": SCHEMA,
            "findings": [finding_json(item) for item in result.findings],
            "unread": list(_unread(result)),
            "notKnown": [{"rule": item.rule, "why": item.why} for item in result.not_known],
            "setAside": [{**finding_json(item), "reason": reason} for item, reason in result.aside],
            "passedOver": [
                {"file": item.file, "line": item.line, "what": item.what}
                for item in result.passed_over
            ],
            "defects": [{"rule": item.rule, "error": item.error} for item in result.failures],
            "baseline": {"known": len(result.old), "gone": result.gone},
            "looked": {
                "objects": result.objects,
                "specs": result.specs,
                "files": result.files,
            },
        }
    )


def finding_json(item: Reported) -> JsonObject:
    """A finding with the keys that all commands share, and what it is known by."""
    said = item.finding
    return {
        "rule": said.rule,
        "severity": said.severity.value,
        "confidence": said.confidence.value,
        "message": said.message,
        "remedy": said.remedy,
        "object": msgspec.to_builtins(said.object),
        "node": said.node,
        "file": said.file,
        "line": said.line,
        "column": said.column,
        "path": path_text(item.path),
        "evidence": [{"source": proof.source, "text": proof.text} for proof in said.evidence],
        "fingerprint": item.fingerprint,
    }


def _unread(result: LintResult) -> Iterator[JsonObject]:
    for problem in (*result.asked, *result.problems):
        place = f"{problem.file}:{problem.line}:{problem.column}"
        yield {"what": place, "why": problem.message, "grant": ""}
    for item in result.unread:
        yield {"what": item.what, "why": item.why, "grant": item.grant}
