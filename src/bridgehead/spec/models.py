"""The keys of ``bridgehead.yaml``, kind Rollout: their shape, their defaults, what each means.

The JSON Schema and the reference page are generated from here. Defaults come from the settings that
the rest of the program uses. Conditions that join several keys are in ``conditions``, because
pydantic looks at those only when everything else is right.
"""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictStr
from pydantic.alias_generators import to_camel

from bridgehead.core.plan.settings import (
    DEFAULT_COHORT,
    DEFAULT_WAVES,
    EVERY_DAY,
    AllowedRecovery,
    AllowSettings,
    CanarySettings,
    CohortKey,
    Consent,
    LockSettings,
    OnFailure,
    PlacementSettings,
    Reaction,
    RestartTest,
    SoakSettings,
    VerifySettings,
    Weekday,
    Workloads,
)
from bridgehead.spec.fields import (
    Count,
    Duration,
    FilePath,
    Image,
    Label,
    LabelSelector,
    LeaseDuration,
    ObjectName,
    ResourceName,
    RunName,
    Share,
    StatusPeriod,
)
from bridgehead.spec.moments import Point, TimeOfDay, TimeZone

API_VERSION = "bridgehead.dev/v1alpha1"
KIND = "Rollout"

_PLACEMENT = PlacementSettings()
_CANARY, _VERIFY, _SOAK = CanarySettings(), VerifySettings(), SoakSettings()
_ON_FAILURE, _LOCK = OnFailure(), LockSettings()
_ALLOW = AllowSettings()


class Keys(BaseModel):
    """A mapping of the spec: keys in camelCase, none but those declared."""

    model_config = ConfigDict(extra="forbid", frozen=True, alias_generator=to_camel)


class MetadataKeys(Keys):
    """What the rollout is called."""

    name: RunName = Field(description="Name of the rollout; the names of its runs begin with it.")


class DaemonSetKeys(Keys):
    """A DaemonSet of the cluster."""

    namespace: Label = Field(description="Namespace of the DaemonSet.")
    name: ObjectName = Field(description="Name of the DaemonSet.")


class ComponentKeys(Keys):
    """The component that changes; exactly one key."""

    daemon_set: DaemonSetKeys = Field(
        description="A device plugin or DRA driver that runs as a DaemonSet of its own."
    )


class ChangeKeys(Keys):
    """What changes; exactly one key."""

    images: Annotated[dict[Label, Image], Field(min_length=1)] | None = Field(
        default=None,
        description="Container, or init container, and its new image; like `kubectl set image`.",
    )
    manifests: FilePath | None = Field(
        default=None,
        description="A file or folder of Kubernetes YAML or JSON with the component in it, "
        "relative to this file. Its pod template is rolled out; what differs beside that is shown "
        "and not written. No kustomization and no other object yet.",
    )


class NodesKeys(Keys):
    """The nodes that take part, among those on which the component runs."""

    include: LabelSelector | None = Field(
        default=None, description="Only nodes with these labels. Left out: all."
    )
    exclude: LabelSelector | None = Field(
        default=None, description="Not the nodes with these labels; wins over `include`."
    )


class CanaryKeys(Keys):
    """The nodes that go first."""

    per_cohort: Count = Field(
        default=_CANARY.per_cohort, description="Canaries of each cohort of equal nodes."
    )
    nodes: list[ObjectName] = Field(
        default_factory=list, description="These nodes are canaries, whatever else is chosen."
    )
    avoid: LabelSelector | None = Field(
        default=None, description="Nodes with these labels are no canaries if others are left."
    )
    restart_test: RestartTest | None = Field(
        default=None,
        description="Whether the current revision is restarted on a canary before it is changed, "
        "so that a node that had drifted is found first. Left out: `always` for device plugins, "
        "`ifIdle` for families whose restart shrinks a busy node.",
    )


class WaveKeys(Keys):
    """One step after the canaries."""

    nodes: Share = Field(
        description="Nodes changed when the wave ends, earlier ones and canaries included; a "
        "percentage is of the nodes eligible at plan time, rounded up. The last wave is `100%`."
    )
    parallel: Count = Field(
        description="Nodes whose old pod is gone and whose new one has not yet looked good; "
        "at most a quarter of each cohort, or one."
    )


