"""The use case ``rehearse``: a change is played against a twin of the cluster, in simulated time.

The engine, the client and the journal are those of a rollout; only the cluster and the clock are
others. Every fault is played in a twin of its own, so that none learns of another.
"""

import asyncio
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Protocol

import msgspec

from bridgehead.app.loop import OutOfSightError
from bridgehead.app.planning import Planned, plan_live
from bridgehead.app.rehearse_measure import AFTERMATH, Measure
from bridgehead.app.rehearse_stage import Stage, rehearsable, staged
from bridgehead.app.rehearse_state import State
from bridgehead.app.rollout import Options, RolloutResult, rollout
from bridgehead.app.runner import Ended
from bridgehead.app.session import Watcher
from bridgehead.cluster.errors import ClusterError
from bridgehead.core.inventory.cohort import cohorts_of
from bridgehead.core.journal.entry import Entry
from bridgehead.core.model.durations import duration_text
from bridgehead.core.plan.plan import Plan
from bridgehead.core.plan.settings import RolloutSpec
from bridgehead.core.rehearsal.outcome import PREFLIGHT, Outcome, Rehearsal
from bridgehead.core.rollout.decision import Decision
from bridgehead.core.rollout.run import Run
from bridgehead.core.rollout.world import World
from bridgehead.core.verify.result import GateResult
from bridgehead.kube.errors import KubeError
from bridgehead.twin.faults.fault import Fault
from bridgehead.twin.faults.laying import Members, check_image, check_place
from bridgehead.twin.seeding.recorded import seed_of
from bridgehead.twin.seeding.seed import Seed
from bridgehead.twin.virtual.loop import run_virtual

LONGEST = 2 * 86400.0
"""Simulated seconds after which a run is not waited for any longer."""


class Audience(Watcher, Protocol):
    """Who follows a rehearsal."""

    def begins(self, fault: str) -> None:
        """A playing begins; an empty fault is the change as it is."""
        ...

    def ends(self, outcome: Outcome) -> None:
        """A playing has ended."""
        ...


Choose = Callable[[Plan], Iterable[Fault | None]]
"""Which faults to play, by the plan; None for the change as it is."""


def rehearse(
    state: State,
    spec: RolloutSpec,
    text: str,
    options: Options,
    *,
    choose: Choose,
    chance: int,
    audience: Audience,
) -> Rehearsal | Planned:
    """Play the change as often as ``choose`` says; or why there is no plan to play.

    Raises FaultError for a fault that nothing in this cluster can have.
    """
    seed = seed_of([dict(item) for item in state.objects], at=state.snapshot.at)
    assumed = tuple(_assumed(spec, state))
    spec = rehearsable(spec)
    planned, left_out = run_virtual(_plan(seed, spec, options, chance=chance), start=seed.at)
    if not isinstance(planned.result, Plan):
        return planned
    player = _Player(
        seed=seed,
        spec=spec,
        text=text,
        options=options,
        plan=planned.result,
        members=_Cohorts(planned.result, state, spec),
    )
    faults = tuple(choose(planned.result))
    for fault in faults:
        if fault is not None:
            check_place(fault, seed.machines, player.members)
            check_image(fault, set(player.plan.images.values()), _images(state, player.plan))
    outcomes = []
    for fault in faults:
        audience.begins(fault.text if fault is not None else "")
        playing = player.play(fault, chance=chance, watcher=audience)
        outcomes.append(run_virtual(playing, start=seed.at))
        audience.ends(outcomes[-1])
    return Rehearsal(
        plan=planned.result,
        at=seed.at,
        chance=chance,
        outcomes=tuple(outcomes),
        assumptions=(*seed.assumptions, *left_out, *assumed),
        unread=state.snapshot.unread,
    )


def _images(state: State, plan: Plan) -> set[str]:
    """All images that are known of the cluster and of the component."""
    running = {container.image for pod in state.snapshot.pods for container in pod.containers}
    return running.union(plan.former_images.values(), plan.target_images.values())


async def _plan(
    seed: Seed, spec: RolloutSpec, options: Options, *, chance: int
) -> tuple[Planned, tuple[str, ...]]:
    """The plan, and what of the record the twin could not take over."""
    async with staged(seed, spec, chance=chance, watcher=_Nobody()) as stage:
        session = stage.session
        planned = await plan_live(session.kube, spec, now=session.clock(), detach=options.detach)
        return planned, stage.left_out


