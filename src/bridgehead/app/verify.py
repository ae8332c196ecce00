"""The use case ``verify``: does every node offer what it should, and can a pod have it?"""

import asyncio
from collections.abc import Mapping

import msgspec

from bridgehead.app.runner import Session
from bridgehead.app.status import newest_run
from bridgehead.cluster.feed import WorldFeed
from bridgehead.cluster.perform import Performer
from bridgehead.cluster.read import read_snapshot
from bridgehead.cluster.store import RunStore
from bridgehead.core.journal.chain import Head, Signature, append
from bridgehead.core.journal.entry import Draft
from bridgehead.core.model.component import Component
from bridgehead.core.model.device import Offer
from bridgehead.core.model.snapshot import Snapshot, Unread
from bridgehead.core.plan.build import plan_of
from bridgehead.core.plan.plan import Plan, Refusal, Refused
from bridgehead.core.plan.refuse import no_subject
from bridgehead.core.plan.settings import (
    ComponentRef,
    ContainerImage,
    ImagesChange,
    RolloutSpec,
    VerifySettings,
)
from bridgehead.core.plan.subject import find_component, subject_of
from bridgehead.core.rollout.commands import Baseline, CommandResult, Done, key
from bridgehead.core.rollout.decide import outcome
from bridgehead.core.rollout.decision import Decision, intent
from bridgehead.core.rollout.node_pass import advance
from bridgehead.core.rollout.run import Run
from bridgehead.core.rollout.standing_pass import standing_pass
from bridgehead.core.rollout.state import Mode, RunState
from bridgehead.core.rollout.tracking import follow, in_flight
from bridgehead.core.rollout.transition import DONE, REFUSED, fold
from bridgehead.core.rollout.world import World
from bridgehead.core.verify.gates import judge
from bridgehead.core.verify.majority import majority
from bridgehead.core.verify.result import GateId, GateResult, Question, Verdict
from bridgehead.core.verify.track import Track

BETWEEN_LOOKS = 0.5


class VerifyOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What a person asked for beside the component."""

    baseline: Snapshot | None = None
    """A recorded state that says what each node should offer."""
    probe: bool = False
    """Start probe pods where a device is free: the only writes that verify makes."""
    settle: float | None = None
    status_period: float | None = None


class Verification(msgspec.Struct, frozen=True, kw_only=True):
    """Every gate of every node."""

    component: str
    basis: str
    """Where the expectation comes from."""
    nodes: Mapping[str, tuple[GateResult, ...]]
    unread: tuple[Unread, ...] = ()


async def verify(
    session: Session, ref: ComponentRef, options: VerifyOptions
) -> Verification | Refused:
    """Look until every node is good, bad or out of time. Raises KubeError and ClusterError."""
    snapshot = await read_snapshot(
        session.kube, now=session.clock(), namespaces=(ref.namespace,), with_namespaces=True
    )
    component = find_component(_spec(ref, {}, options), snapshot)
    if component is None:
        return Refused(refusals=no_subject(_spec(ref, {}, options), snapshot))
    last = await _last_run(session, ref)
    plan = _plan(ref, component, snapshot, options, last)
    if isinstance(plan, Refusal):
        return Refused(refusals=(plan,))
    expected, basis = _expected(plan, snapshot, options, last)
    run = _standing(plan, expected, probe=options.probe, now=session.clock())
    results = await _look(session, run)
    return Verification(component=str(ref), basis=basis, nodes=results, unread=snapshot.unread)


def _spec(ref: ComponentRef, images: Mapping[str, str], options: VerifyOptions) -> RolloutSpec:
    defaults = VerifySettings()
    return RolloutSpec(
        name="verify",
        component=ref,
        change=ImagesChange(tuple(ContainerImage(*item) for item in sorted(images.items()))),
        verify=VerifySettings(
            settle=options.settle if options.settle is not None else defaults.settle,
            status_period=options.status_period or defaults.status_period,
            status_period_unchecked=True,
            timeout=(options.settle or defaults.settle) * 3,
        ),
    )


class _Last(msgspec.Struct, frozen=True):
    plan: Plan
    state: RunState


async def _last_run(session: Session, ref: ComponentRef) -> _Last | None:
    store = RunStore(session.kube, session.state_namespace)
    name = await newest_run(store, ref)
    if not name:
        return None
    record = await store.load(name)
    return _Last(record.plan, fold(await store.entries(name)))


def _plan(
    ref: ComponentRef,
    component: Component,
    snapshot: Snapshot,
    options: VerifyOptions,
    last: _Last | None,
) -> Plan | Refusal:
    """The component's nodes as a plan that changes nothing."""
    spec = _spec(ref, component.images, options)
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