class SoakKeys(Keys):
    """How long all gates stay under watch after they passed."""

    canary: Duration = Field(
        default=_SOAK.canary, description="After the first canary, and after the others."
    )
    wave: Duration = Field(default=_SOAK.wave, description="After each wave.")


class ProbeKeys(Keys):
    """A probe pod of your own on each changed node that has a free device.

    Left out: the component's own image with a command that is absent on purpose.
    """

    image: Image = Field(description="Image of the probe's one container.")
    command: Annotated[list[StrictStr], Field(min_length=1)] = Field(
        description="Program and arguments; exit code 0 passes."
    )
    expect: StrictStr | None = Field(
        default=None, description="A text that the output must contain. Left out: none."
    )


class VerifyKeys(Keys):
    """When a changed node counts as good."""

    settle: Duration = Field(
        default=_VERIFY.settle,
        description="Two equal looks at what the node offers lie this far apart; at least two "
        "status periods.",
    )
    status_period: StatusPeriod = Field(
        default=_VERIFY.status_period,
        description="How often the kubelets report their node's status "
        "(`nodeStatusUpdateFrequency`). Below 10s it is used only where the kubelet confirms it.",
    )
    status_period_unchecked: StrictBool = Field(
        default=_VERIFY.status_period_unchecked,
        description="Use a `statusPeriod` below 10s without the kubelet's confirmation.",
    )
    timeout: Duration | None = Field(
        default=None,
        description="A node that is not good by then has failed. Left out: by component, "
        "a device plugin 4m.",
    )
    soak: SoakKeys = Field(default_factory=SoakKeys, description="Watching after the gates passed.")
    probe: ProbeKeys | None = Field(
        default=None,
        description="A probe pod of your own. Left out: the component's image with a command "
        "that is absent on purpose, which shows that a pod is given a device.",
    )


class OnFailureKeys(Keys):
    """What a failed gate leads to."""

    canary: Reaction = Field(
        default=_ON_FAILURE.canary,
        description="At a canary: take back all touched nodes, or stop and hold.",
    )
    wave: Reaction = Field(
        default=_ON_FAILURE.wave,
        description="In a wave: take back all touched nodes, or only the failing one and hold.",
    )


class PlacementKeys(Keys):
    """Consent to changes of the nodes that the component runs on (`nodeSelector`, tolerations)."""

    gain: Consent = Field(
        default=_PLACEMENT.gain,
        description="A change that makes it run on further nodes; they are the first to be judged.",
    )
    lose: Consent = Field(
        default=_PLACEMENT.lose,
        description="A change that takes it off nodes, off all of them at once. Refused in any "
        "case while pods hold devices there.",
    )


class WindowKeys(Keys):
    """A time of the week in which nodes may be changed.

    One that closes no later than it opens goes on over midnight; its day is the one that it opens
    on. Where clocks are turned, it is never longer than written.
    """

    days: Annotated[list[Weekday], Field(min_length=1)] = Field(
        default=list(EVERY_DAY), description="The days on which it opens."
    )
    opens: TimeOfDay = Field(alias="from", description="When it opens.")
    closes: TimeOfDay = Field(alias="to", description="When it closes.")
    timezone: TimeZone = Field(description="By whose clocks: a name of the IANA database.")


class LockKeys(Keys):
    """The lease that keeps a second runner away."""

    duration: LeaseDuration = Field(
        default=_LOCK.duration,
        description="A runner that has not renewed it for so long is taken for dead; renewed every "
        "third of it. Whole seconds, 3s to 10m.",
    )


class AllowKeys(Keys):
    """What may be done without being asked for each time."""

    reader: StrictBool = Field(
        default=_ALLOW.reader,
        description="Start the pod that reads files of a node whose failure is to be explained; "
        "`reader.image` names its image.",
    )
    recover: AllowedRecovery = Field(
        default=_ALLOW.recover,
        description="The highest rung of the recovery ladder that is taken by itself, after the "
        "run has stopped on a failure and before a person looks: `R1` restarts the plugin pod of a "
        "failed node, `R3` also deletes refused pods, `R4` also cordons. `R2` adds nothing to "
        "`R1`: `onFailure` is the way back of a run.",
    )


