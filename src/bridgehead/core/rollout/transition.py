"""From one state of a run to the next: the meaning of each journal record.

``fold`` of a run's records is its state, so a runner that takes over knows what the first one knew.
Records of an unknown step are refused, never skipped: they may be from a newer bridgehead.
"""

from collections.abc import Iterable, Mapping

import msgspec

from bridgehead.core.journal.entry import Entry, Phase
from bridgehead.core.model.json import child, text
from bridgehead.core.rollout.commands import (
    Command,
    Cordon,
    CreateOwnPod,
    DeleteOwnPod,
    DeletePod,
    Evict,
    Flip,
    LetGo,
    Position,
    Purpose,
    RestoreStrategy,
    Role,
    TakeOver,
    Uncordon,
    decode,
    key,
)
from bridgehead.core.rollout.facts import fact
from bridgehead.core.rollout.state import NodeState, RunState, Work, with_node

DONE = "done"
"""Result of an outcome whose effect is in the cluster."""
LAPSED = "lapsed"
"""Result of an outcome whose effect is not there: it will be decided again if still wanted."""
REFUSED = "refused"
"""Result of an outcome that the API server forbids for good: deciding it again would not help."""


class UnknownRecordError(Exception):
    """A journal holds a record that this version of bridgehead does not understand."""

    def __init__(self, entry: Entry) -> None:
        super().__init__(
            f"record {entry.seq} of run {entry.run} is of step {entry.step!r} "
            f"({entry.phase.value}, {entry.result!r}), which this version of bridgehead does not "
            "know; use the version that wrote it"
        )


def fold(entries: Iterable[Entry], state: RunState | None = None) -> RunState:
    """The state after the given records. Raises UnknownRecordError."""
    current = state or RunState()
    for entry in entries:
        current = transition(current, entry)
    return current


def transition(state: RunState, entry: Entry) -> RunState:
    """The state after one more record. Raises UnknownRecordError."""
    match entry.phase:
        case Phase.INTENT:
            after = _intended(state, entry)
        case Phase.OUTCOME:
            after = _settled(state, entry)
        case Phase.NOTE:
            noted = fact(state, entry)
            if noted is None:
                raise UnknownRecordError(entry)
            after = noted
    return msgspec.structs.replace(after, last_seq=entry.seq, last_at=entry.at)


def _command(entry: Entry) -> Command:
    try:
        return decode(entry.detail)
    except msgspec.ValidationError as error:
        raise UnknownRecordError(entry) from error


def _intended(state: RunState, entry: Entry) -> RunState:
    """An intent takes effect at once where a late answer must not be missed."""
    command = _command(entry)
    pending = {**state.pending, key(command): command}
    state = msgspec.structs.replace(state, pending=pending)
    match command:
        case Cordon():
            node = state.node(command.node)
            work = Work(purpose=command.purpose, since=entry.at)
            return with_node(state, node.begun(work, command.baseline))
        case CreateOwnPod():
            node = state.node(command.node)
            own = {**node.own_pods, command.role: entry.at}
            return with_node(state, msgspec.structs.replace(node, own_pods=own))
        case Evict(uid=uid):
            return with_node(state, _asked(state.node(command.node), uid, entry.at))
        case _:
            return state


def _asked(node: NodeState, uid: str, at: float) -> NodeState:
    if node.work is None:
        return node
    work = msgspec.structs.replace(node.work, asked={**node.work.asked, uid: at})
    return msgspec.structs.replace(node, work=work)


def _settled(state: RunState, entry: Entry) -> RunState:
    name = text(entry.detail, "key")
    command = state.pending.get(name)
    if command is None:
        raise UnknownRecordError(entry)
    pending = {key: value for key, value in state.pending.items() if key != name}
    state = msgspec.structs.replace(state, pending=pending)
    if entry.result != DONE:
        return _lapsed(state, command, entry)
    return _done(state, command, entry)


