"""What every node of a component should offer now, as far as anybody knows."""

from collections.abc import Mapping

import msgspec

from bridgehead.app.session import Session
from bridgehead.app.status import newest_run
from bridgehead.cluster.store import RunStore
from bridgehead.core.model.component import Component
from bridgehead.core.model.device import Offer
from bridgehead.core.model.snapshot import Snapshot
from bridgehead.core.plan.build import plan_of
from bridgehead.core.plan.plan import Plan, Refusal
from bridgehead.core.plan.settings import (
    ComponentRef,
    ContainerImage,
    ImagesChange,
    RolloutSpec,
    VerifySettings,
)
from bridgehead.core.plan.subject import subject_of
from bridgehead.core.rollout.state import RunState
from bridgehead.core.rollout.transition import fold
from bridgehead.core.verify.majority import majority
from bridgehead.core.verify.track import LOOK_DELAY


class LookTiming(msgspec.Struct, frozen=True, kw_only=True):
    """When a look counts, in seconds; None for the defaults of a rollout."""

    settle: float | None = None
    status_period: float | None = None


def nothing_to_change(
    ref: ComponentRef, images: Mapping[str, str], timing: LookTiming
) -> RolloutSpec:
    """A spec that keeps the images: verification is a plan without a change."""
    defaults = VerifySettings()
    return RolloutSpec(
        name="verify",
        component=ref,
        change=ImagesChange(tuple(ContainerImage(*item) for item in sorted(images.items()))),
        verify=VerifySettings(
            settle=timing.settle if timing.settle is not None else defaults.settle,
            status_period=timing.status_period or defaults.status_period,
            status_period_unchecked=True,
            timeout=_patience(timing, defaults),
        ),
    )


def _patience(timing: LookTiming, defaults: VerifySettings) -> float:
    """Time for a steady node to be seen steady, with room for a dip in between."""
    period = timing.status_period or defaults.status_period
    return LOOK_DELAY * period + 3 * (timing.settle or defaults.settle)


class LastRun(msgspec.Struct, frozen=True):
    """The component's newest run: its plan and what became of its nodes."""

    plan: Plan
    state: RunState


async def last_run(session: Session, ref: ComponentRef) -> LastRun | None:
    """The newest run of the component; None where it never had one."""
    store = RunStore(session.kube, session.state_namespace)
    name = await newest_run(store, ref)
    if not name:
        return None
    record = await store.load(name)
    return LastRun(record.plan, fold(await store.entries(name)))


def plan_as_it_stands(
    ref: ComponentRef,
    component: Component,
    snapshot: Snapshot,
    timing: LookTiming,
    last: LastRun | None,
) -> Plan | Refusal:
    """The component's nodes as a plan that changes nothing."""
    spec = nothing_to_change(ref, component.images, timing)
    if last is not None:
        spec = msgspec.structs.replace(spec, resources=last.plan.resources)
    subject = subject_of(spec, snapshot, component, component.template)
    if not subject.resources:
        return Refusal(
            "resources-unknown",
            f"which resources {ref} offers is not known ({subject.resources_source})",
            "roll out once with resources: in the spec, or check the plugin's log",
            str(ref),
        )
    former = subject.former
    if former is None:
        return Refusal(
            "revision-unknown",
            "no ControllerRevision holds the template that stands",
            "wait until the DaemonSet controller has caught up",
            str(ref),
        )
    return plan_of(subject, former)


def expectation(
    plan: Plan, snapshot: Snapshot, baseline: Snapshot | None, last: LastRun | None
) -> tuple[dict[str, Mapping[str, Offer]], str]:
    """What each node should offer: as recorded, as before the last run, or as its kind does."""
    nodes = {node.name: node for node in snapshot.nodes}
    expected: dict[str, Mapping[str, Offer]] = {}
    for cohort in plan.cohorts:
        usual = majority((nodes[name] for name in cohort.nodes), plan.resources)
        expected.update(dict.fromkeys(cohort.nodes, usual))
    basis = "what most nodes of each cohort offer (confidence low)"
    if baseline is not None:
        for node in baseline.nodes:
            if node.name in expected:
                none = Offer(0, 0)
                expected[node.name] = {name: node.offers.get(name, none) for name in plan.resources}
        return expected, "the recorded baseline; for nodes that are not in it, their cohort"
    if last is not None:
        known = {
            name: node.baseline.offers
            for name, node in last.state.nodes.items()
            if node.baseline is not None and name in expected
        }
        if known:
            return {**expected, **known}, "what each node offered before the last run"
    return expected, basis