class ReaderKeys(Keys):
    """The short-lived pod that reads files of one node, read-only; docs/recover.md lists them."""

    image: Image | None = Field(
        default=None, description="Its image: any with a shell. Left out: nodes are not looked at."
    )


class RolloutKeys(Keys):
    """A rollout: one change of one component over the nodes of a cluster, step by step."""

    api_version: Literal["bridgehead.dev/v1alpha1"] = Field(description="Version of this format.")
    kind: Literal["Rollout"] = Field(description="Kind of the document.")
    metadata: MetadataKeys = Field(description="What the rollout is called.")
    component: ComponentKeys = Field(description="The component that changes; exactly one key.")
    change: ChangeKeys = Field(description="What changes; exactly one key.")
    resources: Annotated[list[ResourceName], Field(min_length=1)] | None = Field(
        default=None,
        description="What the component offers. Left out: inferred from the nodes, and shown by "
        "`plan`.",
    )
    nodes: NodesKeys = Field(
        default_factory=NodesKeys, description="Which of the component's nodes take part."
    )
    cohort: Annotated[list[CohortKey], Field(min_length=1)] = Field(
        default=list(DEFAULT_COHORT),
        description="Nodes that are equal in all of these form a cohort; each has a canary.",
    )
    canary: CanaryKeys = Field(default_factory=CanaryKeys, description="The nodes that go first.")
    waves: Annotated[list[WaveKeys], Field(min_length=1)] = Field(
        default=[
            WaveKeys.model_construct(nodes=w.nodes, parallel=w.parallel) for w in DEFAULT_WAVES
        ],
        description="The steps after the canaries; `nodes` is cumulative.",
    )
    unproven: Count | None = Field(
        default=None,
        description="Nodes that may be on the target without having passed yet. Left out: twice "
        "the wave's `parallel`.",
    )
    workloads: Workloads | None = Field(
        default=None,
        description="What happens to pods that hold devices of a node about to change: `keep` "
        "leaves them running; `wait` cordons the node and waits until they have ended; `evict` "
        "cordons it and asks for their eviction, which disruption budgets may refuse. Left out: "
        "`keep`, or `wait` for families whose restart shrinks a busy node.",
    )
    workloads_timeout: Duration | None = Field(
        default=None,
        description="A node whose devices are still held by then is given back and set aside, with "
        "the pods named. Left out: 1h to `wait`, 15m to `evict`.",
    )
    verify: VerifyKeys = Field(
        default_factory=VerifyKeys, description="When a changed node counts as good."
    )
    on_failure: OnFailureKeys = Field(
        default_factory=OnFailureKeys, description="What a failed gate leads to."
    )
    placement: PlacementKeys = Field(
        default_factory=PlacementKeys, description="Consent to changes of placement."
    )
    approve: list[Point] = Field(
        default_factory=list,
        description="Where the run waits, with the former template parked, for "
        "`bridgehead approve`: after the soak of the canaries, or before a wave.",
    )
    two_people: StrictBool = Field(
        default=False,
        description="An approval counts only if another identity gave it than the runner's.",
    )
    windows: list[WindowKeys] = Field(
        default_factory=list,
        description="When nodes may be changed. None is begun that cannot be done before its "
        "window closes; a way back is never held up. Left out: at any time.",
    )
    lock: LockKeys = Field(
        default_factory=LockKeys, description="The lease that keeps a second runner away."
    )
    allow: AllowKeys = Field(
        default_factory=AllowKeys, description="What may be done without being asked for."
    )
    reader: ReaderKeys = Field(
        default_factory=ReaderKeys, description="The pod that reads files of a node."
    )
    owner: StrictStr | None = Field(
        default=None, description="Team or person who answers for the rollout; shown, and recorded."
    )
