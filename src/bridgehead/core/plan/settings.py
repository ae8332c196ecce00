"""What a person asks of a rollout: the values behind ``bridgehead.yaml``.

Each default is stated here and nowhere else; the reader of the file, its JSON Schema and its
reference page take them from these fields. Durations are seconds. ``None`` means that the plan
decides, from the component's family or from the cluster, and prints what it decided.
"""

from collections.abc import Mapping
from enum import Enum

import msgspec

from bridgehead.core.model.json import JsonObject
from bridgehead.core.model.selectors import EVERYTHING, Selector


class ComponentKind(Enum):
    """The kinds of objects that a rollout can change."""

    DAEMON_SET = "daemonset"


class ComponentRef(msgspec.Struct, frozen=True):
    """The object that carries the component."""

    kind: ComponentKind
    namespace: str
    name: str

    def __str__(self) -> str:
        return f"{self.kind.value}/{self.namespace}/{self.name}"


class ContainerImage(msgspec.Struct, frozen=True):
    """The image that one container (or init container) of the template is to have, as written."""

    container: str
    image: str


class ImagesChange(msgspec.Struct, frozen=True, tag="images"):
    """New images for containers of the component, sorted by container name."""

    images: tuple[ContainerImage, ...]

    def by_container(self) -> dict[str, str]:
        """The image for each container that changes."""
        return {entry.container: entry.image for entry in self.images}


class ManifestChange(msgspec.Struct, frozen=True, kw_only=True, tag="manifests"):
    """The component as a manifest has it: its pod template is rolled out, and nothing else.

    What was read from the file is kept whole, so that a run can be gone on with where the file is
    not at hand.
    """

    path: str
    """As the spec writes it, for messages."""
    template: JsonObject
    """The pod template as written, without the server's defaults."""
    selector: JsonObject
    labels: Mapping[str, str] = {}
    annotations: Mapping[str, str] = {}
    rest: JsonObject = {}
    """The other fields of the manifest's spec: strategy, ``minReadySeconds``."""


Change = ImagesChange | ManifestChange


class Consent(Enum):
    """Whether a change may do something that is not done unasked."""

    ALLOW = "allow"
    REFUSE = "refuse"


class PlacementSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Whether the change may bring the component to further nodes, and take it off some."""

    gain: Consent = Consent.REFUSE
    lose: Consent = Consent.REFUSE


class NodeSelection(msgspec.Struct, frozen=True):
    """Which nodes of the component the rollout may change."""

    include: Selector = EVERYTHING
    exclude: Selector | None = None

    def selects(self, labels: Mapping[str, str]) -> bool:
        """Whether a node with these labels takes part; exclude wins over include."""
        excluded = self.exclude is not None and self.exclude.matches(labels)
        return self.include.matches(labels) and not excluded


class CohortKey(Enum):
    """A property by which nodes may differ in how they take on a change."""

    DEVICE = "device"
    OS = "os"
    KERNEL = "kernel"
    RUNTIME = "runtime"
    ARCH = "arch"
    KUBELET = "kubelet"


DEFAULT_COHORT = tuple(CohortKey)


class RestartTest(Enum):
    """Whether a canary's current revision is restarted in place before it is changed."""

    ALWAYS = "always"
    IF_IDLE = "ifIdle"
    NEVER = "never"


class CanarySettings(msgspec.Struct, frozen=True, kw_only=True):
    """How the nodes that go first are chosen."""

    per_cohort: int = 1
    nodes: tuple[str, ...] = ()
    avoid: Selector | None = None
    restart_test: RestartTest | None = None


class NodeCount(msgspec.Struct, frozen=True, tag="nodes"):
    """A number of nodes."""

    count: int

    def of(self, eligible: int) -> int:
        """How many of so many eligible nodes are meant."""
        return min(self.count, eligible)

    def __str__(self) -> str:
        return str(self.count)


