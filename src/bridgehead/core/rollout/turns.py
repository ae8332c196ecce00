"""Whose turn it is: which pending nodes may begin a pass now, which later, and which not at all."""

import msgspec

from bridgehead.core.journal.entry import Draft
from bridgehead.core.model.json import JsonObject
from bridgehead.core.model.pod import Pod
from bridgehead.core.plan.foreign_holds import foreign_hold
from bridgehead.core.rollout.baseline import Kinds
from bridgehead.core.rollout.decision import note
from bridgehead.core.rollout.run import Run
from bridgehead.core.rollout.state import NodeState, NodeStatus
from bridgehead.core.rollout.watch import on_target
from bridgehead.core.rollout.world import World
from bridgehead.core.verify.view import successor

DIP = 6.0
"""Status periods for which a node that offers too little is looked at before that is believed: a
kubelet that starts anew offers nothing until its plugins have come back to it.
"""


class Turns(msgspec.Struct, frozen=True, kw_only=True):
    """The pending nodes of the scope that no pass is under way on."""

    ready: tuple[NodeState, ...] = ()
    later: str = ""
    """Why the others wait; empty where there are none."""
    notes: tuple[Draft, ...] = ()
    """What is to be written down of nodes that wait, waited, or are set aside."""


class Hindrance(msgspec.Struct, frozen=True):
    """Why a node cannot begin now; ``fewer`` where that is only what it offers."""

    reason: str
    fewer: bool = False


def turns(run: Run, world: World, now: float) -> Turns:
    """The pending nodes, sorted by whether they can begin."""
    ready: list[NodeState] = []
    notes: list[Draft] = []
    later: list[str] = []
    kinds = Kinds(run, world)
    for node in run.with_status(NodeStatus.PENDING):
        if node.work is not None or node.name not in world.nodes:
            continue
        hindered = _hindered(run, node, world, kinds, now)
        if hindered is None and node.waits_since is None:
            ready.append(node)
        elif (found := _news(run, node, hindered, now)) is not None:
            notes.append(found)
        elif hindered is not None:
            later.append(f"{node.name}: {hindered.reason}")
    return Turns(ready=tuple(ready), later="; ".join(later), notes=tuple(notes))


def _news(run: Run, node: NodeState, hindered: Hindrance | None, now: float) -> Draft | None:
    """What changed about a node that waits: it began to, it need not any more, its time is over."""
    if hindered is None:
        return note("node", "waited", node=node.name)
    since = node.fewer_since if hindered.fewer else node.waits_since
    detail: JsonObject = {"reason": hindered.reason, "fewer": hindered.fewer}
    if since is None:
        return note("node", "waits", node=node.name, detail=detail)
    timing = run.plan.timing
    patience = DIP * timing.status_period if hindered.fewer else timing.timeout
    if now < since + patience:
        return None
    over = "fewer" if hindered.fewer else "set-aside"
    return note("node", over, node=node.name, detail={"reason": hindered.reason})


def _hindered(
    run: Run, node: NodeState, world: World, kinds: Kinds, now: float
) -> Hindrance | None:
    """Why the node cannot begin now; None where it can."""
    seen = world.nodes[node.name]
    if seen.ready is not True:
        return Hindrance("it became NotReady before its turn")
    if held := foreign_hold(seen, run.name):
        return Hindrance(held)
    pod = successor(world.pods.get(node.name, ()))
    if pod is None:
        return Hindrance("it has no pod of the component")
    if on_target(run, node.name, world) or node.baseline is not None:
        return None
    if now < pod.created + run.plan.timing.timeout and not _settled(run, node, pod, world):
        return Hindrance("its pod is new, so what it offers is no baseline yet")
    little = _too_little(run, node, world, kinds)
    return Hindrance(little, fewer=True) if little and little != node.fewer else None


def _too_little(run: Run, node: NodeState, world: World, kinds: Kinds) -> str:
    """What the node offers less of than its kind, or none of: that may be a passing state."""
    usual = kinds.usual(node.name)
    for name in run.plan.resources:
        offer = world.nodes[node.name].offer(name)
        count = offer.allocatable if offer else 0
        most = usual[name].allocatable if name in usual else 0
        if count < most:
            return f"it offers {name} {count}, where others of its kind offer {most}"
        if count == 0:
            return f"it offers {name} 0"
    return ""


def _settled(run: Run, node: NodeState, pod: Pod, world: World) -> bool:
    """Whether the node shows what its standing pod offers: all devices, none of them away."""
    offers = [world.nodes[node.name].offer(name) for name in run.plan.resources]
    full = all(offer is not None and 0 < offer.allocatable == offer.capacity for offer in offers)
    return pod.ready and full
