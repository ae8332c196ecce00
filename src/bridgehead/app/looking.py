"""Looking at a component's nodes until each of them is good, bad or out of time."""

import asyncio

import msgspec

from bridgehead.app.loop import BLIND_PATIENCE, OutOfSightError, Stopped, outcome_of
from bridgehead.app.session import Session
from bridgehead.cluster.feed import WorldFeed
from bridgehead.cluster.perform import Performer
from bridgehead.core.journal.chain import Head, Signature, append
from bridgehead.core.journal.entry import Draft
from bridgehead.core.rollout.commands import CreateOwnPod, DeleteOwnPod
from bridgehead.core.rollout.decision import Decision, intent
from bridgehead.core.rollout.leaving import leaving
from bridgehead.core.rollout.node_pass import advance
from bridgehead.core.rollout.run import Run
from bridgehead.core.rollout.state import NodeState
from bridgehead.core.rollout.tracking import counted, follow, in_flight
from bridgehead.core.rollout.transition import fold
from bridgehead.core.rollout.world import World
from bridgehead.core.verify.case import Case
from bridgehead.core.verify.gates import judge
from bridgehead.core.verify.result import GateResult
from bridgehead.core.verify.track import Track

BETWEEN_LOOKS = 0.5

Results = dict[str, tuple[GateResult, ...]]
"""Every gate's answer by node."""


class Looking:
    """The passes of a run whose nodes are verified as they stand; its records are kept nowhere."""

    def __init__(self, session: Session, run: Run) -> None:
        self._session = session
        self._run = run
        self._performer = Performer(session.kube, run.name, run.plan, holder=1, fence=_no_fence)
        self._results: Results = {}
        self._tracks: dict[str, Track] = {}

    async def until_settled(self) -> Results:
        """All answers. Raises Stopped, OutOfSightError and KubeError; our pods are removed then."""
        async with WorldFeed(self._session.kube, self._run.plan, self._run.name) as feed:
            try:
                await self._look_on(feed)
            finally:
                await self._carry_out(Decision(commands=leaving(self._run)))
        return self._results

    async def _look_on(self, feed: WorldFeed) -> None:
        seen_at = self._session.clock()
        while in_flight(self._run):
            if self._session.stop.is_set():
                raise Stopped(parked=None)
            flying = {node.name for node in in_flight(self._run)}
            asking = counted(self._run, self._tracks, self._session.clock())
            await feed.refresh(flying, set(), asking)
            world, now = feed.snapshot(), self._session.clock()
            if not world.stale:
                seen_at = now
            elif now - seen_at > BLIND_PATIENCE:
                raise OutOfSightError(f"{world.stale} could not be watched")
            self._tracks = dict(follow(self._run, world, self._tracks, now))
            moved = False if world.stale else await self._turn(world, now)
            self._session.watcher.look(self._run, world, Decision(waiting_for="verification"))
            if not moved:
                await feed.changed(BETWEEN_LOOKS)

    async def _turn(self, world: World, now: float) -> bool:
        """One look at every open node; whether any of them moved on."""
        moved = False
        for node in in_flight(self._run):
            track = self._tracks.get(node.name)
            decision = advance(self._run, node, world, track, now)
            case = self._run.case(node, world, track, now)
            self._results[node.name] = _answers(case, node, decision)
            if decision:
                moved = True
                await self._carry_out(decision)
        return moved

    async def _carry_out(self, decision: Decision) -> None:
        """As the loop does it. Nothing but pods of our own is ever written here."""
        commands = decision.commands
        if any(not isinstance(item, CreateOwnPod | DeleteOwnPod) for item in commands):
            raise RuntimeError(f"verification must not do this: {commands}")
        self._note([*decision.notes, *(intent(command) for command in commands)])
        answers = await asyncio.gather(*(self._performer.perform(item) for item in commands))
        pairs = zip(commands, answers, strict=True)
        self._note([outcome_of(command, answer) for command, answer in pairs])

    def _note(self, drafts: list[Draft]) -> None:
        head = Head(self._run.state.last_seq, "")
        signature = Signature(run=self._run.name, owner="", identity="")
        entries = [append(head, draft, signature, self._session.clock()) for draft in drafts]
        state = fold(entries, self._run.state)
        self._run = msgspec.structs.replace(self._run, state=state)


def _no_fence() -> None:
    """Verification holds no lock: its pods have names of their own and are removed at once."""


def _answers(case: Case, node: NodeState, decision: Decision) -> tuple[GateResult, ...]:
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
