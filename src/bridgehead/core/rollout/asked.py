"""What people asked of a run: written down before anything else, and what that does to its state.

A request's number is its place in the run's record, so those that the journal holds already are
told by counting: no runner acts upon one twice.
"""

from collections.abc import Mapping

import msgspec

from bridgehead.core.journal.entry import Draft, Entry
from bridgehead.core.rollout.control import (
    Abort,
    Approve,
    Pause,
    Request,
    Resume,
    decode,
    encode,
    who,
)
from bridgehead.core.rollout.decision import note
from bridgehead.core.rollout.run import Run
from bridgehead.core.rollout.state import Answer, Mode, RunState
from bridgehead.core.rollout.unproven import looked_at_again
from bridgehead.core.rollout.world import World

STEP = "control"
"""Step of the journal's notes about requests; their result is the request's kind."""


def unheard(run: Run, world: World) -> tuple[Draft, ...]:
    """Requests that the journal does not hold yet."""
    return tuple(_heard(request) for request in world.control[run.state.requests :])


def _heard(request: Request) -> Draft:
    detail = encode(request)
    return note(STEP, str(detail["kind"]), detail=detail)


def asked(state: RunState, entry: Entry) -> RunState:
    """A request is in the journal. What is over stays over, whatever is asked."""
    state = msgspec.structs.replace(state, requests=state.requests + 1)
    if state.mode is Mode.ENDED:
        return state
    request = decode(entry.detail)
    match request:
        case Pause():
            return msgspec.structs.replace(state, paused=request)
        case Resume():
            return _resumed(state, request)
        case Approve():
            return msgspec.structs.replace(state, approvals=(*state.approvals, request))
        case Abort():
            return _aborted(state, request)


def _resumed(state: RunState, request: Resume) -> RunState:
    """Lifts a pause. What it says of nodes waits until those that failed are seen to, and in the
    preflight until there is a way to go.
    """
    state = msgspec.structs.replace(state, paused=None)
    answers: Mapping[str, Answer] = {
        **state.answers,
        **dict.fromkeys(request.without, Answer.WITHOUT),
        **dict.fromkeys(request.retry, Answer.RETRY),
    }
    forward = state.mode in {Mode.PREFLIGHT, Mode.FORWARD}
    if state.mode is Mode.HOLD or (forward and answers):
        return msgspec.structs.replace(state, resumed_by=who(request), answers=answers)
    return state


def _aborted(state: RunState, request: Abort) -> RunState:
    if state.mode is Mode.BACK:
        return state
    turned = msgspec.structs.replace(
        state,
        mode=Mode.BACK,
        turned_for=f"{who(request)} asked for an abort",
        resumed_by="",
        answers={},
    )
    return looked_at_again(turned)
