"""The plan: a value that prints, and that a run follows to its end."""

from enum import Enum
from functools import cached_property

import msgspec

from bridgehead.core.model.component import Revision, images
from bridgehead.core.model.json import JsonObject
from bridgehead.core.plan.settings import ImagesChange, RolloutSpec, Workloads


class StageKind(Enum):
    """Canaries prove a version on a kind of node; waves carry it on."""

    CANARY = "canary"
    WAVE = "wave"


class Stage(msgspec.Struct, frozen=True):
    """Nodes that take the change together, watched for ``soak`` seconds before the next stage."""

    name: str
    kind: StageKind
    nodes: tuple[str, ...]
    parallel: int
    unproven: int
    soak: float


class PlannedCohort(msgspec.Struct, frozen=True):
    """Nodes of one kind."""

    name: str
    nodes: tuple[str, ...]


class SetAside(msgspec.Struct, frozen=True):
    """A node that the plan leaves alone, and why."""

    node: str
    reason: str


class Placement(msgspec.Struct, frozen=True):
    """What a change of placement moves, by node name; both are judged when the template is written.

    The DaemonSet controller goes by the template that stands, even under OnDelete (seen with
    Kubernetes 1.37.2: pods of nodes that it no longer fits are deleted within seconds).
    """

    gains: tuple[str, ...] = ()
    loses: tuple[str, ...] = ()


class Refusal(msgspec.Struct, frozen=True):
    """Why this change is not made, and what to do about it."""

    rule: str
    message: str
    remedy: str
    object: str = ""


class Timing(msgspec.Struct, frozen=True):
    """When a look at a node counts; seconds."""

    settle: float
    status_period: float
    timeout: float


class Occupied(msgspec.Struct, frozen=True):
    """Pods that held devices of a node when the plan was made."""

    node: str
    movable: tuple[str, ...] = ()
    """Pods that an eviction moves: their controller makes others."""
    bare: tuple[str, ...] = ()
    """Pods that nobody would make again."""
    resident: tuple[str, ...] = ()
    """Pods that belong to the node (of DaemonSets, static ones): nobody waits for them."""


class Care(msgspec.Struct, frozen=True):
    """What is done about pods that hold devices of a node whose plugin pod is to be replaced."""

    workloads: Workloads = Workloads.KEEP
    timeout: float = 0.0
    """Seconds that a node waits for them, from its cordon on."""


class Cost(msgspec.Struct, frozen=True):
    """What the rollout is expected to take if nothing goes wrong."""

    duration: float
    device_minutes: float
    requests: int


class Plan(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """Everything that was decided before the first write."""

    spec: RolloutSpec
    component_uid: str
    generation: int
    """The component's generation when it was planned."""
    resources: tuple[str, ...]
    resources_source: str
    family: str
    change_digest: str
    plan_digest: str
    former: Revision
    former_template: JsonObject
    former_strategy: JsonObject
    target_template: JsonObject
    cohorts: tuple[PlannedCohort, ...]
    stages: tuple[Stage, ...]
    set_aside: tuple[SetAside, ...] = ()
    restart_tests: tuple[str, ...] = ()
    placement: Placement | None = None
    """What the change moves; None where the component stays on its nodes whatever template stands.
    """
    timing: Timing
    care: Care = Care()
    occupied: tuple[Occupied, ...] = ()
    cost: Cost
    warnings: tuple[str, ...] = ()

    @cached_property
    def nodes(self) -> tuple[str, ...]:
        """All nodes that the plan changes, in order."""
        return tuple(node for stage in self.stages for node in stage.nodes)

    @property
    def parks(self) -> bool:
        """Whether the former template stands whenever no pod is being replaced.

        Not where the two place the component otherwise: putting one in moves pods by itself, so the
        target stands from its first write to the end, or until all of it is taken back.
        """
        return self.placement is None

    @property
    def gains(self) -> tuple[str, ...]:
        """Nodes that the change brings the component to and that can be judged."""
        aside = {item.node for item in self.set_aside}
        gains = self.placement.gains if self.placement is not None else ()
        return tuple(name for name in gains if name not in aside)

    @property
    def loses(self) -> tuple[str, ...]:
        """Nodes that the change takes the component off."""
        return self.placement.loses if self.placement is not None else ()

    @property
    def images(self) -> dict[str, str]:
        """The image of each container that gets another one, as the change names it."""
        change = self.spec.change
        if isinstance(change, ImagesChange):
            return change.by_container()
        before = images(self.former_template)
        after = images(self.target_template)
        return {name: image for name, image in after.items() if before.get(name) != image}

    @property
    def pulls(self) -> tuple[tuple[str, ...], dict[str, str]]:
        """Which nodes pull which images before anything is changed, by container.

        A node that is gained has none of the component's images; canaries lack those that change.
        """
        if self.placement is not None:
            return self.gains, images(self.target_template)
        canaries = [stage for stage in self.stages if stage.kind is StageKind.CANARY]
        changed = self.images
        return tuple(name for stage in canaries for name in stage.nodes if changed), changed

    def cohort_of(self, node: str) -> PlannedCohort | None:
        """The cohort that a node was counted in; None for one that joined later."""
        return self._cohorts.get(node)

    @cached_property
    def _cohorts(self) -> dict[str, PlannedCohort]:
        return {node: cohort for cohort in self.cohorts for node in cohort.nodes}

    @cached_property
    def former_images(self) -> dict[str, str]:
        """The former template's images by container."""
        return images(self.former_template)

    @cached_property
    def target_images(self) -> dict[str, str]:
        """The target template's images by container."""
        return images(self.target_template)


class Unneeded(msgspec.Struct, frozen=True):
    """There is nothing to change."""

    reason: str


class Refused(msgspec.Struct, frozen=True, kw_only=True):
    """The plan says no. Nothing is changed."""

    refusals: tuple[Refusal, ...]
    warnings: tuple[str, ...] = ()
    set_aside: tuple[SetAside, ...] = ()
