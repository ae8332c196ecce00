"""A settled twin for tests, of a seed."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from bridgehead.twin.nodes.settings import KubeletSettings
from bridgehead.twin.objects import Object, fields, name_of
from bridgehead.twin.seeding.planting import plant
from bridgehead.twin.seeding.seed import Seed
from bridgehead.twin.twin import Twin


@asynccontextmanager
async def settled(seed: Seed, *, chance: int = 0) -> AsyncIterator[Twin]:
    """The twin a minute after its start."""
    twin = Twin(start=seed.at, seed=chance, fleet=seed.fleet(KubeletSettings()))
    left_out = plant(twin.registry, seed)
    assert left_out == ()
    twin.start()
    for name in seed.down:
        twin.nodes.stop_kubelet(name)
    await asyncio.sleep(60)
    yield twin
    await twin.stop()


def objects(twin: Twin, group: str, plural: str) -> dict[str, Object]:
    """All of a kind, by name."""
    kind = twin.kinds.named(group, plural)
    return {name_of(item): item for item in twin.store.select(kind.stored)}


def allocatable(twin: Twin, node: str, resource: str) -> int:
    """What a node offers now."""
    found = objects(twin, "", "nodes")[node]
    return int(fields(found, "status", "allocatable").get(resource, "0"))
