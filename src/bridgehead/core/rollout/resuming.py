"""Going on after a hold, as a person asked: without the nodes that failed, or with another try."""

from collections.abc import Mapping

import msgspec

from bridgehead.core.journal.entry import Entry
from bridgehead.core.model.json import JsonObject, child
from bridgehead.core.rollout.decision import Decision, note
from bridgehead.core.rollout.run import Run
from bridgehead.core.rollout.state import Answer, Mode, NodeState, NodeStatus, RunState

STOPPED = 4
"""Exit of a run that stopped for a person."""

FAILED = frozenset({NodeStatus.FAILED, NodeStatus.STUCK, NodeStatus.TAKEN_BACK})
"""Nodes that a run does not pass over without being told to."""


def unanswered(run: Run) -> tuple[NodeState, ...]:
    """Nodes that failed and of which nobody said what is to become of them."""
    return tuple(
        item
        for item in run.state.nodes.values()
        if item.status in FAILED and item.name not in run.state.answers
    )


def fits(run: Run, name: str, answer: Answer) -> bool:
    """Left out is what failed or has not had its turn; tried again, what failed or was set aside.

    So is what was left with nothing proven of it: it is cordoned, and nothing else ends that.
    What loses the component does so with the template, whatever is said of it.
    """
    node = run.state.node(name)
    if name in run.plan.loses:
        return False
    if answer is Answer.RETRY:
        return node.status in FAILED | {NodeStatus.SET_ASIDE} or node.left_out or node.unsound
    return node.status in FAILED | {NodeStatus.PENDING}


def put_off(run: Run) -> tuple[str, ...]:
    """Nodes that going on alone has tried again: those that the run set aside before it stopped.

    The person mended, or ended, what kept them; what a person left out stays left out. Where nodes
    failed, or somebody else's write stopped the run, it did not stop for these.
    """
    state = run.state
    ending = state.ending
    if state.mode not in {Mode.FORWARD, Mode.HOLD} or ending is None or ending.exit != STOPPED:
        return ()
    if ending.stray is not None or unanswered(run):
        return ()
    return tuple(
        item.name
        for item in state.nodes.values()
        if item.status is NodeStatus.SET_ASIDE and not item.left_out and item.work is None
    )


def in_gap(node: NodeState) -> bool:
    """Whether its pod was deleted, or another one came: what becomes of that decides first."""
    return node.work is not None and node.work.deleted_at is not None


def answered(run: Run) -> Decision | None:
    """The turn forward, once somebody asked for it and every node that failed has an answer.

    What was said of a node in the gap waits until its pass is over, as that cannot be called off.
    """
    state = run.state
    if not state.resumed_by or unanswered(run):
        return None
    due = {name: said for name, said in state.answers.items() if not in_gap(state.node(name))}
    if state.answers and not due:
        return None
    vain = sorted(name for name, said in due.items() if not fits(run, name, said))
    chosen = {
        answer: sorted(name for name, said in due.items() if said is answer and name not in vain)
        for answer in Answer
    }
    told = [f"{answer.value} {', '.join(names)}" for answer, names in chosen.items() if names]
    late = [f"too late for {name}, which is {state.node(name).status.value}" for name in vain]
    detail: JsonObject = {
        "by": state.resumed_by,
        "reason": "; ".join((f"as {state.resumed_by} asked", *told, *late)),
        **{answer.value: list(names) for answer, names in chosen.items()},
        "late": list(vain),
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


def onward(state: RunState, entry: Entry) -> RunState:
    """The run goes on: the record's answers are done, and the failure is dealt with."""
    if state.mode not in {Mode.HOLD, Mode.FORWARD}:
        return state
    done = {name: answer for answer in Answer for name in _names(entry, answer.value)}
    nodes: Mapping[str, NodeState] = {
        **state.nodes,
        **{
            name: _told(state.node(name), answer, state.resumed_by, entry.at)
            for name, answer in done.items()
        },
    }
    over = {*done, *_names(entry, "late")}
    left = {name: answer for name, answer in state.answers.items() if name not in over}
    return msgspec.structs.replace(
        state,
        mode=Mode.FORWARD,
        nodes=nodes,
        failure=None,
        turned_for="",
        resumed_by=state.resumed_by if left else "",
        answers=left,
    )


def _names(entry: Entry, which: str) -> list[str]:
    found = child(entry.detail, which)
    return [str(name) for name in found] if isinstance(found, list) else []


def _told(node: NodeState, answer: Answer, by: str, at: float) -> NodeState:
    """One node after its answer. Left out, its pass is called off, as nothing was deleted yet."""
    if answer is Answer.RETRY and node.work is not None:
        return node
    unsound = node.status in {NodeStatus.STUCK, NodeStatus.FAILED} or node.unsound
    match answer:
        case Answer.WITHOUT:
            return msgspec.structs.replace(
                node,
                work=None,
                status=NodeStatus.SET_ASIDE,
                reason=f"left out by {by}",
                left_out=True,
                unsound=unsound,
            )
        case Answer.RETRY:
            return msgspec.structs.replace(
                node,
                status=NodeStatus.PENDING,
                retried_at=at,
                reason="",
                left_out=False,
                waits_since=None,
                fewer_since=None,
                unsound=unsound,
                failure=node.failure if unsound else None,
                verified=None,
                restart_tested=False,
                touched=0,
                disturbances=0,
                dips=0,
                fewer="",
            )
