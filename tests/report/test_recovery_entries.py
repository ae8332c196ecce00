"""Records of recovery, as a person reads them."""

import pytest

from bridgehead.core.journal.entry import Entry, Evidence, Phase
from bridgehead.core.model.json import JsonObject
from bridgehead.report.entry_text import entry_lines


def entry(phase: Phase, result: str, detail: JsonObject) -> Entry:
    return Entry(
        seq=1,
        time="2026-01-31T12:00:00.000Z",
        run="recoveries.daemonset.gpu.plugin",
        owner="team",
        identity="me",
        step="recover",
        phase=phase,
        node="n1",
        result=result,
        detail={"rung": "R1", **detail},
        evidence=(Evidence("the node is Ready", "met: True"),) if phase is Phase.INTENT else (),
    )


@pytest.mark.parametrize(
    ("phase", "result", "detail", "line"),
    [
        (Phase.INTENT, "", {"what": "gpu/plugin-1"}, "n1: R1 begins: gpu/plugin-1"),
        (Phase.OUTCOME, "done", {"message": "deleted"}, "n1: R1 done: deleted"),
        (
            Phase.OUTCOME,
            "failed",
            {"message": "forbidden"},
            "n1: R1 did not happen (failed): forbidden",
        ),
        (Phase.NOTE, "verified", {"reason": "back"}, "n1: R1 verified: back"),
        (Phase.NOTE, "failed", {"reason": "not back"}, "n1: R1 has NOT helped: not back"),
    ],
)
def test_each_record_has_its_line(phase: Phase, result: str, detail: JsonObject, line: str) -> None:
    assert entry_lines(entry(phase, result, detail))[0] == line


def test_what_was_met_before_it_began_stands_below() -> None:
    lines = entry_lines(entry(Phase.INTENT, "", {"what": "gpu/plugin-1"}))
    assert lines[1] == "    the node is Ready: met: True"
