"""Whose turn it is: which pending nodes may begin a pass now, which later, and which not at all."""

import msgspec

from bridgehead.core.journal.entry import Draft
from bridgehead.core.model.pod import Pod
from bridgehead.core.rollout.decision import note
from bridgehead.core.rollout.run import Run
from bridgehead.core.rollout.state import NodeState, NodeStatus
from bridgehead.core.rollout.watch import on_target
from bridgehead.core.rollout.world import World


class Turns(msgspec.Struct, frozen=True, kw_only=True):
    """The pending nodes of the scope that no pass is under way on."""

    ready: tuple[NodeState, ...] = ()
    later: str = ""
    """Why the others wait; empty where there are none."""
    notes: tuple[Draft, ...] = ()
    """Nodes that are set aside, and nodes that begin to wait."""


def turns(run: Run, world: World, now: float) -> Turns:
    """The pending nodes, sorted by whether they can begin."""
    ready: list[NodeState] = []
    notes: list[Draft] = []
    later: list[str] = []
    for node in run.with_status(NodeStatus.PENDING):
        if node.work is not None or node.name not in world.nodes:
            continue
        if world.nodes[node.name].ready is not True:
            notes.append(_aside(node, "it became NotReady before its turn"))
            continue
        reason = _hindered(run, node, world, now)
        if not reason:
            ready.append(node)
        elif node.waits_since is None:
            notes.append(note("node", "waits", node=node.name, detail={"reason": reason}))
        elif now < node.waits_since + run.plan.timing.timeout:
            later.append(f"{node.name}: {reason}")
        else:
            notes.append(_aside(node, reason))
    return Turns(ready=tuple(ready), later="; ".join(later), notes=tuple(notes))


def _aside(node: NodeState, reason: str) -> Draft:
    return note("node", "set-aside", node=node.name, detail={"reason": reason})


def _hindered(run: Run, node: NodeState, world: World, now: float) -> str:
    """Why the node cannot begin now; empty where it can."""
    holder = world.nodes[node.name].held_by
    if holder and holder != run.name:
        return f"held by run {holder}"
    pod = world.view(node.name).successor(frozenset())
    if pod is None:
        return "it has no pod of the component"
    if on_target(run, node.name, world) or node.baseline is not None:
        return ""
    young = now < pod.created + run.plan.timing.timeout
    return (
        "its pod is new, so what it offers is no baseline yet"
        if (young and not _settled(run, node, pod, world))
        else ""
    )


def _settled(run: Run, node: NodeState, pod: Pod, world: World) -> bool:
    """Whether the node shows what its standing pod offers: all devices, none of them away."""
    offers = [world.nodes[node.name].offer(name) for name in run.plan.resources]
    full = all(offer is not None and 0 < offer.allocatable == offer.capacity for offer in offers)
    return pod.ready and full
