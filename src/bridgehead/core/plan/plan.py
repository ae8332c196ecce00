"""The plan: a value that prints, and that a run follows to its end."""

from enum import Enum

import msgspec

from bridgehead.core.model.component import Revision
from bridgehead.core.model.json import JsonObject
from bridgehead.core.plan.settings import RolloutSpec


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


class Cost(msgspec.Struct, frozen=True):
    """What the rollout is expected to take if nothing goes wrong."""

    duration: float
    device_minutes: float
    requests: int


class Plan(msgspec.Struct, frozen=True, kw_only=True):
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
    timing: Timing
    cost: Cost
    warnings: tuple[str, ...] = ()

    @property
    def nodes(self) -> tuple[str, ...]:
        """All nodes that the plan changes, in order."""
        return tuple(node for stage in self.stages for node in stage.nodes)

    def cohort_of(self, node: str) -> PlannedCohort | None:
        """The cohort that a node was counted in; None for one that joined later."""
        return next((item for item in self.cohorts if node in item.nodes), None)


class Unneeded(msgspec.Struct, frozen=True):
    """There is nothing to change."""

    reason: str


class Refused(msgspec.Struct, frozen=True, kw_only=True):
    """The plan says no. Nothing is changed."""

    refusals: tuple[Refusal, ...]
    warnings: tuple[str, ...] = ()
    set_aside: tuple[SetAside, ...] = ()
