"""Everything that recovery decides from: one plugin on one node, as it was seen at one time."""

from functools import cached_property

import msgspec

from bridgehead.core.diagnose.cause import RollbackHelps
from bridgehead.core.diagnose.diagnosis import Diagnosis, Ranked
from bridgehead.core.diagnose.expectation import Expectation
from bridgehead.core.diagnose.scene import Plugin, Scene
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.observed import Reading
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.confidence import Confidence
from bridgehead.core.model.device import Offer
from bridgehead.core.model.json import children, text
from bridgehead.core.model.node import Node
from bridgehead.core.model.pod import Pod
from bridgehead.core.model.times import epoch
from bridgehead.core.recover.ladder import LADDER, Fit, fit_of
from bridgehead.core.recover.limits import LIMITS, Limits
from bridgehead.core.recover.past import Past
from bridgehead.core.recover.rung import Rung, rung_of

_HARMLESS = (Rung.WAIT, Rung.PRUNE, Rung.CORDON)


class NamedCause(msgspec.Struct, frozen=True, kw_only=True):
    """A cause of the diagnosis, as far as recovery needs it. Without nodes it is of all."""

    rule: str
    message: str
    nodes: tuple[str, ...] = ()
    severity: Severity = Severity.ERROR
    evidence: tuple[Evidence, ...] = ()
    rollback_helps: RollbackHelps = RollbackHelps.UNKNOWN
    advice: frozenset[Rung] = frozenset()
    """Rungs that its own actions name."""

    @property
    def fit(self) -> Fit:
        """How recovery answers it."""
        return fit_of(self.rule)

    @property
    def rungs(self) -> tuple[Rung, ...]:
        """What helps against it; where the former version would run, the way back to it does.

        A cause that is not on the ladder is taken at its own word as far as that can do no harm.
        """
        known = self.fit.rungs
        if self.rule not in LADDER:
            known = tuple(rung for rung in _HARMLESS if rung in self.advice)
        back = self.rollback_helps is RollbackHelps.YES and Rung.ROLL_BACK not in known
        return (*known, Rung.ROLL_BACK) if back else known

    @property
    def wrong(self) -> bool:
        """Whether it is a fault, not just something seen."""
        return self.severity is not Severity.INFO


def causes_of(diagnosis: Diagnosis, node: str, component: str) -> tuple[NamedCause, ...]:
    """The causes of one node, most probable first, without what a rung would repair elsewhere.

    A pod may ask for devices of two plugins: what is wrong with the other one concerns this one,
    too, and no rung that is taken for this one mends it.
    """
    return tuple(
        NamedCause(
            rule=item.rule,
            message=item.message,
            nodes=item.nodes,
            severity=item.severity,
            evidence=item.evidence,
            rollback_helps=item.rollback_helps,
            advice=frozenset(
                rung
                for action in item.actions
                for rung in [rung_of(action.rung)]
                if rung is not None
            ),
        )
        for item in diagnosis.causes
        if (not item.nodes or node in item.nodes) and not _repaired_elsewhere(item, component)
    )


def _repaired_elsewhere(cause: Ranked, component: str) -> bool:
    """Whether it is another DaemonSet's, and one that a rung helps against."""
    about = cause.object
    ref = f"daemonset/{about.namespace}/{about.name}"
    return about.kind == "DaemonSet" and ref != component and bool(fit_of(cause.rule).rungs)


class Answer(msgspec.Struct, frozen=True):
    """What the API server said of a write that was only tried; None where it was not asked."""

    accepted: bool | None
    said: str
    grant: str = ""
    """What has to be granted before it can be asked; empty where that is not in the way."""


class WayBack(msgspec.Struct, frozen=True, kw_only=True):
    """The former revision that an open run could go back to, and whether it is known to start."""

    run: str
    held: bool
    """Whether the run has stopped on a failure, or goes back already."""
    former: str
    """Hash of the former revision."""
    proven: bool | None
    evidence: str


class Missing(msgspec.Struct, frozen=True, kw_only=True):
    """A resource of which the node offers fewer devices than it should."""

    resource: str
    offer: Offer | None
    expected: Expectation

    def __str__(self) -> str:
        shown = str(self.offer) if self.offer else "absent"
        return f"{self.resource} {shown}, expected {self.expected.count} ({self.expected.basis})"


