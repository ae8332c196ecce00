"""The plan: from a spec and one reading of a cluster to stages of nodes, or to refusals."""

import msgspec

from bridgehead.core.findings.standing import few
from bridgehead.core.inventory.cohort import Cohort, cohorts_of, short_names, splitting_key
from bridgehead.core.model.component import Revision
from bridgehead.core.model.device import Offer
from bridgehead.core.model.json import JsonObject, digest
from bridgehead.core.model.node import Node
from bridgehead.core.model.pod import requested
from bridgehead.core.model.snapshot import Snapshot
from bridgehead.core.plan.care import care_of, restart_tests
from bridgehead.core.plan.cost import cost_of
from bridgehead.core.plan.holders import occupied
from bridgehead.core.plan.placement import unchanged_fields
from bridgehead.core.plan.plan import (
    Care,
    Occupied,
    Placement,
    Plan,
    PlannedCohort,
    Refused,
    SetAside,
    Stage,
    StageKind,
    Timing,
    Unneeded,
)
from bridgehead.core.plan.refuse import no_subject, nothing_to_do, refusals, well_founded
from bridgehead.core.plan.schedule import schedule_refusals
from bridgehead.core.plan.settings import ImagesChange, RolloutSpec, Workloads
from bridgehead.core.plan.stages import stages_of
from bridgehead.core.plan.subject import Subject, find_component, subject_of, why_not_judged

PLUGIN_TIMEOUT = 240.0
"""Seconds for a device plugin's node to be good again: capacity falls to 0 after five minutes."""

MANY_COHORTS = 8

UNFINISHED = frozenset({"mixed-revisions", "revision-unknown"})
"""Refusals by which a template that is as wanted says nothing of the pods."""


def build(
    spec: RolloutSpec, snapshot: Snapshot, target: JsonObject | None, *, detach: bool = False
) -> Plan | Refused | Unneeded:
    """The plan of a change, or why there is none.

    ``target`` is the template as the server would store it (answer of a dry-run); None where the
    component or one of its containers does not exist. Without refusals in it, a refused plan says
    no more than what the snapshot could not read.
    """
    early = no_subject(spec, snapshot)
    component = find_component(spec, snapshot)
    if early or component is None or target is None:
        return Refused(refusals=well_founded(early, snapshot))
    subject = subject_of(spec, snapshot, component, target)
    against = refusals(subject, detach=detach)
    former = subject.former
    if nothing_to_do(subject) and not any(item.rule in UNFINISHED for item in against):
        return Unneeded(f"{component.ref} has {_wanted(spec)} already, and so have its pods")
    if against or former is None:
        told = well_founded(against, snapshot)
        return Refused(refusals=told, set_aside=subject.set_aside, warnings=_warnings(subject))
    plan = plan_of(subject, former)
    against = schedule_refusals(plan)
    if against:
        return Refused(refusals=against, set_aside=plan.set_aside, warnings=plan.warnings)
    return plan


def plan_of(subject: Subject, former: Revision) -> Plan:
    """The plan for a subject that nothing speaks against."""
    spec = subject.spec
    cohorts = cohorts_of(subject.usable, spec.cohort)
    in_use = _in_use(subject)
    stages = stages_of(spec, cohorts, in_use)
    # Once a target that moves pods stands, a pod that is deleted comes back on it: no more tests.
    tested = stages[:1] if subject.moves else stages
    canaries = [name for stage in tested if stage.kind is StageKind.CANARY for name in stage.nodes]
    care = care_of(spec, subject.component.template)
    names = short_names(cohorts)
    planned = tuple(
        PlannedCohort(names[cohort], tuple(node.name for node in nodes))
        for cohort, nodes in cohorts.items()
    )
    timing = Timing(
        settle=spec.verify.settle,
        status_period=spec.verify.status_period,
        timeout=spec.verify.timeout or PLUGIN_TIMEOUT,
    )
    change = change_digest(spec)
    return Plan(
        spec=spec,
        component_uid=subject.component.uid,
        generation=subject.component.generation,
        resources=subject.resources,
        resources_source=subject.resources_source,
        family=subject.family,
        change_digest=change,
        plan_digest=_plan_digest(change, planned, former, stages, _placement(subject)),
        former=former,
        former_template=subject.component.template,
        former_strategy=subject.component.strategy,
        target_template=subject.target,
        cohorts=planned,
        stages=stages,
        set_aside=(*subject.set_aside, *_gains_aside(subject)),
        placement=_placement(subject),
        restart_tests=restart_tests(spec, subject.component.template, canaries, in_use),
        timing=timing,
        care=care,
        occupied=_occupied(subject, care, stages),
        cost=cost_of(stages, timing, _devices(subject)),
        warnings=(*_warnings(subject), *_many(cohorts)),
    )


