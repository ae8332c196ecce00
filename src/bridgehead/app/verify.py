"""The use case ``verify``: does every node offer what it should, and can a pod have it?"""

from collections.abc import Mapping

import msgspec

from bridgehead.app.expectation import (
    LookTiming,
    expectation,
    last_run,
    nothing_to_change,
    plan_as_it_stands,
)
from bridgehead.app.looking import Looking
from bridgehead.app.planning import Planned
from bridgehead.app.session import Session
from bridgehead.cluster.read import read_snapshot
from bridgehead.core.model.device import Offer
from bridgehead.core.model.snapshot import Snapshot, Unread
from bridgehead.core.plan.plan import Plan, Refusal, Refused
from bridgehead.core.plan.refuse import no_subject, well_founded
from bridgehead.core.plan.settings import (
    ComponentRef,
)
from bridgehead.core.plan.subject import find_component
from bridgehead.core.rollout.commands import Baseline
from bridgehead.core.rollout.run import Run
from bridgehead.core.rollout.standing_pass import standing_pass
from bridgehead.core.rollout.state import Mode, RunState
from bridgehead.core.verify.result import GateId, GateResult, Question, Verdict

BETWEEN_LOOKS = 0.5


class VerifyOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What a person asked for beside the component."""

    baseline: Snapshot | None = None
    """A recorded state that says what each node should offer."""
    probe: bool = False
    """Start probe pods where a device is free: the only writes that verify makes."""
    timing: LookTiming = LookTiming()


class Verification(msgspec.Struct, frozen=True, kw_only=True):
    """Every gate of every node."""

    component: str
    basis: str
    """Where the expectation comes from."""
    nodes: Mapping[str, tuple[GateResult, ...]]
    unread: tuple[Unread, ...] = ()


async def verify(
    session: Session, ref: ComponentRef, options: VerifyOptions
) -> Verification | Planned:
    """Look until every node is good, bad or out of time; ``Planned`` where there is nothing to see.

    Raises Stopped, OutOfSightError, KubeError and ClusterError.
    """
    snapshot = await read_snapshot(
        session.kube, now=session.clock(), namespaces=(ref.namespace,), with_namespaces=True
    )
    component = find_component(nothing_to_change(ref, {}, options.timing), snapshot)
    if component is None:
        against = no_subject(nothing_to_change(ref, {}, options.timing), snapshot)
        return Planned(
            result=Refused(refusals=well_founded(against, snapshot)),
            component=None,
            unread=snapshot.unread,
        )
    last = await last_run(session, ref)
    plan = plan_as_it_stands(ref, component, snapshot, options.timing, last)
    if isinstance(plan, Refusal):
        told = well_founded((plan,), snapshot)
        return Planned(result=Refused(refusals=told), component=component, unread=snapshot.unread)
    expected, basis = expectation(plan, snapshot, options.baseline, last)
    now = session.clock()
    run = _standing(plan, expected, probe=options.probe, now=now)
    results = {**await Looking(session, run).until_settled(), **_set_aside(plan, now)}
    return Verification(component=str(ref), basis=basis, nodes=results, unread=snapshot.unread)


def _set_aside(plan: Plan, now: float) -> dict[str, tuple[GateResult, ...]]:
    """Nodes that cannot be looked at are unknown, each with its reason: they are never left out."""
    return {
        item.node: (
            Question(GateId.ALLOCATABLE, item.node, "to be looked at", now).answer(
                Verdict.UNKNOWN, "not looked at", item.reason
            ),
        )
        for item in plan.set_aside
    }


def _standing(
    plan: Plan, expected: Mapping[str, Mapping[str, Offer]], *, probe: bool, now: float
) -> Run:
    """A run in which every node is being verified as it is; nothing of it is recorded."""
    skipped = "not asked for: --probe starts pods"
    nodes = {
        name: standing_pass(
            name,
            Baseline(offers=expected[name]),
            now,
            None
            if probe
            else Question(GateId.PROBE, name, "a pod gets a device", now).answer(
                Verdict.SKIPPED, "no probe", skipped
            ),
        )
        for name in plan.nodes
    }
    state = RunState(mode=Mode.FORWARD, nodes=nodes, generation=plan.generation)
    return Run(name="verify", plan=plan, state=state, family=plan.family)