class NodePercentage(msgspec.Struct, frozen=True, tag="percent"):
    """A whole percentage, 1 to 100, of the nodes eligible at plan time."""

    percent: int

    def of(self, eligible: int) -> int:
        """How many of so many eligible nodes are meant, rounded up."""
        return -(-self.percent * eligible // 100)

    def __str__(self) -> str:
        return f"{self.percent}%"


NodeShare = NodeCount | NodePercentage


class Wave(msgspec.Struct, frozen=True):
    """One step of the rollout: ``nodes`` is cumulative and counts the canaries."""

    nodes: NodeShare
    parallel: int

    def unproven(self, limit: int | None) -> int:
        """How many nodes may be on the target without having passed; ``limit`` is the user's."""
        return limit if limit is not None else 2 * self.parallel


DEFAULT_WAVES = (
    Wave(nodes=NodePercentage(10), parallel=5),
    Wave(nodes=NodePercentage(100), parallel=10),
)


class Workloads(Enum):
    """What happens to pods that hold devices of a node about to change."""

    KEEP = "keep"
    WAIT = "wait"
    EVICT = "evict"


class SoakSettings(msgspec.Struct, frozen=True, kw_only=True):
    """How long all gates of a stage stay under watch after they passed, in seconds."""

    canary: float = 600.0
    wave: float = 120.0


class ProbeSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The user's own probe pod in place of the component's image with an absent command.

    It passes with exit code 0 and, where ``expect`` is given, with that text in its output.
    """

    image: str
    command: tuple[str, ...]
    expect: str | None = None


class VerifySettings(msgspec.Struct, frozen=True, kw_only=True):
    """When a node counts as verified; seconds.

    ``status_period`` is how often a kubelet reports its node's status (10 s since Kubernetes 1.0,
    ``nodeStatusUpdateFrequency`` in the kubelet's configuration). A smaller one is used only where
    the kubelet's configz confirms it or ``status_period_unchecked`` is set: the plan decides that.
    """

    settle: float = 30.0
    status_period: float = 10.0
    status_period_unchecked: bool = False
    timeout: float | None = None
    soak: SoakSettings = SoakSettings()
    probe: ProbeSettings | None = None


class Reaction(Enum):
    """What a failed gate leads to."""

    ROLLBACK = "rollback"
    HOLD = "hold"


class OnFailure(msgspec.Struct, frozen=True, kw_only=True):
    """The reaction to a failed canary and to a failed node of a wave."""

    canary: Reaction = Reaction.ROLLBACK
    wave: Reaction = Reaction.HOLD


class Weekday(Enum):
    """A day of the week, in its order."""

    MONDAY = "mon"
    TUESDAY = "tue"
    WEDNESDAY = "wed"
    THURSDAY = "thu"
    FRIDAY = "fri"
    SATURDAY = "sat"
    SUNDAY = "sun"


EVERY_DAY = tuple(Weekday)


class Window(msgspec.Struct, frozen=True, kw_only=True):
    """A time of the week in which nodes may be changed, by the clocks of one place.

    ``opens`` and ``closes`` are minutes since midnight, 0 to 1440. A window that closes no later
    than it opens goes on over midnight; its day is that on which it opens.
    """

    days: tuple[Weekday, ...] = EVERY_DAY
    opens: int
    closes: int
    timezone: str
    """A name of the IANA time zone database."""

    @property
    def minutes(self) -> int:
        """How long it is open, on a day on which no clock is turned."""
        after = self.closes - self.opens
        return after if after > 0 else after + 1440


class LockSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The lease of the run: whole seconds, renewed every third of it."""

    duration: int = 30


class AllowedRecovery(Enum):
    """How far recovery may go without a person; the rungs are those of the recovery ladder."""

    NONE = "none"
    RESTART = "R1"
    ROLL_BACK = "R2"
    PRUNE = "R3"
    CORDON = "R4"


class AllowSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What may be done without being asked for each time.

    ``reader``: a short-lived pod that reads files of a node. ``recover``: the highest rung that is
    taken after a run has stopped on a failure.
    """

    reader: bool = False
    recover: AllowedRecovery = AllowedRecovery.NONE


class ReaderSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The pod that reads a node's files; without an image there is none."""

    image: str = ""


class RolloutSpec(msgspec.Struct, frozen=True, kw_only=True):
    """A rollout as asked for: which component, which change, and how carefully."""

    name: str
    component: ComponentRef
    change: Change
    resources: tuple[str, ...] | None = None
    nodes: NodeSelection = NodeSelection()
    cohort: tuple[CohortKey, ...] = DEFAULT_COHORT
    canary: CanarySettings = CanarySettings()
    waves: tuple[Wave, ...] = DEFAULT_WAVES
    unproven: int | None = None
    workloads: Workloads | None = None
    workloads_timeout: float | None = None
    """Seconds for which a cordoned node waits for the pods that hold its devices."""
    verify: VerifySettings = VerifySettings()
    on_failure: OnFailure = OnFailure()
    placement: PlacementSettings = PlacementSettings()
    approve: tuple[str, ...] = ()
    """Points at which a person must consent: ``afterCanary``, ``beforeWave:N``."""
    two_people: bool = False
    """Whether that person must be another than the one who runs it."""
    windows: tuple[Window, ...] = ()
    """When nodes may be changed; none: at any time."""
    lock: LockSettings = LockSettings()
    allow: AllowSettings = AllowSettings()
    reader: ReaderSettings = ReaderSettings()
    owner: str | None = None
    undoes: str = ""
    """The finished run whose former version this brings back; empty where a file asks for it."""