_SURE = Confidence.MEDIUM


class Situation(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """One plugin on one node. ``resource`` is the one that is meant; empty for all of the plugin's.

    ``asked`` says that a person named the rung: that stands in place of a diagnosis that names no
    cause, and of nothing else. ``holder`` is the name under which recovery holds nodes of the
    component. ``images`` are names of images on the node, None where that is not known;
    ``kubelet_started`` is None where nothing tells.
    """

    scene: Scene
    plugin: Plugin
    node: Node
    resource: str = ""
    causes: tuple[NamedCause, ...] = ()
    """Of this node, most probable first."""
    undiagnosed: tuple[str, ...] = ()
    """What the diagnosis could not read or judge."""
    past: tuple[Past, ...] = ()
    unrecorded: str = ""
    """Why runs and earlier recoveries are not known; empty where their records were read."""
    dry_run: Answer = Answer(None, "not asked")
    images: frozenset[str] | None = None
    kubelet_started: float | None = None
    readings: tuple[Reading, ...] = ()
    way_back: WayBack | None = None
    open_run: str = ""
    """Somebody else's run that keeps the component, or an empty string."""
    own_run: str = ""
    """The run in whose name this recovers, after it has stopped; its nodes are ours."""
    holder: str = ""
    asked: bool = False
    limits: Limits = LIMITS

    @property
    def now(self) -> float:
        """When it was seen, in seconds since the epoch."""
        return self.scene.now

    @property
    def resources(self) -> tuple[str, ...]:
        """The names that are meant."""
        return (self.resource,) if self.resource else self.plugin.resources

    @cached_property
    def pod(self) -> Pod | None:
        """The plugin's pod on the node."""
        return self.plugin.pod_on(self.node.name)

    @cached_property
    def plugin_started(self) -> float | None:
        """When the plugin's process began; its pod's creation where no container says it."""
        if self.pod is None:
            return None
        raw = self.scene.observed.raw_pod(self.pod)
        times = (
            epoch(text(item, "state", "running", "startedAt"))
            for item in children(raw, "status", "containerStatuses")
        )
        return max((item for item in times if item is not None), default=self.pod.created)

    @cached_property
    def missing(self) -> tuple[Missing, ...]:
        """What the node offers too little of."""
        found = []
        for name in self.resources:
            expected = self.scene.expected(self.node.name, name)
            offer = self.node.offer(name)
            if offer is not None and offer.allocatable < offer.capacity:
                counted = Expectation(offer.capacity, "its capacity counts so many", _SURE)
                if expected is None or expected.count < counted.count:
                    expected = counted
            held = self._held(name)
            if held and (expected is None or expected.count < held):
                expected = Expectation(held, "pods there hold at least so many", _SURE)
            if expected is not None and (offer.allocatable if offer else 0) < expected.count:
                found.append(Missing(resource=name, offer=offer, expected=expected))
        return tuple(found)

    def _held(self, name: str) -> int:
        """Devices that pods have been given there: the node had as many, whatever it shows now."""
        pods = self.scene.holders(self.node.name, name)
        return sum(pod.requests[name] for pod in pods if pod.admitted)

    @property
    def expectations_known(self) -> bool:
        """Whether it is known, for one of its names at least, whether the node offers enough.

        One that offers devices and none that is unhealthy offers what its plugin has.
        """
        return any(
            self.scene.expected(self.node.name, name) is not None
            or ((offer := self.node.offer(name)) is not None and offer.allocatable > 0)
            for name in self.resources
        )

    @cached_property
    def holders(self) -> tuple[Pod, ...]:
        """Pods on the node that hold devices of the plugin."""
        found = {
            pod.ref: pod
            for name in self.resources
            for pod in self.scene.holders(self.node.name, name)
        }
        return tuple(found[key] for key in sorted(found))

    @cached_property
    def device_nodes(self) -> tuple[Node, ...]:
        """Nodes on which the plugin is wanted."""
        return self.scene.wanted_on(self.plugin)

    @property
    def faults(self) -> tuple[NamedCause, ...]:
        """Causes that are faults."""
        return tuple(item for item in self.causes if item.wrong)
