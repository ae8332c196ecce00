"""How long one node takes, so that none is begun that cannot be done in time."""

from bridgehead.core.plan.cost import node_seconds
from bridgehead.core.plan.plan import Plan
from bridgehead.core.rollout.run import Run


def planned(plan: Plan) -> float:
    """Seconds that a node is expected to take before any was seen."""
    return node_seconds(plan.timing)


def estimate(run: Run) -> float:
    """Seconds that the next node is expected to take: as long as the slowest one seen so far."""
    return run.state.slowest or planned(run.plan)
