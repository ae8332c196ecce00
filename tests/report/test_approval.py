"""What an approver sees before consenting."""

import msgspec

from bridgehead.core.rollout.approvals import binding
from bridgehead.core.rollout.run import Run
from bridgehead.core.rollout.state import Mode, NodeState, NodeStatus, RunState
from bridgehead.report.approval import approval_json, approval_of, approval_text
from tests.core.standin.plans import plan_of

PLAN = plan_of(("a1", "a2", "b1", "b2", "b3"))
PASSED = {name: NodeState(name=name, status=NodeStatus.PASSED) for name in ("a1", "b1")}
RUN = Run(name="gpu-1", plan=PLAN, state=RunState(mode=Mode.FORWARD, stage=2, nodes=PASSED))


def test_change_cohorts_and_next_nodes_are_shown() -> None:
    told = approval_text(approval_of(RUN, "afterCanary")).splitlines()
    assert told[0] == f"afterCanary of run gpu-1, {PLAN.spec.component}"
    assert any(" -> " in line for line in told)
    assert "  cohort a: 2 nodes" in told
    assert "  on the new version: a1, b1" in told
    assert "  next: a2, b2, b3" in told
    assert "  placement: every node" in told


def test_placement_is_shown_as_the_template_will_have_it() -> None:
    template = {
        **PLAN.target_template,
        "spec": {**PLAN.target_template["spec"], "nodeSelector": {"gpu": "yes"}},  # type: ignore[dict-item]
    }
    plan = msgspec.structs.replace(PLAN, target_template=template)
    moved = msgspec.structs.replace(RUN, plan=plan)
    assert '  placement: nodeSelector {"gpu":"yes"}' in approval_text(
        approval_of(moved, "afterCanary")
    )


def test_data_holds_what_the_approval_binds() -> None:
    made = approval_json(approval_of(RUN, "afterCanary"))
    found = msgspec.json.decode(msgspec.json.encode(made))
    assert found["binds"] == binding(PLAN)
    assert found["changeDigest"] == PLAN.change_digest
    assert found["next"] == ["a2", "b2", "b3"]
