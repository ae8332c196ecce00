"""What a run may do to a cluster: a closed set of effects, one API request each.

Every command is written to the journal as an intent before it is performed and as an outcome after
it. All of them are safe to decide again: each names the state that it expects to find.
"""

from collections.abc import Mapping
from enum import Enum

import msgspec

from bridgehead.core.model.device import Offer
from bridgehead.core.model.json import JsonObject


class Position(Enum):
    """Which of the two templates stands on the component."""

    FORMER = "former"
    TARGET = "target"


class Purpose(Enum):
    """Why a node's plugin pod is replaced."""

    RESTART = "restart-test"
    CHANGE = "change"
    TAKE_BACK = "take-back"
    LOSE = "lose"
    """It is not replaced: the target template takes the component off the node."""
    ISOLATE = "isolate"
    """Nor here: the node failed, cannot be taken back alone, and is kept out of scheduling."""


class Role(Enum):
    """What a pod of our own is for."""

    PULL = "pull"
    PROBE = "probe"


class Baseline(msgspec.Struct, frozen=True):
    """What a node offered and who held it before it was first touched."""

    offers: Mapping[str, Offer]
    refused: tuple[str, ...] = ()
    """Uids of pods that the kubelet had refused before; they say nothing about this change."""
    others: Mapping[str, Offer] = {}
    """Other extended resources of the node, to notice one that appears under another name."""
    node: str = ""
    """Uid of the Node object that was measured; another one under its name is another node."""


class TakeOver(msgspec.Struct, frozen=True, tag="take-over"):
    """Set the update strategy to OnDelete and keep the former one in an annotation."""

    instead_of: JsonObject = {}
    """The strategy that it replaces, where somebody has put one in OnDelete's place; else the one
    of the plan."""


class Flip(msgspec.Struct, frozen=True, tag="flip"):
    """Put one of the two templates on the component."""

    to: Position
    protects: bool = False
    """Whether it keeps pods from a strategy that somebody else has put in OnDelete's place."""


class Cordon(msgspec.Struct, frozen=True, tag="cordon"):
    """Keep new pods off a node for the gap; begins a node's pass."""

    node: str
    purpose: Purpose
    baseline: Baseline
    schedulable: bool
    """Whether the node took pods before: only then is it ours to uncordon."""


class DeletePod(msgspec.Struct, frozen=True, tag="delete-pod"):
    """Delete the component's pod of a node, by uid."""

    node: str
    namespace: str
    name: str
    uid: str


class Evict(msgspec.Struct, frozen=True, tag="evict"):
    """Ask for the end of a pod that holds devices of a node, by uid, if no budget forbids it."""

    node: str
    namespace: str
    name: str
    uid: str


class Uncordon(msgspec.Struct, frozen=True, tag="uncordon"):
    """Give a node back; it takes pods again if it did before."""

    node: str
    leave: bool = False
    """Only take our marks off: somebody took our cordon away, and what stands now is theirs."""


class CreateOwnPod(msgspec.Struct, frozen=True, tag="create-own-pod"):
    """Start a pod of ours on one node."""

    node: str
    role: Role


class DeleteOwnPod(msgspec.Struct, frozen=True, tag="delete-own-pod"):
    """Remove it."""

    node: str
    role: Role


class RestoreStrategy(msgspec.Struct, frozen=True, tag="restore-strategy"):
    """Put the update strategy from before the takeover back."""


class LetGo(msgspec.Struct, frozen=True, tag="let-go"):
    """Remove the run's annotations from the component."""


Command = (
    TakeOver
    | Flip
    | Cordon
    | DeletePod
    | Evict
    | Uncordon
    | CreateOwnPod
    | DeleteOwnPod
    | RestoreStrategy
    | LetGo
)


class Done(msgspec.Struct, frozen=True):
    """The API server accepted the effect, or it had already happened."""

    detail: JsonObject = {}


class Failed(msgspec.Struct, frozen=True):
    """The effect did not happen: ``conflict`` where the expected state was not found, ``blocked``
    where it was refused for now by a rule of somebody else's.
    """

    reason: str
    message: str


CommandResult = Done | Failed


def node_of(command: Command) -> str:
    """The node that a command is about; empty for those about the component."""
    match command:
        case TakeOver() | Flip() | RestoreStrategy() | LetGo():
            return ""
        case _:
            return command.node


def encode(command: Command) -> JsonObject:
    """The command as the journal's ``detail``; its tag is under ``type``."""
    plain: JsonObject = msgspec.to_builtins(command)
    return plain


def decode(detail: JsonObject) -> Command:
    """The command behind a journal's ``detail``; raises msgspec.ValidationError for others."""
    command: Command = msgspec.convert(detail, type=Command)
    return command


def key(command: Command) -> str:
    """Names a command among those in flight: its kind, its node, and which of several there."""
    detail = encode(command)
    which = command.uid if isinstance(command, Evict) else detail.get("role", "")
    return f"{detail['type']}/{node_of(command)}/{which}"
