"""The use case ``verify``: does every node offer what it should, and can a pod have it?"""

import asyncio
from collections.abc import Mapping

import msgspec

from bridgehead.app.expectation import (
    LookTiming,
    expectation,
    last_run,
    nothing_to_change,
    plan_as_it_stands,
)
from bridgehead.app.runner import Session
from bridgehead.cluster.feed import WorldFeed
from bridgehead.cluster.perform import Performer
from bridgehead.cluster.read import read_snapshot
from bridgehead.core.journal.chain import Head, Signature, append
from bridgehead.core.journal.entry import Draft
from bridgehead.core.model.device import Offer
from bridgehead.core.model.snapshot import Snapshot, Unread
from bridgehead.core.plan.plan import Plan, Refusal, Refused
from bridgehead.core.plan.refuse import no_subject
from bridgehead.core.plan.settings import (
    ComponentRef,
)
from bridgehead.core.plan.subject import find_component
from bridgehead.core.rollout.commands import Baseline, CommandResult, Done, key
from bridgehead.core.rollout.decide import outcome
from bridgehead.core.rollout.decision import Decision, intent
from bridgehead.core.rollout.node_pass import advance
from bridgehead.core.rollout.run import Run
from bridgehead.core.rollout.standing_pass import standing_pass
from bridgehead.core.rollout.state import Mode, NodeState, RunState
from bridgehead.core.rollout.tracking import follow, in_flight
from bridgehead.core.rollout.transition import DONE, REFUSED, fold
from bridgehead.core.verify.case import Case
from bridgehead.core.verify.gates import judge
from bridgehead.core.verify.result import GateId, GateResult, Question, Verdict
from bridgehead.core.verify.track import Track

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
) -> Verification | Refused:
    """Look until every node is good, bad or out of time. Raises KubeError and ClusterError."""
    snapshot = await read_snapshot(
        session.kube, now=session.clock(), namespaces=(ref.namespace,), with_namespaces=True
    )
    component = find_component(nothing_to_change(ref, {}, options.timing), snapshot)
    if component is None:
        wanted = nothing_to_change(ref, {}, options.timing)
        return Refused(refusals=no_subject(wanted, snapshot))
    last = await last_run(session, ref)
    plan = plan_as_it_stands(ref, component, snapshot, options.timing, last)
    if isinstance(plan, Refusal):
        return Refused(refusals=(plan,))
    expected, basis = expectation(plan, snapshot, options.baseline, last)
    run = _standing(plan, expected, probe=options.probe, now=session.clock())
    results = await _look(session, run)
    return Verification(component=str(ref), basis=basis, nodes=results, unread=snapshot.unread)


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
                case = run.case(node, world, tracks.get(node.name), now)
                results[node.name] = _results(case, node, decision)
                if decision:
                    moved = True
                    run = await _carry_out(run, decision, performer, signature, now)
            session.watcher.look(run, world, Decision(waiting_for="verification"))
            if not moved:
                await feed.changed(BETWEEN_LOOKS)
    return results


def _no_fence() -> None:
    """Verification holds no lock: its pods have names of their own and are removed at once."""


def _results(case: Case, node: NodeState, decision: Decision) -> tuple[GateResult, ...]:
    """The node's answers now; a failure that the deadline made replaces the open answer."""
    probe = node.work.probe if node.work else None
    answers = judge(case)
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
