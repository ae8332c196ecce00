"""The use case ``twin``: serve a simulated cluster until told to stop."""

import asyncio
import time
from collections.abc import Callable, Sequence

import msgspec

from bridgehead.twin.faults.fault import Fault
from bridgehead.twin.faults.laying import overlays
from bridgehead.twin.faults.text import FaultError
from bridgehead.twin.nodes.images import Overlay
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
    faults: tuple[Fault, ...] = ()
    """What versions of images do wrong, and where."""
    seed: int
    """Decides everything that is left to chance, but for tokens and certificates."""


def laid(faults: Sequence[Fault]) -> list[Overlay]:
    """The faults as a fleet has them. Raises FaultError where one is not about a named image."""
    for fault in faults:
        if not fault.of_version or not fault.where.image or fault.where.cohort:
            raise FaultError(
                f"{fault.text}: say what an image does wrong, and name it, "
                "such as image=plugin:2.0,devices=0; node= and kernel= narrow it"
            )
    return [overlay for fault in faults for overlay in overlays(fault, (), lambda _cohort: ())]


Ready = Callable[[Served, Sequence[str]], None]
"""Told once clients can come: where, and what of the record could not be taken over."""


async def serve(cluster: Seed, wanted: Wanted, ready: Ready, stop: asyncio.Event) -> None:
    """Serve it; its time goes on from now.

    Raises NoCryptographyError, and OSError where the port cannot be had.
    """
    twin = Twin(
        start=time.time(),
        seed=wanted.seed,
        speed=wanted.speed,
        fleet=cluster.fleet(KubeletSettings(), laid(wanted.faults)),
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