def _lapsed(state: RunState, command: Command, entry: Entry) -> RunState:
    """An effect that is not there: a pass that could not even cordon has not begun."""
    match command:
        case Cordon(node=name):
            node = state.node(name)
            if node.work is not None and node.work.cordoned_at is None:
                return with_node(state, msgspec.structs.replace(node, work=None))
            return state
        case CreateOwnPod(node=name, role=role):
            node = state.node(name)
            refused = dict(node.refused_pods)
            if entry.result == REFUSED:
                refused[role] = text(entry.detail, "message")
            own = _without(node.own_pods, role)
            return with_node(
                state, msgspec.structs.replace(node, own_pods=own, refused_pods=refused)
            )
        case _:
            return state


def _done(state: RunState, command: Command, entry: Entry) -> RunState:
    match command:
        case TakeOver():
            return msgspec.structs.replace(
                _written(state, entry), taken_over=True, restored=False, retakes=False
            )
        case Flip(to=position, protects=protects):
            state = _parked(state) if position is Position.FORMER else state
            flipped = msgspec.structs.replace(
                _written(state, entry), template=position, put_back=protects
            )
            return _losing(flipped, entry) if position is Position.TARGET else flipped
        case RestoreStrategy():
            return msgspec.structs.replace(_written(state, entry), restored=True)
        case LetGo():
            return msgspec.structs.replace(state, let_go=True)
        case _:
            return with_node(state, _node_done(state.node(command.node), command, entry))


def _parked(state: RunState) -> RunState:
    """The former template is back: nodes whose pod was deleted may get a successor of it."""
    for node in state.working:
        if node.work is not None and node.work.deleted_at is not None:
            work = msgspec.structs.replace(node.work, parked=node.work.parked + 1)
            state = with_node(state, msgspec.structs.replace(node, work=work))
    return state


def _losing(state: RunState, entry: Entry) -> RunState:
    """The target template takes the component off all nodes that are to lose it, at once."""
    for node in state.working:
        if node.work is not None and node.work.purpose is Purpose.LOSE:
            work = msgspec.structs.replace(node.work, deleted_at=entry.at)
            state = with_node(state, msgspec.structs.replace(node, work=work))
    return state


def _node_done(node: NodeState, command: Command, entry: Entry) -> NodeState:
    match command:
        case Cordon():
            work = node.work or Work(purpose=command.purpose, since=entry.at)
            since = node.held_since or work.since
            work = msgspec.structs.replace(work, cordoned_at=entry.at)
            return msgspec.structs.replace(
                node, held=True, held_since=since, disowned=False, work=work
            )
        case Uncordon():
            return msgspec.structs.replace(node, held=False, held_since=0.0, disowned=False)
        case DeletePod(uid=uid):
            return _pod_deleted(node, uid, entry)
        case CreateOwnPod(role=role):
            return msgspec.structs.replace(node, own_pods={**node.own_pods, role: entry.at})
        case DeleteOwnPod(role=role):
            return msgspec.structs.replace(node, own_pods=_without(node.own_pods, role))
        case _:
            return node


def _pod_deleted(node: NodeState, uid: str, entry: Entry) -> NodeState:
    if node.work is None:
        return node
    work = msgspec.structs.replace(
        node.work,
        deleted=node.work.deleted | {uid},
        deleted_at=entry.at,
        probe=None,
    )
    touched = entry.seq if work.purpose is Purpose.CHANGE else node.touched
    return msgspec.structs.replace(node, work=work, touched=touched)


def _written(state: RunState, entry: Entry) -> RunState:
    """A write of the component's spec: the generation that it returned, and when."""
    found = child(entry.detail, "generation")
    known = found if isinstance(found, int) else state.generation
    return msgspec.structs.replace(state, generation=known, written_at=entry.at)


def _without(pods: Mapping[Role, float], role: Role) -> Mapping[Role, float]:
    return {key: since for key, since in pods.items() if key is not role}
