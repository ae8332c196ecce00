"""Plays a scenario: the stage is set, bridgehead runs, and what came of it is looked at."""

import asyncio
import os
import sys
import time
from dataclasses import dataclass, field

from bridgehead.app.planning import Planned
from bridgehead.app.rollout import NotAllowed, Options, RolloutResult, rollout
from bridgehead.app.runner import Ended, Session
from bridgehead.cluster.store import RunStore
from bridgehead.core.journal.entry import Entry
from bridgehead.core.plan.plan import Refused
from bridgehead.core.rollout.decision import Decision
from bridgehead.core.rollout.run import Run
from bridgehead.core.rollout.world import World
from bridgehead.kube.client import Kube
from bridgehead.kube.config.load import load_config
from bridgehead.report.entry_text import clock_time, entry_lines
from bridgehead.spec import SpecAccepted, read_spec
from tests.scenarios.actions import Events
from tests.scenarios.sighting import Sighting, look
from tests.scenarios.stage import Stage, UnfitStageError

LONGEST = 180.0
"""Seconds after which a rollout of a scenario counts as hanging."""


@dataclass(frozen=True)
class Played:
    """What came of a scenario."""

    stage: Stage
    exit: int
    output: str
    refusals: tuple[str, ...]
    entries: tuple[Entry, ...]
    before: Sighting
    after: Sighting
    wrong: list[str] = field(default_factory=list)
    """What went wrong beside the rollout: an event that could not happen, a broken journal."""


async def play(stage: Stage) -> Played:
    """Play a scenario to its end. Raises UnfitStageError where the stage could not be set."""
    await asyncio.to_thread(stage.prepare)
    events = Events(stage)
    before = await asyncio.to_thread(look, stage)
    await events.start()
    audience = _Audience(events)
    run = _in_a_process if stage.scenario.process else _in_this_process
    try:
        async with asyncio.timeout(LONGEST):
            code, output, refusals = await run(stage, audience)
    except TimeoutError:
        text = "\n".join(audience.lines)
        raise UnfitStageError(f"the rollout did not end within {LONGEST:.0f} s:\n{text}") from None
    wrong = await events.end()
    after = await asyncio.to_thread(look, stage)
    return Played(
        stage=stage,
        exit=code,
        output=output,
        refusals=refusals,
        entries=await _journal(stage),
        before=before,
        after=after,
        wrong=wrong,
    )


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


async def _in_this_process(stage: Stage, audience: _Audience) -> tuple[int, str, tuple[str, ...]]:
    read = read_spec(stage.spec_text, "bridgehead.yaml")
    if not isinstance(read, SpecAccepted):
        raise UnfitStageError(f"the scenario's spec: {[str(item) for item in read.problems]}")
    config = load_config(stage.cluster.user_kubeconfig(stage.user))
    async with await Kube.connect(config) as kube:
        session = Session(
            kube=kube,
            clock=time.time,
            watcher=audience,
            stop=asyncio.Event(),
            state_namespace=stage.state_namespace,
            host="scenario",
        )
        result = await rollout(session, read.spec, read.text, Options())
    code, more, refusals = _told(result)
    return code, "\n".join([*audience.lines, *more]), refusals


def _told(result: RolloutResult) -> tuple[int, list[str], tuple[str, ...]]:
    """Exit code, words and refused rules of a result."""
    match result:
        case Ended(ending=ending):
            return ending.exit, [ending.summary], ()
        case Planned(result=Refused(refusals=refusals)):
            words = [f"{item.message}; {item.remedy}" for item in refusals]
            return 1, words, tuple(item.rule for item in refusals)
        case NotAllowed(missing=missing):
            return 6, [str(item) for item in missing], ()
        case _:
            raise UnfitStageError(f"no scenario ends like this: {result}")


async def _in_a_process(stage: Stage, audience: _Audience) -> tuple[int, str, tuple[str, ...]]:
    spec = stage.folder / "bridgehead.yaml"
    spec.write_text(stage.spec_text)
    kubeconfig = str(stage.cluster.user_kubeconfig(stage.user))
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", "from bridgehead.cli.main import main; main()", "rollout"),
        *("-f", str(spec), "--kubeconfig", kubeconfig),
        *("--state-namespace", stage.state_namespace),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={**os.environ, "COLUMNS": "200"},
    )
    try:
        out, err = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    audience.lines += err.decode().splitlines() + out.decode().splitlines()
    return process.returncode or 0, "\n".join(audience.lines), ()


async def _journal(stage: Stage) -> tuple[Entry, ...]:
    """The run's records as they stand in the cluster; reading them checks their chain."""
    async with await Kube.connect(load_config(stage.cluster.kubeconfig)) as kube:
        store = RunStore(kube, stage.state_namespace)
        runs = await store.list_runs()
        return await store.entries(runs[-1].run) if runs else ()