def change_digest(spec: RolloutSpec) -> str:
    """Digest of what is to be written to the component, and of nothing about how."""
    content: JsonObject = {
        "component": str(spec.component),
        "resources": list(spec.resources or ()),
    }
    change = spec.change
    if isinstance(change, ImagesChange):
        return digest({**content, "images": change.by_container()})
    consent: JsonObject = msgspec.to_builtins(spec.placement)
    return digest({**content, "template": change.template, "placement": consent})


def _wanted(spec: RolloutSpec) -> str:
    """What the component would get, in a few words."""
    if isinstance(spec.change, ImagesChange):
        return ", ".join(sorted(spec.change.by_container().values()))
    return f"the template of {spec.change.path}"


def _placement(subject: Subject) -> Placement | None:
    if not subject.moves:
        return None
    gains, loses = subject.gains, subject.loses
    return Placement(tuple(node.name for node in gains), tuple(node.name for node in loses))


def _gains_aside(subject: Subject) -> list[SetAside]:
    """Gained nodes of which nothing can be told now: judged once they can be."""
    return [
        SetAside(node.name, f"would be gained; {why}")
        for node in subject.gains
        if (why := why_not_judged(node))
    ]


def _plan_digest(
    change: str,
    cohorts: tuple[PlannedCohort, ...],
    former: Revision,
    stages: tuple[Stage, ...],
    placement: Placement | None,
) -> str:
    content: JsonObject = {
        **({"placement": msgspec.to_builtins(placement)} if placement is not None else {}),
        "change": change,
        "cohorts": msgspec.to_builtins(cohorts),
        "former": former.template_digest,
        "stages": [[stage.name, *stage.nodes] for stage in stages],
    }
    return digest(content)


def _in_use(subject: Subject) -> dict[str, int]:
    """Devices in use per node, over all resources of the component."""
    by_node: dict[str, list[int]] = {}
    for pod in subject.snapshot.pods:
        held = sum(requested((pod,), name) for name in subject.resources)
        if held and pod.node:
            by_node.setdefault(pod.node, []).append(held)
    return {name: sum(held) for name, held in by_node.items()}


def _devices(subject: Subject) -> dict[str, int]:
    """Devices per node, over all resources of the component."""
    none = Offer(0, 0)
    return {
        node.name: sum(node.offers.get(name, none).allocatable for name in subject.resources)
        for node in subject.usable
    }


def _occupied(subject: Subject, care: Care, stages: tuple[Stage, ...]) -> tuple[Occupied, ...]:
    """Who holds devices of the nodes now, where that is going to matter."""
    if care.workloads is Workloads.KEEP:
        return ()
    nodes = [name for stage in stages for name in stage.nodes]
    return occupied(subject.snapshot.pods, nodes, subject.resources, subject.component.uid)


def _warnings(subject: Subject) -> tuple[str, ...]:
    return (
        *unchanged_fields(subject),
        *_bad_before(subject),
        *_named_in_vain(subject),
        *_left_out(subject),
    )


def _bad_before(subject: Subject) -> list[str]:
    """A baseline that is bad already will pass as it is: say so before, not after."""
    found = []
    for node in subject.usable:
        for name in subject.resources:
            offer = node.offer(name)
            if offer is None or offer.allocatable == 0:
                found.append(f"{node.name} offers no {name} before the change")
            elif offer.allocatable < offer.capacity:
                bad = offer.capacity - offer.allocatable
                found.append(f"{node.name} has {bad} unhealthy {name} before the change")
    return found


def _named_in_vain(subject: Subject) -> list[str]:
    usable = {node.name for node in subject.usable}
    return [
        f"canary {name} is not among the nodes that can be changed"
        for name in subject.spec.canary.nodes
        if name not in usable
    ]


def _left_out(subject: Subject) -> list[str]:
    """A rollout over some of the nodes cannot give the strategy back: say so before it begins."""
    if not subject.left_out:
        return []
    shown = few(subject.left_out)
    return [
        f"{len(subject.left_out)} nodes are left out ({shown}): the update strategy will stay "
        "OnDelete and the run will end with exit 4, or the controller would replace their pods"
    ]


def _many(cohorts: dict[Cohort, tuple[Node, ...]]) -> list[str]:
    key = splitting_key(cohorts)
    if len(cohorts) <= MANY_COHORTS or key is None:
        return []
    return [
        f"there are {len(cohorts)} cohorts; most come from {key.value}: leave it out of cohort: "
        "if its values behave alike"
    ]
