"""Going on after a hold, as a person asked: without the nodes that failed, or with another try."""

from collections.abc import Mapping

import msgspec

from bridgehead.core.journal.entry import Entry
from bridgehead.core.model.json import JsonObject
from bridgehead.core.rollout.decision import Decision, note
from bridgehead.core.rollout.run import Run
from bridgehead.core.rollout.state import Answer, Mode, NodeState, NodeStatus, RunState

FAILED = frozenset({NodeStatus.FAILED, NodeStatus.STUCK, NodeStatus.TAKEN_BACK})
"""Nodes that a run does not pass over without being told to."""


def unanswered(run: Run) -> tuple[NodeState, ...]:
    """Nodes that failed and of which nobody said what is to become of them."""
    return tuple(
        item
        for item in run.state.nodes.values()
        if item.status in FAILED and item.name not in run.state.answers
    )


def answered(run: Run) -> Decision | None:
    """The turn forward, once somebody asked for it and every node that failed has an answer."""
    if not run.state.resumed_by or unanswered(run):
        return None
    chosen = {
        answer: sorted(name for name, given in run.state.answers.items() if given is answer)
        for answer in Answer
    }
    told = [f"{answer.value} {', '.join(names)}" for answer, names in chosen.items() if names]
    detail: JsonObject = {
        "by": run.state.resumed_by,
        "reason": "; ".join((f"as {run.state.resumed_by} asked", *told)),
        **{answer.value: list(names) for answer, names in chosen.items()},
    }
    return Decision(notes=(note("turn", "forward", detail=detail),))


def unfinished(run: Run) -> str:
    """What is still to be said by whoever asked to go on; empty where nobody did."""
    open_ones = unanswered(run)
    if not run.state.resumed_by or not open_ones:
        return ""
    names = ", ".join(item.name for item in open_ones)
    options = " ".join(f"--retry {item.name}" for item in open_ones)
    return (
        f"{run.state.resumed_by} asked to go on, but not what is to become of {names}: "
        f"resume --without {open_ones[0].name}, or resume {options}"
    )


def onward(state: RunState, entry: Entry) -> RunState:  # noqa: ARG001 - facts share one signature
    """The run goes on: what was said of each node is done, and the failure is dealt with."""
    if state.mode not in {Mode.HOLD, Mode.FORWARD}:
        return state
    nodes: Mapping[str, NodeState] = {
        **state.nodes,
        **{
            name: _told(state.node(name), answer, state.resumed_by)
            for name, answer in state.answers.items()
        },
    }
    return msgspec.structs.replace(
        state,
        mode=Mode.FORWARD,
        nodes=nodes,
        failure=None,
        turned_for="",
        resumed_by="",
        answers={},
    )


def _told(node: NodeState, answer: Answer, by: str) -> NodeState:
    """One node after its answer; a node in flight, or one that has passed, is what it was."""
    if node.work is not None:
        return node
    unsound = node.status in {NodeStatus.STUCK, NodeStatus.FAILED} or node.unsound
    match answer:
        case Answer.WITHOUT if node.status in FAILED | {NodeStatus.PENDING}:
            return msgspec.structs.replace(
                node,
                status=NodeStatus.SET_ASIDE,
                reason=f"left out by {by}",
                left_out=True,
                unsound=unsound,
            )
        case Answer.RETRY if node.status in FAILED or node.left_out or node.unsound:
            return msgspec.structs.replace(
                node,
                status=NodeStatus.PENDING,
                reason="",
                left_out=False,
                unsound=unsound,
                failure=node.failure if unsound else None,
                verified=None,
                restart_tested=False,
                touched=0,
                disturbances=0,
                dips=0,
                fewer="",
            )
        case _:
            return node
