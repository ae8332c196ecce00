"""R0: wait and sample again; and the watch over a dead name before it goes."""

from bridgehead.app.recover_acts import Acted
from bridgehead.app.recover_sampling import all_steady, pause, sampled
from bridgehead.app.session import Session
from bridgehead.core.findings.observed import Reading
from bridgehead.core.recover.assessment import Assessment
from bridgehead.core.recover.coming_back import back
from bridgehead.core.recover.situation import Situation

BETWEEN = 5.0
"""Seconds between two samples: kubelets report every ten, and at once what has changed."""


async def waited(session: Session, seen: Situation, chosen: Assessment) -> Acted:
    """Sample until what the node shows has stood for a while, or time is up. Reads only."""
    readings: list[Reading] = []
    limits = seen.limits
    until = session.clock() + limits.settling + 2 * limits.steady
    settled = _settled_at(seen, until)
    good = over = False
    node = seen.node
    while session.clock() < until and not (good or over):
        node = await sampled(session, seen, readings)
        still = all_steady(readings, seen.resources, limits.steady)
        good = still and back(seen, node)
        over = still and session.clock() >= settled
        if not (good or over):
            await pause(session, min(BETWEEN, limits.steady / 3))
    said = "the devices are back" if good else "it still offers fewer devices than it should"
    return Acted(
        situation=seen, assessment=chosen, verified=good, said=said, readings=tuple(readings)
    )


def _settled_at(seen: Situation, until: float) -> float:
    """When what the node shows is a verdict, where it is only too early after a start for one."""
    starts = (seen.plugin_started, seen.kubelet_started)
    settling = seen.limits.settling
    young = [at for at in starts if at is not None and seen.now - at < settling]
    return max(young) + settling if young else until


async def dead_long_enough(session: Session, seen: Situation) -> tuple[Reading, ...]:
    """The readings of a watch as long as a name must be dead."""
    readings: list[Reading] = []
    until = session.clock() + seen.limits.dead_for
    name = seen.resource or next(iter(_dead(seen)), "")
    session.watcher.say(
        f"{name} of node {seen.node.name} is watched for {seen.limits.dead_for:.0f} s first"
    )
    while session.clock() <= until:
        node = await sampled(session, seen, readings, (name,))
        offer = node.offer(name)
        if offer is None or offer.capacity:
            break
        await pause(session, min(BETWEEN, seen.limits.dead_for / 3))
    return tuple(readings)


def _dead(seen: Situation) -> tuple[str, ...]:
    return tuple(sorted(name for name, offer in seen.node.offers.items() if not offer.capacity))
