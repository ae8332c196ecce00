"""What a diagnosis adds to the ending of a run: all of it, as the way back takes the proof."""

from types import SimpleNamespace
from typing import cast

import pytest

from bridgehead.cli.explanation import explanation_json, explanation_lines
from bridgehead.core.diagnose.cause import Action, Blame, RollbackHelps, RuledOut
from bridgehead.core.diagnose.diagnosis import Ranked, TooEarly
from bridgehead.core.diagnose.explained import Explained
from bridgehead.core.findings.finding import ObjectRef, Severity
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.confidence import Confidence
from bridgehead.core.model.json import children
from bridgehead.core.model.snapshot import Unread
from bridgehead.core.rollout.run import Run
from bridgehead.core.rollout.state import NodeStatus

NODES = ("node-1",)
EARLY = TooEarly(component="daemonset/gpu/plugin", node="node-1", text="started 9 s ago", again=51)


BACK = Action(text="go back to the former version", rung="R2")
WAIT = Action(text="wait for the driver")


def cause(rule: str, proofs: int, actions: tuple[Action, ...] = (WAIT,)) -> Ranked:
    return Ranked(
        rule=rule,
        severity=Severity.ERROR,
        confidence=Confidence.HIGH,
        message=f"message of {rule}",
        remedy="",
        object=ObjectRef(),
        nodes=NODES,
        scope="",
        blame=Blame.VERSION,
        evidence=tuple(Evidence(f"log:{number}", "no driver") for number in range(proofs)),
        refuted_by="",
        ruled_out=(RuledOut("a drifted node", "it is sound elsewhere"),),
        actions=actions,
        rollback_helps=RollbackHelps.NO,
        explains=(),
    )


def run(code: int) -> Run:
    """As much of a run as is looked at."""
    status = NodeStatus.TAKEN_BACK if code == 3 else NodeStatus.STUCK
    state = SimpleNamespace(
        ending=SimpleNamespace(exit=code, failure="node-1 failed"),
        nodes={"node-1": SimpleNamespace(status=status)},
    )
    spec = SimpleNamespace(component="daemonset/gpu/plugin")
    found = SimpleNamespace(state=state, plan=SimpleNamespace(spec=spec))
    return cast("Run", found)


def told(explained: Explained, code: int = 3) -> str:
    return "\n".join(explanation_lines(explained, run(code), " --context lab"))


def test_every_cause_is_told_with_its_proofs_and_what_to_do() -> None:
    found = told(Explained(causes=(cause("one", 5), cause("two", 1)), nodes=NODES), 4)
    assert found.splitlines()[:-1] == [
        "  diagnosis  message of one (one, high confidence)",
        "  blame      bad version; a rollback would not help",
        "  proof      log:0: no driver",
        "  proof      log:1: no driver",
        "  proof      log:2: no driver",
        "             and 2 more",
        "  not        a drifted node: it is sound elsewhere",
        "  do first   wait for the driver",
        "  diagnosis  message of two (two, high confidence)",
        "  blame      bad version; a rollback would not help",
        "  proof      log:0: no driver",
        "  not        a drifted node: it is sound elsewhere",
        "  do first   wait for the driver",
    ]


def test_what_has_just_begun_is_too_early_to_say_and_not_without_a_known_cause() -> None:
    found = told(Explained(nodes=NODES, too_early=(EARLY,)))
    assert "too early to say" in found
    assert "started 9 s ago" in found
    assert "no cause is known" not in found


def test_what_was_not_read_is_told_where_no_cause_is_known() -> None:
    found = told(Explained(nodes=NODES, unread=(Unread("events", "forbidden"),)))
    assert "no cause is known, and not everything could be read" in found
    assert "events: forbidden" in found


@pytest.mark.parametrize(("code", "asks_again"), [(3, False), (4, True)])
def test_nodes_are_looked_at_again_only_where_they_are_left_as_they_failed(
    code: int, asks_again: bool
) -> None:
    explained = Explained(causes=(cause("one", 1),), nodes=NODES)
    command = "bridgehead diagnose daemonset/gpu/plugin --node node-1 --context lab"
    assert (command in told(explained, code)) is asks_again
    data = explanation_json(explained, run(code), " --context lab")
    assert data is not None
    assert data["command"] == (command if asks_again else None)


def test_nodes_that_are_back_leave_nothing_to_do_but_to_mend_the_version() -> None:
    found = told(Explained(causes=(cause("one", 1, (BACK, WAIT)),), nodes=NODES), 3)
    assert [line for line in found.splitlines() if "do first" in line] == [
        "  do first   Mend this before it is rolled out again; the proof: "
        "bridgehead journal daemonset/gpu/plugin --context lab"
    ]


@pytest.mark.parametrize(("code", "commands"), [(3, [WAIT]), (4, [BACK, WAIT])])
def test_no_program_is_told_to_undo_what_was_taken_back(code: int, commands: list[Action]) -> None:
    explained = Explained(causes=(cause("one", 1, (BACK, WAIT)),), nodes=NODES)
    data = explanation_json(explained, run(code), "")
    assert data is not None
    (first,) = children(data, "causes")
    assert [item["text"] for item in children(first, "actions")] == [it.text for it in commands]


def test_a_failure_that_another_runner_saw_is_told_as_such() -> None:
    (line,) = explanation_lines(None, run(3), "")
    assert "another runner saw the node fail" in line


def test_programs_get_all_causes() -> None:
    explained = Explained(causes=(cause("one", 5), cause("two", 1)), nodes=NODES)
    data = explanation_json(explained, run(3), "")
    assert data is not None
    assert [item["rule"] for item in data["causes"]] == ["one", "two"]  # type: ignore[index, union-attr, call-overload]
    assert (data["more"], data["tooEarly"]) == (1, [])
