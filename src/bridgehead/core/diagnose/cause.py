"""A cause as a rule states it, with what it explains, what would refute it, and what to do."""

from enum import Enum

import msgspec

from bridgehead.core.findings.finding import ObjectRef, Severity
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.confidence import Confidence


class Blame(Enum):
    """Where the fault lies: what a rollback can and cannot reach."""

    VERSION = "bad version"
    DRIFT = "drifted node"
    KUBELET = "kubelet"
    BELOW = "driver, runtime or hardware below"
    PLACEMENT = "placement"
    SCHEDULING = "scheduling"
    SECOND_WRITER = "second writer"
    CONFIGURATION = "configuration"
    WORKLOAD = "the workload itself"
    EXPECTED = "nothing is wrong"
    UNKNOWN = "not known"


class RollbackHelps(Enum):
    """Whether the former version would run where this one does not."""

    YES = "yes"
    NO = "no"
    UNKNOWN = "unknown"


class Risk(Enum):
    """What an action may cost."""

    NONE = "none"
    RESTART = "restarts one plugin pod"
    ROLLOUT = "restarts the plugin on every node of this version"
    WORKLOADS = "ends workloads"
    NODE = "takes a node away"


class Action(msgspec.Struct, frozen=True, kw_only=True):
    """One thing to do, first things first.

    ``command`` is complete and can be pasted, or empty where it is no command. ``rung`` is the rung
    of the recovery ladder, R0 to R5, ``runbook`` for what is never done by itself (drain, kubelet
    restart, reboot, relabelling), or empty for a change of manifests or configuration.
    """

    text: str
    command: str = ""
    risk: Risk = Risk.NONE
    rung: str = ""


class RuledOut(msgspec.Struct, frozen=True):
    """A rival explanation, and what speaks against it."""

    what: str
    by: str


class Cause(msgspec.Struct, frozen=True, kw_only=True):
    """What went wrong, once for all that it explains: nodes are listed, not repeated as causes.

    ``explains`` are keys of symptoms (``core.diagnose.symptom``). ``severity`` and ``confidence``
    override those of the rule. A cause of severity INFO is something seen and not wrong.
    """

    message: str
    blame: Blame
    evidence: tuple[Evidence, ...]
    """At least one quotation: what it was concluded from."""
    refuted_by: str
    """What, if it were seen, would show that this is not the cause."""
    object: ObjectRef = ObjectRef()
    nodes: tuple[str, ...] = ()
    explains: tuple[str, ...] = ()
    remedy: str = ""
    actions: tuple[Action, ...] = ()
    rollback_helps: RollbackHelps = RollbackHelps.UNKNOWN
    ruled_out: tuple[RuledOut, ...] = ()
    severity: Severity | None = None
    confidence: Confidence | None = None
