"""A pass over a node as it stands: its gates are asked, nothing is deleted."""

from bridgehead.core.rollout.commands import Baseline, Purpose
from bridgehead.core.rollout.state import NodeState, Work
from bridgehead.core.verify.result import GateResult


def standing_pass(name: str, baseline: Baseline, now: float, probe: GateResult | None) -> NodeState:
    """A node whose current pod is to be verified; with ``probe`` given, none is started."""
    work = Work(purpose=Purpose.RESTART, since=now, cordoned_at=now, deleted_at=now, probe=probe)
    return NodeState(name=name, work=work, baseline=baseline)
