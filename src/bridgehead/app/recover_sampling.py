"""What a node shows, read again and again while recovery waits."""

import asyncio
from collections.abc import Iterable, Sequence

from bridgehead.app.session import Session, unless_stopped
from bridgehead.cluster.convert import node_from
from bridgehead.core.findings.observed import Reading
from bridgehead.core.model.node import Node
from bridgehead.core.recover.coming_back import reading, steady
from bridgehead.core.recover.situation import Situation
from bridgehead.kube.resources import NODES


async def sampled(
    session: Session, seen: Situation, readings: list[Reading], names: Sequence[str] = ()
) -> Node:
    """The node as it is now; what it says of the resources is added to the readings."""
    found = await session.kube.get(NODES, seen.node.name)
    node = node_from(found)
    now = session.clock()
    readings.extend(reading(node, name, now) for name in names or seen.resources)
    return node


def all_steady(readings: Iterable[Reading], names: Iterable[str], seconds: float) -> bool:
    """Whether each of the resources has shown the same for so long."""
    every = tuple(readings)
    return all(steady((item for item in every if item.resource == name), seconds) for name in names)


async def pause(session: Session, seconds: float) -> None:
    """Some time, unless it is told to stop. Raises Stopped."""
    await unless_stopped(session, asyncio.sleep(seconds))
