"""The state of a run: what its journal says, folded. The cluster says the rest."""

from collections.abc import Mapping
from enum import Enum

import msgspec

from bridgehead.core.model.json import JsonObject
from bridgehead.core.rollout.commands import (
    Baseline,
    Command,
    Flip,
    Position,
    Purpose,
    RestoreStrategy,
    Role,
    TakeOver,
)
from bridgehead.core.rollout.control import Approve, Pause
from bridgehead.core.verify.result import GateResult
from bridgehead.core.verify.soak import Verified


class Mode(Enum):
    """Which way a run is going."""

    PREFLIGHT = "preflight"
    FORWARD = "forward"
    BACK = "back"
    HOLD = "hold"
    ENDED = "ended"


class NodeStatus(Enum):
    """What the run has made of a node so far."""

    PENDING = "pending"
    PASSED = "passed"
    FAILED = "failed"
    TAKEN_BACK = "taken-back"
    STUCK = "stuck"
    """Its former revision does not come back: only a person can help."""
    SET_ASIDE = "set-aside"
    LEFT = "left"
    LOST = "lost"
    """The component is off it, as the change wants."""


class Work(msgspec.Struct, frozen=True, kw_only=True):
    """A pass under way on a node: one replacement of its plugin pod."""

    purpose: Purpose
    since: float
    cordoned_at: float | None = None
    occupied: bool = False
    """Whether pods held its devices when that was first looked at."""
    cleared_at: float | None = None
    """Since when no pod that is waited for holds them any more."""
    asked: Mapping[str, float] = {}
    """When the eviction of a pod was last asked for, by uid."""
    deleted: frozenset[str] = frozenset()
    deleted_at: float | None = None
    parked: int = 0
    """How often the former template was put back since then: a successor may carry it for that."""
    probe: GateResult | None = None
    interrupted: bool = False
    """Whether it was begun by a runner that is gone: how long it took says nothing then."""


class NodeState(msgspec.Struct, frozen=True, kw_only=True):
    """One node of the run."""

    name: str
    status: NodeStatus = NodeStatus.PENDING
    work: Work | None = None
    held: bool = False
    """Cordoned by this run, as far as the journal knows."""
    held_since: float = 0.0
    """Since when, in seconds since the epoch; 0 while it is not."""
    disowned: bool = False
    """Somebody took that cordon away; whether it takes pods is theirs to say since."""
    baseline: Baseline | None = None
    restart_tested: bool = False
    touched: int = 0
    """Journal number of the deletion that brought the target here; 0 if it never came."""
    verified: Verified | None = None
    disturbances: int = 0
    soaked: int = 0
    """How many stages had passed when it last stood under watch to the end of one's soak."""
    dips: int = 0
    """How often its devices were away for a moment since the stage under way began."""
    dipped_at: float = 0.0
    failure: GateResult | None = None
    own_pods: Mapping[Role, float] = {}
    """When our own pods here were created, in seconds since the epoch."""
    refused_pods: Mapping[Role, str] = {}
    """Why the API server refused a pod of ours here."""
    pulled: bool = False
    away: str = ""
    """Why it cannot be seen while it is in flight or under watch; empty while it can."""
    new_pod: str = ""
    """Uid of a pod that came to it before its turn, by somebody else's doing."""
    waits_since: float | None = None
    """Since when its turn is put off, for the reason in the journal."""
    fewer_since: float | None = None
    """Since when, of that, only because it offers too little."""
    fewer: str = ""
    """What it offered too little of for so long that it is taken as it is."""
    reason: str = ""
    retried_at: float = 0.0
    """When a person had it tried again, in seconds since the epoch; 0 if nobody did."""
    left_out: bool = False
    """Set aside by a person: only a person brings it back."""
    unsound: bool = False
    """Left out, or to be tried again, while its devices are not proven: it stays cordoned."""

    def begun(self, work: Work, baseline: Baseline) -> "NodeState":
        """The node as its next pass begins.

        A refusal of the probe holds for one pass: what refused it may be mended by the next. That
        nothing is proven of it (``unsound``) holds until a pass proves it: one may be called off.
        """
        refused = {role: why for role, why in self.refused_pods.items() if role is not Role.PROBE}
        return msgspec.structs.replace(
            self,
            work=work,
            baseline=baseline,
            waits_since=None,
            fewer_since=None,
            refused_pods=refused,
            left_out=False,
        )


