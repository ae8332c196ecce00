"""What the records of stages, and of their soaks, do to a run's state."""

import msgspec

from bridgehead.core.journal.entry import Entry
from bridgehead.core.model.json import child, text
from bridgehead.core.rollout.state import NodeState, NodeStatus, RunState


def soaking(state: RunState, entry: Entry) -> RunState:
    """The soak of the stage under way begins."""
    return msgspec.structs.replace(state, soak_since=entry.at)


def stage_passed(state: RunState, entry: Entry) -> RunState:  # noqa: ARG001 - facts share one signature
    """One more stage has soaked; what dipped in it may dip once in the next."""
    stage = state.stage + 1
    nodes = {name: _soaked(node, stage) for name, node in state.nodes.items()}
    reached = max(state.reached, stage)
    return msgspec.structs.replace(
        state, nodes=nodes, stage=stage, reached=reached, soak_since=None
    )


def _soaked(node: NodeState, stage: int) -> NodeState:
    """A node after one more stage has passed, and with it all that passed before."""
    passed = node.status is NodeStatus.PASSED
    soaked = max(node.soaked, stage) if passed else 0
    return msgspec.structs.replace(node, dips=0, soaked=soaked)


def consented(state: RunState, entry: Entry) -> RunState:
    """The run goes past a point on somebody's approval, which need not hold any longer."""
    past = state.consented | {text(entry.detail, "point")}
    return msgspec.structs.replace(state, consented=past)


def of_its_stage(state: RunState, entry: Entry) -> RunState:
    """Back to the stage of a node that has to pass again, where the run was past it."""
    own = child(entry.detail, "stage")
    stage = min(state.stage, own) if isinstance(own, int) else state.stage
    return msgspec.structs.replace(state, stage=stage, soak_since=None)