def _expected(
    plan: Plan, snapshot: Snapshot, options: VerifyOptions, last: _Last | None
) -> tuple[dict[str, Mapping[str, Offer]], str]:
    """What each node should offer: as recorded, as before the last run, or as its kind does."""
    nodes = {node.name: node for node in snapshot.nodes}
    expected: dict[str, Mapping[str, Offer]] = {}
    for cohort in plan.cohorts:
        usual = majority((nodes[name] for name in cohort.nodes), plan.resources)
        expected.update(dict.fromkeys(cohort.nodes, usual))
    basis = "what most nodes of each cohort offer (confidence low)"
    if options.baseline is not None:
        for node in options.baseline.nodes:
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


async def _look(session: Session, run: Run) -> dict[str, tuple[GateResult, ...]]:
    results: dict[str, tuple[GateResult, ...]] = {}
    tracks: dict[str, Track] = {}
    performer = Performer(session.kube, run.name, run.plan, holder=1, fence=_no_fence)
    signature = Signature(run=run.name, owner="", identity="")
    async with WorldFeed(session.kube, run.plan, run.name) as feed:
        while in_flight(run) and not session.stop.is_set():
            names = {node.name for node in in_flight(run)}
            await feed.refresh(names, set())
            world, now = feed.snapshot(), session.clock()
            tracks = dict(follow(run, world, tracks, now))
            if world.stale:
                await feed.changed(BETWEEN_LOOKS)
                continue
            moved = False
            for node in in_flight(run):
                decision = advance(run, node, world, tracks.get(node.name), now)
                results[node.name] = _results(run, node.name, world, tracks, now, decision)
                if decision:
                    moved = True
                    run = await _carry_out(run, decision, performer, signature, now)
            session.watcher.look(run, world, Decision(waiting_for="verification"))
            if not moved:
                await feed.changed(BETWEEN_LOOKS)
    return results


def _no_fence() -> None:
    """Verification holds no lock: its pods have names of their own and are removed at once."""


def _results(
    run: Run, name: str, world: World, tracks: Mapping[str, Track], now: float, decision: Decision
) -> tuple[GateResult, ...]:
    """The node's answers now; a failure that the deadline made replaces the open answer."""
    node = run.state.node(name)
    answers = judge(run.case(node, world, tracks.get(name), now))
    probe = node.work.probe if node.work else None
    both = (*answers, probe) if probe is not None else answers
    failed = _failure(decision)
    if failed is None:
        return both
    return tuple(failed if item.gate is failed.gate else item for item in both)


def _failure(decision: Decision) -> GateResult | None:
    for draft in decision.notes:
        if (draft.step, draft.result) == ("node", "failed"):
            found = msgspec.convert(draft.detail["gate"], type=GateResult)
            return msgspec.structs.replace(found, evidence=draft.evidence)
    return None


async def _carry_out(
    run: Run, decision: Decision, performer: Performer, signature: Signature, now: float
) -> Run:
    """As the loop does it, but the records are kept nowhere."""
    drafts = [*decision.notes, *(intent(command) for command in decision.commands)]
    run = _noted(run, drafts, signature, now)
    answers = await asyncio.gather(*(performer.perform(item) for item in decision.commands))
    outcomes = [
        _outcome(key(command), answer)
        for command, answer in zip(decision.commands, answers, strict=True)
    ]
    return _noted(run, outcomes, signature, now)


def _outcome(name: str, answer: CommandResult) -> Draft:
    if isinstance(answer, Done):
        return outcome(name, DONE, answer.detail)
    return outcome(name, REFUSED, {"reason": answer.reason, "message": answer.message})


def _noted(run: Run, drafts: list[Draft], signature: Signature, now: float) -> Run:
    head = Head(run.state.last_seq, "")
    entries = [append(head, draft, signature, now) for draft in drafts]
    return msgspec.structs.replace(run, state=fold(entries, run.state))
