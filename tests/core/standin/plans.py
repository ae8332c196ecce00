"""Plans for the stand-in, written by hand: what the planner would say is not in question here."""

from collections.abc import Sequence

from bridgehead.core.model.component import Revision, template_digest
from bridgehead.core.plan.plan import (
    Care,
    Cost,
    Plan,
    PlannedCohort,
    SetAside,
    Stage,
    StageKind,
    Timing,
)
from bridgehead.core.plan.settings import (
    ComponentKind,
    ComponentRef,
    ContainerImage,
    ImagesChange,
    OnFailure,
    RolloutSpec,
)
from tests.core.standin.cluster import GPU
from tests.core.standin.controller import ROLLING, hash_of, template_of
from tests.core.standin.pods import NAMESPACE

TIMEOUT = 60.0
SETTLE = 3.0
CANARY_SOAK = 30.0
WAVE_SOAK = 10.0


def cohorts_of(nodes: Sequence[str]) -> tuple[PlannedCohort, ...]:
    """Nodes by their first letter, which is their kind here."""
    kinds = dict.fromkeys(name[0] for name in nodes)
    return tuple(
        PlannedCohort(kind, tuple(name for name in nodes if name[0] == kind)) for kind in kinds
    )


def canary(name: str, *nodes: str, parallel: int = 1, soak: float = CANARY_SOAK) -> Stage:
    """A stage of canaries."""
    return Stage(name, StageKind.CANARY, nodes, parallel, 2 * parallel, soak)


def wave(
    number: int,
    *nodes: str,
    parallel: int = 2,
    unproven: int | None = None,
    soak: float = WAVE_SOAK,
) -> Stage:
    """A wave."""
    limit = unproven if unproven is not None else 2 * parallel
    return Stage(f"wave {number}", StageKind.WAVE, nodes, parallel, limit, soak)


def stages_of(nodes: Sequence[str], parallel: int = 2) -> tuple[Stage, ...]:
    """One canary for each kind, the first alone, and one wave with the rest."""
    canaries = [cohort.nodes[0] for cohort in cohorts_of(nodes)]
    rest = [name for name in nodes if name not in canaries]
    stages = [canary("canary", canaries[0])]
    if canaries[1:]:
        stages.append(canary("other canaries", *canaries[1:], parallel=parallel))
    if rest:
        stages.append(wave(1, *rest, parallel=parallel))
    return tuple(stages)


def plan_of(
    nodes: Sequence[str],
    *,
    stages: tuple[Stage, ...] | None = None,
    restart_tests: bool = True,
    on_failure: OnFailure | None = None,
    set_aside: tuple[SetAside, ...] = (),
    parallel: int = 2,
    timeout: float = TIMEOUT,
    period: float = 1.0,
    settle: float = SETTLE,
    care: Care | None = None,
) -> Plan:
    """A change of the plugin's image from v1 to v2."""
    chosen = stages if stages is not None else stages_of(nodes, parallel)
    former, target = template_of("v1"), template_of("v2")
    canaries = [node for stage in chosen if stage.kind is StageKind.CANARY for node in stage.nodes]
    image = ContainerImage("plugin", "registry.test/plugin:v2")
    return Plan(
        spec=RolloutSpec(
            name="test",
            component=ComponentRef(ComponentKind.DAEMON_SET, NAMESPACE, "plugin"),
            change=ImagesChange((image,)),
            on_failure=on_failure or OnFailure(),
        ),
        component_uid="ds-1",
        generation=1,
        resources=(GPU,),
        resources_source="test",
        family="generic",
        change_digest="sha256:change",
        plan_digest="sha256:plan",
        former=Revision(f"plugin-{hash_of(former)}", hash_of(former), 1, template_digest(former)),
        former_template=former,
        former_strategy=ROLLING,
        target_template=target,
        cohorts=cohorts_of(nodes),
        stages=chosen,
        set_aside=set_aside,
        restart_tests=tuple(canaries) if restart_tests else (),
        timing=Timing(settle=settle, status_period=period, timeout=timeout),
        care=care or Care(),
        cost=Cost(duration=0, device_minutes=0, requests=0),
    )
