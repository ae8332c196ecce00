"""What a rehearsal says to people and to programs."""

import json

from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.component import Revision
from bridgehead.core.model.snapshot import Unread
from bridgehead.core.plan.plan import Cost, Plan, Stage, StageKind, Timing
from bridgehead.core.plan.settings import (
    ComponentKind,
    ComponentRef,
    ContainerImage,
    ImagesChange,
    RolloutSpec,
)
from bridgehead.core.rehearsal.outcome import Missing, Outcome, Rehearsal
from bridgehead.core.verify.result import GateId, GateResult, Verdict
from bridgehead.report.inventory import pretty_json
from bridgehead.report.rehearsal import rehearsal_json, rehearsal_text, verdict_line

NODES = ("n1", "n2", "n3")
FAILURE = GateResult(
    gate=GateId.ALLOCATABLE,
    node="n1",
    verdict=Verdict.FAIL,
    expected="a.com/x 8",
    seen="a.com/x 0 of 0",
    reason="not within 240 s",
    evidence=(Evidence(source="log of pod p", text="no devices"),),
)
PASSED = Outcome(exit=0, summary="3 nodes run it", touched=NODES, device_minutes=1.25, duration=945)
CAUGHT = Outcome(
    fault="devices=0",
    exit=3,
    summary="n1 failed; all back",
    stage="canary",
    failure=FAILURE,
    touched=("n1",),
    device_minutes=33.3,
    duration=348,
)
ESCAPED = Outcome(
    fault="allocateError=no",
    exit=0,
    summary="3 nodes run it",
    touched=NODES,
    missing=(Missing(node="n2", what="the next pod is not let in"),),
)
STOPPED = Outcome(fault="api.away=1h", exit=6, summary="cannot reach it")


def _rehearsal(*outcomes: Outcome) -> Rehearsal:
    spec = RolloutSpec(
        name="up",
        component=ComponentRef(ComponentKind.DAEMON_SET, "ns", "plugin"),
        change=ImagesChange((ContainerImage("plugin", "fake:v2"),)),
    )
    plan = Plan(
        spec=spec,
        component_uid="u",
        generation=1,
        resources=("a.com/x",),
        resources_source="named",
        family="generic",
        change_digest="sha256:c",
        plan_digest="sha256:p",
        former=Revision(name="r", hash="h", number=1, template_digest="d"),
        former_template={},
        former_strategy={},
        target_template={},
        cohorts=(),
        stages=(
            Stage(
                name="canary", kind=StageKind.CANARY, nodes=NODES, parallel=1, unproven=1, soak=1
            ),
        ),
        timing=Timing(settle=30, status_period=10, timeout=240),
        cost=Cost(duration=1, device_minutes=1, requests=1),
    )
    return Rehearsal(
        plan=plan,
        at=1_767_225_600.0,
        chance=3,
        outcomes=outcomes,
        assumptions=("images are pulled",),
        unread=(Unread("pods", "forbidden", "list pods"),),
    )


def test_one_playing_is_told_in_full() -> None:
    text = rehearsal_text(_rehearsal(CAUGHT))
    assert "as of 2026-01-01T00:00:00.000Z; 3 nodes to change; seed 3" in text
    assert "With the fault devices=0:" in text
    assert "Caught in canary by gate allocatable on n1: n1 failed; all back" in text
    assert "proof            log of pod p: no devices" in text
    assert "without devices  33.3 device-minutes" in text
    assert "the next pod gets its device" in text
    assert "  - images are pulled" in text


def test_the_change_as_it_is_needs_no_fault_in_its_words() -> None:
    text = rehearsal_text(_rehearsal(PASSED))
    assert "With the fault" not in text
    assert "The change goes through: 3 nodes run it" in text
    assert "simulated time   15m45s" in text


def test_several_are_a_table_and_a_sentence() -> None:
    text = rehearsal_text(_rehearsal(PASSED, CAUGHT, ESCAPED, STOPPED))
    rows = [line.split() for line in text.splitlines()]
    assert ["(none)", "passes", "-", "-", "3", "1.2", "-"] in rows
    assert ["devices=0", "caught", "canary:", "n1", "allocatable", "1", "33.3", "yes"] in rows
    assert ["allocateError=no", "ESCAPED", "-", "-", "3", "0.0", "NO"] in rows
    assert (
        "Of 3 failures this plan catches 1: 0 before anything is changed, 1 on the first node"
        in text
    )
    assert "costs 33.3 device-minutes at most (devices=0)" in text
    assert "0 do no lasting harm, 1 stop the run and say so, and 1 escape." in text
    assert "ESCAPED: allocateError=no: n2: the next pod is not let in" in text
    assert "stops: api.away=1h: cannot reach it" in text


def test_a_long_fault_is_cut_in_the_table_and_whole_as_data() -> None:
    fault = "crashAfter=5s," + "crashMessage=" + "x" * 60
    outcome = Outcome(fault=fault, exit=0, summary="")
    text = rehearsal_text(_rehearsal(PASSED, outcome))
    assert fault not in text
    assert "…" in text
    listed = rehearsal_json(_rehearsal(PASSED, outcome))["outcomes"]
    assert isinstance(listed, list)
    assert listed[1]["fault"] == fault


def test_data_holds_everything() -> None:
    data = json.loads(pretty_json(rehearsal_json(_rehearsal(CAUGHT, ESCAPED))))
    assert data["schema"] == "bridgehead.dev/rehearsal/v1"
    assert data["unread"] == [{"what": "pods", "why": "forbidden", "grant": "list pods"}]
    assert data["good"] is False
    caught, escaped = data["outcomes"]
    assert caught["caught"] == {"stage": "canary", "gate": "allocatable", "node": "n1"}
    assert escaped["verdict"] == "escaped"
    assert escaped["missing"] == [{"node": "n2", "what": "the next pod is not let in"}]


def test_a_line_for_each_while_it_goes_on() -> None:
    assert verdict_line(PASSED) == "the change as it is: passes"
    assert verdict_line(CAUGHT) == "devices=0: caught in canary by gate allocatable on n1"
