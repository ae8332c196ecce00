"""What lint found as SARIF: of the form that the standard's schema asks for, with rules as help."""

import json
from typing import Any

from bridgehead.core.findings.finding import Severity
from bridgehead.report.sarif import lint_sarif
from bridgehead.rules.lint.catalogue import FILES, LINT
from tests.core.findings.lint_values import rule
from tests.report.lint_results import EMPTY, FULL

RULES = tuple(rule(name) for name in ("aside", "fault", "unused", "milder", "old"))
TEXT = {"text": str}
REGION = {"startLine": int, "startColumn": int}
PHYSICAL = {"artifactLocation": {"uri": str}, "region": REGION}
LEVEL = {"none", "note", "warning", "error"}
LOCATION = {
    "physicalLocation?": PHYSICAL,
    "logicalLocations?": [{"fullyQualifiedName": str, "kind": str}],
}
SCHEMA = {
    "$schema": str,
    "version": {"2.1.0"},
    "runs": [
        {
            "tool": {
                "driver": {
                    "name": str,
                    "version": str,
                    "rules": [
                        {
                            "id": str,
                            "shortDescription": TEXT,
                            "fullDescription": TEXT,
                            "help": {"text": str, "markdown": str},
                            "defaultConfiguration": {"level": LEVEL},
                            "properties": {"precision": str, "tags": [str]},
                        }
                    ],
                }
            },
            "columnKind": {"utf16CodeUnits", "unicodeCodePoints"},
            "invocations": [
                {
                    "executionSuccessful": bool,
                    "toolExecutionNotifications": [
                        {"level": LEVEL, "message": TEXT, "locations?": [LOCATION]}
                    ],
                }
            ],
            "results": [
                {
                    "ruleId": str,
                    "ruleIndex?": int,
                    "level": LEVEL,
                    "message": TEXT,
                    "locations": [LOCATION],
                    "partialFingerprints": {"bridgehead/v1": str},
                    "baselineState?": {"new", "unchanged", "updated", "absent"},
                    "suppressions?": [
                        {
                            "kind": {"inSource", "external"},
                            "status": {"accepted", "underReview", "rejected"},
                            "justification": str,
                        }
                    ],
                }
            ],
        }
    ],
}
"""The part of the schema that is written: it allows no other keys in these objects.

Source: https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json
"""


def _fits(value: Any, shape: Any, path: str = "$") -> None:
    """Fails where a value is not of the shape; names of keys that may be missing end in ``?``."""
    match shape:
        case dict():
            allowed = {key.removesuffix("?"): inner for key, inner in shape.items()}
            needed = {key for key in shape if not key.endswith("?")}
            assert needed <= set(value) <= set(allowed), f"{path}: {sorted(value)}"
            for key, inner in value.items():
                _fits(inner, allowed[key], f"{path}.{key}")
        case list():
            assert isinstance(value, list), path
            for number, inner in enumerate(value):
                _fits(inner, shape[0], f"{path}[{number}]")
        case set():
            assert value in shape, f"{path}: {value}"
        case _:
            assert type(value) is shape, f"{path}: {value}"


def _run() -> Any:
    return json.loads(lint_sarif(FULL, RULES))["runs"][0]


def test_it_is_of_the_form_that_the_schema_asks_for() -> None:
    for result in (FULL, EMPTY):
        _fits(json.loads(lint_sarif(result, (*RULES, *LINT, *FILES))), SCHEMA)


def test_rules_that_said_something_are_described_and_results_point_to_them() -> None:
    run = _run()
    rules = run["tool"]["driver"]["rules"]
    assert [item["id"] for item in rules] == ["aside", "fault", "milder", "old"]
    for result in run["results"]:
        if "ruleIndex" in result:
            assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
    assert "**Do:** mend it." in rules[0]["help"]["markdown"]


def test_places_are_where_code_scanning_looks_for_them() -> None:
    (place,) = _run()["results"][0]["locations"]
    assert place["physicalLocation"]["artifactLocation"]["uri"] == "dir/a.yaml"
    assert place["physicalLocation"]["region"] == {"startLine": 7, "startColumn": 5}
    assert place["logicalLocations"][0]["fullyQualifiedName"] == "DaemonSet/gpu/plugin"


def test_names_of_files_are_uris() -> None:
    notes = _run()["invocations"][0]["toolExecutionNotifications"]
    uris = [
        note["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        for note in notes
        if "locations" in note
    ]
    assert uris == ["gone%2C1%3A2.yaml", "b%20c.yaml"]


def test_what_was_set_aside_or_is_old_is_marked() -> None:
    results = {item["ruleId"]: item for item in _run()["results"]}
    assert results["aside"]["suppressions"][0]["justification"] == "known & accepted"
    assert results["old"]["baselineState"] == "unchanged"
    assert results["fault"]["baselineState"] == "new"
    assert "suppressions" not in results["fault"]


def test_severities_have_their_levels() -> None:
    levels = {item["ruleId"]: item["level"] for item in _run()["results"]}
    assert (levels["fault"], levels["milder"], levels["a-remark"]) == ("error", "warning", "note")
    assert len(Severity) == 3


def test_a_run_that_could_not_read_everything_was_no_success() -> None:
    invocation = _run()["invocations"][0]
    texts = [item["message"]["text"] for item in invocation["toolExecutionNotifications"]]
    assert not invocation["executionSuccessful"]
    assert any("rule broken failed" in text for text in texts)
    assert any("pods: forbidden" in text for text in texts)
    empty = json.loads(lint_sarif(EMPTY, ()))["runs"][0]["invocations"][0]
    assert empty == {"executionSuccessful": True, "toolExecutionNotifications": []}
