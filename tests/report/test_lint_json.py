"""What lint found, for programs."""

import json

from bridgehead.report.lint_json import lint_json
from tests.report.lint_results import EMPTY, FULL


def test_a_finding_has_the_keys_that_all_commands_share() -> None:
    document = json.loads(lint_json(FULL))
    first = document["findings"][0]
    assert document["schema"] == "bridgehead.dev/lint/v1"
    assert first["object"] == {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "namespace": "gpu",
        "name": "plugin",
    }
    assert {key: first[key] for key in ("rule", "severity", "confidence", "file", "line")} == {
        "rule": "fault",
        "severity": "error",
        "confidence": "high",
        "file": "dir/a.yaml",
        "line": 7,
    }
    assert (first["column"], first["path"], first["node"]) == (5, "spec.replicas", "")
    assert first["evidence"] == [{"source": "node n1", "text": "taint <a&b>"}]
    assert len(first["fingerprint"]) == 32


def test_files_that_could_not_be_read_are_unread_as_kinds_of_a_cluster_are() -> None:
    unread = json.loads(lint_json(FULL))["unread"]
    assert [item["what"] for item in unread] == ["gone,1:2.yaml:1:1", "b c.yaml:3:4", "pods"]
    assert unread[2]["grant"] == "list pods"


def test_what_is_not_known_set_aside_passed_over_or_broken_is_there() -> None:
    document = json.loads(lint_json(FULL))
    assert [item["why"] for item in document["notKnown"]] == ["no cluster", "no node"]
    assert document["setAside"][0]["reason"] == "known & accepted"
    assert len(document["passedOver"]) == 5
    assert document["defects"] == [{"rule": "broken", "error": "ValueError: x"}]
    assert document["baseline"] == {"known": 1, "gone": 2}


def test_nothing_found_is_a_document_with_the_same_keys() -> None:
    assert set(json.loads(lint_json(EMPTY))) == set(json.loads(lint_json(FULL)))
