"""The use case ``demo``: releases to a small simulated cluster, played by the real engine."""

import asyncio
import json
from collections.abc import Sequence
from random import Random
from typing import Protocol

from bridgehead.app.asking import Asker
from bridgehead.app.going_on import Ways, go_on
from bridgehead.app.rollout import Options, rollout
from bridgehead.app.runner import Ended
from bridgehead.app.session import Session, Watcher
from bridgehead.cluster.store import RunStore
from bridgehead.core.journal.entry import Entry
from bridgehead.core.plan.plan import Plan
from bridgehead.core.plan.settings import ComponentKind, ComponentRef
from bridgehead.core.rollout.decision import Decision
from bridgehead.core.rollout.run import Run
from bridgehead.core.rollout.world import World
from bridgehead.kube.client import Kube
from bridgehead.kube.config.values import Connection, StaticToken
from bridgehead.spec import SpecAccepted, read_spec
from bridgehead.twin.api.http import server
from bridgehead.twin.demos.cluster import CONTAINER, fleet_of, furnish, mend
from bridgehead.twin.demos.script import Act, Script
from bridgehead.twin.demos.sight import NAMESPACE, PLUGIN, Sight, sight
from bridgehead.twin.twin import Twin
from bridgehead.twin.virtual.connector import MemoryConnector
from bridgehead.twin.virtual.loop import run_virtual

START = 1_767_603_600.0
"""2026-01-05T09:00:00Z, a Monday: a demonstration is the same whenever it is played."""

_LATER = 900.0
"""Simulated seconds between two releases."""


class Audience(Watcher, Protocol):
    """Who watches a demonstration."""

    def plan(self, plan: Plan, now: Sight) -> None:
        """What the engine is going to do."""
        ...

    def act(self, number: int, act: Act, now: Sight) -> None:
        """A release begins."""
        ...

    def ended(self, ended: Ended, entries: Sequence[Entry], now: Sight) -> None:
        """It came to its end."""
        ...

    def move(self, now: Sight) -> None:
        """Something may have changed."""
        ...


class NotAsPlayedError(Exception):
    """An act did not end as the demonstration says; that is a defect of this program."""


def play(script: Script, audience: Audience, *, seed: int = 0) -> tuple[float, Sight]:
    """Play all acts in simulated time: how many seconds of it passed, and what there is to see.

    Raises NotAsPlayedError.
    """
    return run_virtual(_play(script, audience, seed), start=START)


async def _play(script: Script, audience: Audience, seed: int) -> tuple[float, Sight]:
    twin = Twin(start=START, seed=seed, fleet=fleet_of(script))
    twin.start()
    http = server(twin.api)
    try:
        await furnish(twin.registry, script)
        await _releases(script, audience, twin, MemoryConnector(http), Random(seed))  # noqa: S311 - a simulation
    finally:
        await twin.stop()
        await http.shutdown()
    return twin.clock.now() - START, sight(twin.store, script)


async def _releases(
    script: Script, audience: Audience, twin: Twin, connector: MemoryConnector, chance: Random
) -> None:
    config = Connection(
        server="http://twin.invalid", origin="demo", tokens=StaticToken(twin.administrator)
    )
    async with await Kube.connect(config, connector=connector, chance=chance) as kube:
        session = Session(
            kube=kube,
            clock=twin.clock.now,
            steady=asyncio.get_running_loop().time,
            watcher=_Watching(audience, twin, script),
            stop=asyncio.Event(),
            host="demo",
            explains_failures=True,
        )
        for number, act in enumerate(script.acts, 1):
            audience.act(number, act, sight(twin.store, script))
            if act.retry:
                mend(twin.fleet)
            ended = await _act(session, script, act)
            entries = await RunStore(kube, session.state_namespace).entries(ended.run.name)
            audience.ended(ended, entries, sight(twin.store, script))
            await asyncio.sleep(_LATER)


async def _act(session: Session, script: Script, act: Act) -> Ended:
    if act.retry:
        ref = ComponentRef(ComponentKind.DAEMON_SET, NAMESPACE, PLUGIN)
        ways = Ways(retry=(act.retry,))
        result: object = await go_on(session, ref, ways, Asker(actor="you"))
    else:
        accepted = _spec(script, act)
        result = await rollout(session, accepted.spec, accepted.text, Options())
    if not isinstance(result, Ended):
        raise NotAsPlayedError(f"{act.says} It did not begin: {type(result).__name__}")
    if result.ending.exit != act.exit:
        raise NotAsPlayedError(f"{act.says} Exit {result.ending.exit}: {result.ending.summary}")
    return result


def _spec(script: Script, act: Act) -> SpecAccepted:
    document = {
        "apiVersion": "bridgehead.dev/v1alpha1",
        "kind": "Rollout",
        "metadata": {"name": PLUGIN},
        "component": {"daemonSet": {"namespace": NAMESPACE, "name": PLUGIN}},
        "change": {"images": {CONTAINER: act.image}},
        **script.spec,
    }
    read = read_spec(json.dumps(document, indent=2), "bridgehead.yaml")
    if not isinstance(read, SpecAccepted):
        raise NotAsPlayedError(f"the spec of: {act.says} {[str(item) for item in read.problems]}")
    return read


class _Watching:
    """Hands on what the engine tells, and how the nodes are at that moment."""

    def __init__(self, audience: Audience, twin: Twin, script: Script) -> None:
        self._audience, self._twin, self._script = audience, twin, script
        self._planned = ""
        self._version = 0

    def tell(self, entry: Entry) -> None:
        self._move()
        self._audience.tell(entry)

    def say(self, words: str) -> None:
        self._audience.say(words)

    def look(self, run: Run, world: World, decision: Decision) -> None:
        if run.name != self._planned:
            self._planned = run.name
            self._audience.plan(run.plan, sight(self._twin.store, self._script))
        self._audience.look(run, world, decision)
        self._move()

    def _move(self) -> None:
        if self._version != self._twin.store.version:
            self._version = self._twin.store.version
            self._audience.move(sight(self._twin.store, self._script))
