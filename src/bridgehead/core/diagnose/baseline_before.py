"""Whether what is bad now was bad before already: then the last change is not what made it so."""

from bridgehead.core.diagnose.cause import Cause
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.journal.entry import Evidence, stamp

_MOST = 3


def bad_before(scene: Scene, cause: Cause) -> tuple[Evidence, ...]:
    """Earlier readings of the cause's nodes that show no more devices than now.

    Only of nodes that lack devices now, and only where nothing was better at any earlier time.
    """
    short = {
        (item.node, item.resource)
        for item in scene.symptoms_with("devices/")
        if item.key in cause.explains
    }
    found: list[Evidence] = []
    for node, resource in sorted(short):
        before = scene.trajectory(node, resource)
        offer = scene.nodes[node].offer(resource) if node in scene.nodes else None
        now = offer.allocatable if offer is not None else 0
        if before.stretches and before.best <= now:
            first = before.stretches[0]
            found.append(
                Evidence(
                    f"reading of node {node} at {stamp(first.begin)}",
                    f"{resource} {first} even then: it was bad before",
                )
            )
    return tuple(found[:_MOST])
