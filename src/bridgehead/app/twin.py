"""The use case ``twin``: serve a simulated cluster until told to stop."""

import asyncio
import time
from collections.abc import Callable, Sequence

import msgspec

from bridgehead.twin.nodes.settings import KubeletSettings
from bridgehead.twin.seeding.planting import plant
from bridgehead.twin.seeding.seed import Seed
from bridgehead.twin.serving import Served, new_token, serving
from bridgehead.twin.twin import Twin


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """How a twin is to be served."""

    host: str
    port: int
    """0 for any that is free."""
    speed: float
    """Simulated seconds in a second."""
    seed: int
    """Decides everything that is left to chance, but for tokens and certificates."""


Ready = Callable[[Served, Sequence[str]], None]
"""Told once clients can come: where, and what of the record could not be taken over."""


async def serve(cluster: Seed, wanted: Wanted, ready: Ready, stop: asyncio.Event) -> None:
    """Serve it; its time goes on from now.

    Raises NoCryptographyError, and OSError where the port cannot be had.
    """
    settings = KubeletSettings()
    twin = Twin(
        start=time.time(),
        seed=wanted.seed,
        speed=wanted.speed,
        fleet=cluster.fleet(settings),
        administrator=new_token(),
    )
    left_out = plant(twin.registry, cluster)
    twin.start()
    for name in cluster.down:
        twin.nodes.stop_kubelet(name)
    async with serving(twin, wanted.host, wanted.port) as served:
        ready(served, left_out)
        await stop.wait()
    await twin.stop()