class Stray(msgspec.Struct, frozen=True, kw_only=True):
    """How somebody else's write left the component: what has to be put back before the run goes on.

    With nothing to put back, whoever goes on with the run goes on from what stands.
    """

    template: bool = False
    """Whether another template stands than the run can go on from."""
    undo_to: int = 0
    """Number of the revision that holds the one that it can; 0 where none does."""
    strategy: JsonObject = {}
    """The update strategy to be put back; empty where none has to be."""

    @property
    def in_the_way(self) -> bool:
        """Whether the run stops on it again, until somebody has put back what it names."""
        return self.template or bool(self.strategy)


class Ending(msgspec.Struct, frozen=True, kw_only=True):
    """How a run, or this runner's part of it, ended."""

    exit: int
    summary: str
    failure: GateResult | None = None
    rollback_helps: bool | None = None
    over: bool = False
    """Whether nothing of the run is left to go on with or to give back, for all its exit."""
    given_up: bool = False
    """Whether nobody can go on with the run or take it back: what it holds is to be released."""
    stray: Stray | None = None
    """What it tells of somebody else's write of the component; None where it tells of none."""


class Answer(Enum):
    """What a person asks for a node that failed."""

    WITHOUT = "without"
    RETRY = "retry"


class RunState(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that a runner needs to know beside plan and cluster."""

    mode: Mode = Mode.PREFLIGHT
    stage: int = 0
    reached: int = 0
    """How many stages have passed; the one under way may be one of them, for a disturbed node."""
    soak_since: float | None = None
    nodes: Mapping[str, NodeState] = {}
    joined: tuple[str, ...] = ()
    """Nodes that came after the plan was made; they take the change in the last stage."""
    template: Position = Position.FORMER
    taken_over: bool = False
    restored: bool = False
    let_go: bool = False
    put_back: bool = False
    """Whether the former template stands since somebody else's strategy threatened the pods."""
    retakes: bool = False
    """Whether OnDelete is to be set again: somebody went on after being told that it is not."""
    generation: int = 0
    """The component's generation after this run's last write of its spec; 0 before the first."""
    written_at: float = 0.0
    """When that write was made, in seconds since the epoch."""
    written_by: str = ""
    """Who else wrote the component last, and when, as far as that is noted."""
    began_at: float = 0.0
    """When the run began, in seconds since the epoch."""
    image_ids: Mapping[str, str] = {}
    """First resolution of each image by ``architecture/container``."""
    pending: Mapping[str, Command] = {}
    """Intents without an outcome, by command key."""
    holder: int = 1
    failure: GateResult | None = None
    turned_for: str = ""
    ending: Ending | None = None
    last_seq: int = 0
    last_at: float = 0.0
    """When the last record was written: since then the run has only waited."""
    refused: bool = False
    """Preflight failed: nothing was changed."""
    requests: int = 0
    """How many of the requests that people filed are in the journal; their effect is beside."""
    paused: Pause | None = None
    """Who asked for a pause that was not lifted yet."""
    resumed_by: str = ""
    """Who asked to go on after a hold, until the run does so."""
    answers: Mapping[str, Answer] = {}
    """What that person asked for by node, until it is done."""
    approvals: tuple[Approve, ...] = ()
    """All that were given, whether they count or not."""
    consented: frozenset[str] = frozenset()
    """Points that the run went past on somebody's approval."""
    slowest: float = 0.0
    """Seconds of the longest pass that was verified; 0 before the first."""

    def node(self, name: str) -> NodeState:
        """A node's state; a node that the journal never named is pending."""
        return self.nodes.get(name, NodeState(name=name))

    @property
    def reached_generation(self) -> int:
        """The component's highest generation that this run can have made; 0 before it began.

        Each write of the spec raises it by one; what came of the pending ones is not known.
        """
        writes = (Flip, RestoreStrategy, TakeOver)
        return self.generation + sum(isinstance(item, writes) for item in self.pending.values())

    @property
    def working(self) -> tuple[NodeState, ...]:
        """Nodes with a pass under way."""
        return tuple(item for item in self.nodes.values() if item.work is not None)


def with_node(state: RunState, node: NodeState) -> RunState:
    """The state with one node replaced."""
    return msgspec.structs.replace(state, nodes={**state.nodes, node.name: node})