def _assumed(spec: RolloutSpec, state: State) -> Iterable[str]:
    yield f"what shows later than {duration_text(AFTERMATH)} after the end does not count"
    period = min(10.0, spec.verify.status_period)
    yield f"kubelets report what they offer every {period:g} s"
    if spec.approve:
        yield "consent is given at once"
    if spec.windows:
        yield "windows are open all the time"
    if state.snapshot.server:
        yield f"the API server behaves as one of Kubernetes 1.37; it was {state.snapshot.server}"


class _Player(msgspec.Struct, frozen=True, kw_only=True):
    """Plays one change, any number of times."""

    seed: Seed
    spec: RolloutSpec
    text: str
    options: Options
    plan: Plan
    members: Members

    async def play(self, fault: Fault | None, *, chance: int, watcher: Watcher) -> Outcome:
        """From the settled twin to what is left long after the ending."""
        async with staged(self.seed, self.spec, chance=chance, watcher=watcher) as stage:
            if fault is not None:
                stage.begin(fault, set(self.plan.images.values()), self.members)
            measure = Measure(stage.twin, self.spec.component, self.plan.resources)
            began = stage.session.clock()
            told = await self._result(stage)
            lasted = stage.session.clock() - began
            touched, lost = measure.touched, measure.device_minutes
            stage.calm()
            missing = await measure.missing(stage.struck)
            return msgspec.structs.replace(
                told,
                fault=fault.text if fault is not None else "",
                touched=touched,
                device_minutes=lost,
                duration=lasted,
                missing=missing,
                struck=stage.struck,
            )

    async def _result(self, stage: Stage) -> Outcome:
        patience = asyncio.timeout(LONGEST)
        session = msgspec.structs.replace(stage.session, explains_failures=True)
        try:
            async with patience:
                result = await rollout(session, self.spec, self.text, self.options)
        except TimeoutError:
            if not patience.expired():  # some other wait ran out, which nobody expects
                raise
            return _stopped(5, f"it still waits after {LONGEST / 86400:g} days")
        except (KubeError, ClusterError, OutOfSightError) as error:
            notes = " ".join(getattr(error, "__notes__", ()))
            return _stopped(6, f"{error} {notes}".strip())
        return _told(result)


def _stopped(code: int, why: str) -> Outcome:
    return Outcome(exit=code, summary=why)


def _told(result: RolloutResult) -> Outcome:
    if not isinstance(result, Ended):
        why = "it did not begin"
        if isinstance(result, Planned) and hasattr(result.result, "refusals"):
            why = "; ".join(item.message for item in result.result.refusals) or why
        return _stopped(1, why)
    ending = result.ending
    failure = ending.failure if ending.exit else None
    return Outcome(
        exit=ending.exit,
        summary=ending.summary,
        stage=PREFLIGHT if ending.exit == 1 else _stage_of(result.run, failure),
        failure=failure,
        explained=result.explained,
        journal_head=result.head,
    )


def _stage_of(run: Run, failure: GateResult | None) -> str:
    if failure is None or not run.plan.stages:
        return ""
    return run.plan.stages[run.stage_of(failure.node)].name


class _Cohorts:
    """Names of nodes by the names of their cohorts, as the plan tells them or in full."""

    def __init__(self, plan: Plan, state: State, spec: RolloutSpec) -> None:
        whole = cohorts_of(state.snapshot.nodes, spec.cohort)
        self._members = [
            *((cohort.name, frozenset(cohort.nodes)) for cohort in plan.cohorts),
            *((cohort.name, frozenset(node.name for node in whole[cohort])) for cohort in whole),
        ]

    def __call__(self, name: str) -> Collection[str]:
        """The nodes of every cohort whose name holds this."""
        found: Sequence[frozenset[str]] = [
            members for known, members in self._members if name in known
        ]
        return frozenset[str]().union(*found)


class _Nobody:
    """Watches nothing."""

    def tell(self, entry: Entry) -> None:
        """Nobody hears of records."""

    def say(self, words: str) -> None:
        """Nobody hears of anything else."""

    def look(self, run: Run, world: World, decision: Decision) -> None:
        """Nobody looks."""
