"""What a decision consists of."""

import msgspec

from bridgehead.core.journal.entry import Draft, Evidence, Phase
from bridgehead.core.model.json import JsonObject
from bridgehead.core.rollout.commands import Command, encode, node_of
from bridgehead.core.rollout.state import Ending
from bridgehead.core.verify.result import GateResult


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """Facts to record, effects to perform after that, or an ending; empty means: look again."""

    notes: tuple[Draft, ...] = ()
    commands: tuple[Command, ...] = ()
    ending: Ending | None = None
    waiting_for: str = ""
    """What is awaited, for the person who watches."""

    def __bool__(self) -> bool:
        return bool(self.notes or self.commands or self.ending)


def wait(reason: str) -> Decision:
    """Nothing to do until the world changes or time passes."""
    return Decision(waiting_for=reason)


def note(
    step: str,
    result: str,
    *,
    node: str = "",
    detail: JsonObject | None = None,
    evidence: tuple[Evidence, ...] = (),
) -> Draft:
    """A fact for the journal."""
    return Draft(
        step=step,
        phase=Phase.NOTE,
        node=node,
        result=result,
        detail=detail or {},
        evidence=evidence,
    )


def gate_note(step: str, result: str, failure: GateResult, **extra: str) -> Draft:
    """A fact that rests on a gate's answer, with the answer in its detail and the proof beside."""
    detail: JsonObject = msgspec.to_builtins(msgspec.structs.replace(failure, evidence=()))
    return note(
        step,
        result,
        node=failure.node,
        detail={**extra, "gate": detail},
        evidence=failure.evidence,
    )


def intent(command: Command) -> Draft:
    """The record that precedes a command."""
    detail = encode(command)
    return Draft(step=str(detail["type"]), phase=Phase.INTENT, node=node_of(command), detail=detail)
