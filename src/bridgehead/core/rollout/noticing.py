"""What others do that changes nothing of the run's way, but that a reader of its journal must know.

A node in flight or under watch that is away for a while, an untouched node whose pod somebody
replaced, labels and annotations of the component: noted once each, with the reason. What has
consequences is told where these are drawn (``watch``, ``turns``, ``foreign``).
"""

from collections.abc import Iterator

from bridgehead.core.journal.entry import Draft
from bridgehead.core.model.component import Component
from bridgehead.core.model.json import JsonObject
from bridgehead.core.rollout.decision import Decision, note
from bridgehead.core.rollout.run import Run
from bridgehead.core.rollout.state import NodeState, NodeStatus
from bridgehead.core.rollout.world import World

MANAGER = "bridgehead"
"""Our field manager; every other name in the component's managedFields is somebody else."""


def noticed(run: Run, world: World) -> Decision:
    """Notes of what is new; none of them is made twice."""
    nodes = tuple(run.state.nodes.values())
    return Decision(
        notes=(
            *_touched(run, world),
            *(draft for node in nodes for draft in _came_or_went(node, world)),
            *_replaced(run, world),
        )
    )


def last_write(component: Component) -> str:
    """Who but us wrote the component last, and when; of its status nobody is meant."""
    others = [f"{name} at {time}" for name, time in component.managers if name != MANAGER]
    return others[-1] if others else "nobody"


def _touched(run: Run, world: World) -> Iterator[Draft]:
    """A write that is not ours and that left the spec, and so the generation, as it was.

    Only a later one than was noted last: whose fields our own writes have taken over is not in the
    list any more, and then a write from before the run is the last one in it.
    """
    if world.component is None or not run.state.written_by:
        return
    found = last_write(world.component)
    if _time(found) > _time(run.state.written_by):
        yield note("component", "touched", detail={"reason": found})


def _time(write: str) -> str:
    """When it was, as the server writes it, which sorts as text; empty where there was none."""
    _, known, time = write.rpartition(" at ")
    return time if known else ""


def _came_or_went(node: NodeState, world: World) -> Iterator[Draft]:
    watched = node.work is not None or node.status is NodeStatus.PASSED
    seen = world.nodes.get(node.name)
    ready = seen is not None and seen.ready is True
    if watched and not ready and not node.away:
        reason = "the node is gone" if seen is None else "the node is not Ready"
        yield note("node", "away", node=node.name, detail={"reason": reason})
    elif node.away and ready:
        yield note("node", "back", node=node.name, detail={"reason": node.away})


def _replaced(run: Run, world: World) -> Iterator[Draft]:
    """Pods of planned nodes that were made since the run began, and not by it."""
    for name in run.plan.nodes:
        node = run.state.node(name)
        if node.status is not NodeStatus.PENDING or node.work or node.baseline is not None:
            continue
        pod = world.view(name).successor(frozenset())
        if pod is None or pod.uid == node.new_pod or name in run.state.joined:
            continue
        if pod.created > run.state.began_at > 0:
            reason = f"somebody deleted its pod; {pod.name} took its place"
            detail: JsonObject = {"reason": reason, "pod": pod.uid}
            yield note("node", "replaced", node=name, detail=detail)
