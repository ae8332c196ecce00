"""Where a rehearsed change is played: a fresh twin, and this program's own client joined to it."""

import asyncio
import random
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager

import msgspec

from bridgehead.app.session import Session, Watcher
from bridgehead.core.plan.settings import RolloutSpec
from bridgehead.core.rollout.limits import Limits
from bridgehead.kube.client import Kube
from bridgehead.kube.config.values import Connection, StaticToken
from bridgehead.twin.api.http import server
from bridgehead.twin.faults.api import TroubledApi
from bridgehead.twin.faults.fault import Fault
from bridgehead.twin.faults.laying import Members, NodeTroubles, overlays
from bridgehead.twin.nodes.settings import KubeletSettings
from bridgehead.twin.seeding.planting import plant
from bridgehead.twin.seeding.seed import Seed
from bridgehead.twin.twin import Twin
from bridgehead.twin.virtual.connector import MemoryConnector

SETTLES = 60.0
"""Seconds that the twin is left alone at first: plugins register, statuses are written."""

LATENCY = 0.001
"""Seconds of the way between client and API, each way: as within a data centre."""


class Stage:
    """One twin with a session to work on it."""

    def __init__(
        self, twin: Twin, api: TroubledApi, session: Session, left_out: tuple[str, ...]
    ) -> None:
        """``left_out``: what of the record the twin could not take over, in words for people."""
        self.left_out = left_out
        self.twin = twin
        self.session = session
        self.troubles: NodeTroubles | None = None
        self._api = api

    def begin(self, fault: Fault, new: Collection[str], members: Members) -> None:
        """Let a fault be there from now on; ``new`` are the images that are rolled out."""
        for overlay in overlays(fault, new, members):
            self.twin.fleet.images.lay(overlay)
        self.troubles = NodeTroubles(self.twin, fault, new, members)
        self.troubles.begin()
        self._api.begin(fault.api)

    def calm(self) -> None:
        """Let the API be well again; what is wrong with versions and nodes stays."""
        self._api.end()

    @property
    def struck(self) -> tuple[str, ...]:
        """Nodes that a fault has made unfit by itself."""
        return tuple(self.troubles.struck) if self.troubles is not None else ()


@asynccontextmanager
async def staged(
    seed: Seed, spec: RolloutSpec, *, chance: int, watcher: Watcher
) -> AsyncIterator[Stage]:
    """A settled twin; ``chance`` decides everything in it that is left to chance."""
    settings = KubeletSettings(node_status_update=min(10.0, spec.verify.status_period))
    twin = Twin(start=seed.at, seed=chance, fleet=seed.fleet(settings))
    left_out = plant(twin.registry, seed)
    twin.start()
    for name in seed.down:
        twin.nodes.stop_kubelet(name)
    source = random.Random(chance)  # noqa: S311 - a simulation, no secret
    api = TroubledApi(twin.api.handle, twin.registry, random.Random(source.random()))  # noqa: S311
    http = server(api)
    connector = MemoryConnector(api.accept(http), latency=LATENCY)
    connection = Connection(
        server="http://twin",
        origin="the rehearsal's twin",
        tokens=StaticToken(twin.administrator),
        compress=False,
    )
    try:
        async with await Kube.connect(connection, connector=connector, chance=source) as kube:
            await asyncio.sleep(SETTLES)
            yield Stage(twin, api, _session(kube, twin, watcher), left_out)
    finally:
        await twin.stop()
        await http.shutdown()


def _session(kube: Kube, twin: Twin, watcher: Watcher) -> Session:
    return Session(
        kube=kube,
        clock=twin.clock.now,
        steady=asyncio.get_running_loop().time,
        watcher=watcher,
        stop=asyncio.Event(),
        host="rehearsal",
        limits=Limits(waits=True),
    )


def rehearsable(spec: RolloutSpec) -> RolloutSpec:
    """The spec as it is rehearsed: nobody is asked for consent, and every time is a good one."""
    return msgspec.structs.replace(spec, approve=(), two_people=False, windows=())
