"""Plays a scenario: the stage is set, bridgehead runs, and what came of it is looked at."""

import asyncio
from collections.abc import Awaitable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeVar

from bridgehead.app.planning import Planned
from bridgehead.app.rollout import NotAllowed, Options, RolloutResult, rollout
from bridgehead.app.runner import Ended
from bridgehead.app.session import Session
from bridgehead.cli.explanation import explanation_lines
from bridgehead.cli.failures import failure_of
from bridgehead.cluster.errors import ClusterError
from bridgehead.cluster.store import RunStore
from bridgehead.core.journal.entry import Entry
from bridgehead.core.plan.plan import Refused
from bridgehead.core.rollout.decision import Decision
from bridgehead.core.rollout.run import Run
from bridgehead.core.rollout.world import World
from bridgehead.kube.errors import KubeError
from bridgehead.report.entry_text import clock_time, entry_lines
from bridgehead.sources import read_manifests
from bridgehead.spec import SpecAccepted, read_spec
from tests.scenarios.actions import Events, perform
from tests.scenarios.asking import as_typed, command_line, options
from tests.scenarios.ground import HOST, Typed
from tests.scenarios.scenario import Expect
from tests.scenarios.setting import prepare
from tests.scenarios.sighting import Sighting, look
from tests.scenarios.stage import Stage, UnfitStageError

T = TypeVar("T")

LONGEST = 180.0
"""Seconds after which a command counts as hanging."""


@dataclass(frozen=True)
class Played:
    """What came of one command."""

    stage: Stage
    expect: Expect
    exit: int
    output: str
    refusals: tuple[str, ...]
    entries: tuple[Entry, ...]
    """The records that it wrote, as they stand in the cluster."""
    before: Sighting
    after: Sighting
    wrong: list[str] = field(default_factory=list)
    """What went wrong beside it: an event that could not happen, one that never came."""


async def play(stage: Stage) -> list[Played]:
    """Play a scenario: its rollout, then each further command.

    Raises UnfitStageError where the stage could not be set or a command did not end.
    """
    await stage.cluster.in_turn(prepare, stage)
    events = Events(stage)
    before = await stage.cluster.in_turn(look, stage)
    await events.start()
    audience = _Audience(events)
    rollout_here = _rollout_in_a_process if stage.scenario.process else _rollout_in_this_process
    code, refusals = await _bounded(rollout_here(stage, audience), audience)
    wrong = await events.end()
    done = await _played(stage, stage.scenario.expect, audience, code, before=before)
    plays = [replace(done, refusals=refusals, wrong=wrong)]
    for step in stage.scenario.then:
        audience = _Audience(events)
        for action in step.do:
            await stage.cluster.in_turn(perform, stage, action)
        typed = await stage.cluster.in_turn(as_typed, stage, step)
        code = await _bounded(_process(stage, audience, typed), audience)
        earlier = tuple(entry for played in plays for entry in played.entries)
        before = plays[-1].after
        plays.append(
            await _played(stage, step.expect, audience, code, before=before, earlier=earlier)
        )
    return plays


async def _played(
    stage: Stage,
    expect: Expect,
    audience: "_Audience",
    code: int,
    *,
    before: Sighting,
    earlier: tuple[Entry, ...] = (),
) -> Played:
    entries = await _journal(stage)
    seen = {entry.digest for entry in earlier}
    return Played(
        stage=stage,
        expect=expect,
        exit=code,
        output="\n".join(audience.lines),
        refusals=(),
        entries=tuple(entry for entry in entries if entry.digest not in seen),
        before=before,
        after=await stage.cluster.in_turn(look, stage),
    )


async def _bounded(command: Awaitable[T], audience: "_Audience") -> T:
    try:
        async with asyncio.timeout(LONGEST):
            return await command
    except TimeoutError:
        text = "\n".join(audience.lines)
        raise UnfitStageError(f"no end within {LONGEST:.0f} s:\n{text}") from None


class _Audience:
    """Keeps what a person would read, and lets the events know of every record."""

    def __init__(self, events: Events) -> None:
        self._events = events
        self.lines: list[str] = []

    def tell(self, entry: Entry) -> None:
        self.lines += (f"{clock_time(entry)}  {line}" for line in entry_lines(entry))
        self._events.record(entry)

    def say(self, words: str) -> None:
        self.lines.append(words)

    def look(self, run: Run, world: World, decision: Decision) -> None:
        """The live view is not looked at."""


async def _rollout_in_this_process(
    stage: Stage, audience: _Audience
) -> tuple[int, tuple[str, ...]]:
    manifests = partial(read_manifests, stage.folder)
    read = read_spec(stage.spec_text, "bridgehead.yaml", manifests)
    if not isinstance(read, SpecAccepted):
        raise UnfitStageError(f"the scenario's spec: {[str(item) for item in read.problems]}")
    async with await stage.cluster.connect(stage.kubeconfig) as kube:
        session = Session(
            kube=kube,
            clock=stage.cluster.clock,
            steady=stage.cluster.steady,
            watcher=audience,
            stop=asyncio.Event(),
            state_namespace=stage.state_namespace,
            host=HOST,
            explains_failures=True,
        )
        try:
            result = await rollout(session, read.spec, read.text, Options())
        except (KubeError, ClusterError) as error:
            return _failed(error, audience), ()
    return _told(result, audience)


def _failed(error: Exception, audience: _Audience) -> int:
    """Exit code of an error that can be expected; its words go to the audience."""
    failure = failure_of(error)
    if failure is None:
        raise error
    audience.lines += (failure.message, *getattr(error, "__notes__", ()), failure.remedy)
    return int(failure.exit)


def _told(result: RolloutResult, audience: _Audience) -> tuple[int, tuple[str, ...]]:
    """Exit code and refused rules of a result; its words go to the audience."""
    match result:
        case Ended(run=run, ending=ending, explained=explained):
            audience.lines += (ending.summary, *explanation_lines(explained, run, ""))
            return ending.exit, ()
        case Planned(result=Refused(refusals=refusals)):
            audience.lines += (f"{item.message}; {item.remedy}" for item in refusals)
            return 1, tuple(item.rule for item in refusals)
        case NotAllowed(missing=missing):
            audience.lines += map(str, missing)
            return 6, ()
        case _:
            raise UnfitStageError(f"no scenario ends like this: {result}")


async def _rollout_in_a_process(stage: Stage, audience: _Audience) -> tuple[int, tuple[str, ...]]:
    command = await stage.cluster.in_turn(command_line, stage, stage.scenario.command)
    words = [*command, *await stage.cluster.in_turn(options, stage, None)]
    return await _process(stage, audience, Typed(words)), ()


async def _process(stage: Stage, audience: _Audience, typed: Typed) -> int:
    """Run the command line as people do; its exit code."""
    done = await stage.cluster.in_turn(partial(stage.cluster.command, typed, timeout=LONGEST))
    audience.lines += done.err.splitlines() + done.out.splitlines()
    return done.exit


async def _journal(stage: Stage) -> tuple[Entry, ...]:
    """The records of all runs as they stand in the cluster; reading them checks their chains."""
    async with await stage.cluster.connect(stage.cluster.kubeconfig) as kube:
        store = RunStore(kube, stage.state_namespace)
        runs = await store.list_runs()
        return tuple([entry for run in runs for entry in await store.entries(run.run)])
