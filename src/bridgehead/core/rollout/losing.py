"""A node that the change takes the component off: kept clear of pods while its devices go.

It loses them when the target template is written, together with all others that are lost. It is
cordoned before that, and given back once a pod that asks for its devices would no longer be bound
to it: in between such a pod would be refused for good (seen with Kubernetes 1.37.2).
"""

from bridgehead.core.model.json import JsonObject
from bridgehead.core.plan.foreign_holds import foreign_hold
from bridgehead.core.plan.holders import holders
from bridgehead.core.rollout.commands import Position
from bridgehead.core.rollout.decision import Decision, note, wait
from bridgehead.core.rollout.run import Run
from bridgehead.core.rollout.state import NodeState
from bridgehead.core.rollout.world import World

QUIET = 2.0
"""Seconds between cordon and the last look at its pods, as before a deletion (``node_pass``)."""


def kept_from(run: Run, node: NodeState, world: World, now: float) -> str | None:
    """Why the node may not lose its devices now; None while that is not known yet."""
    seen = world.nodes.get(node.name)
    if seen is not None and (hold := foreign_hold(seen, run.name)):
        return f"{node.name}: {hold}"
    work, pods = node.work, world.requesters.get(node.name)
    if work is None or work.cordoned_at is None or pods is None or now < work.cordoned_at + QUIET:
        return None
    held = holders(pods, run.plan.resources, run.plan.component_uid)
    names = ", ".join(pod.ref for pod in held)
    return f"{node.name}: its devices are held by {names}" if held else ""


def lose(run: Run, node: NodeState, world: World, now: float) -> Decision:
    """The next step of a node that is losing, or has lost, its component.

    On the way back the former template stands again, and what is lost is taken back like any other.
    """
    work = node.work
    if work is None or work.deleted_at is None:
        return wait(f"{node.name}: is to lose the component")
    if run.state.template is Position.FORMER:
        return Decision(notes=(note("node", "lost", node=node.name),))
    left = _left(run, node, world)
    if not left:
        return Decision(notes=(note("node", "lost", node=node.name),))
    if now < work.deleted_at + run.plan.timing.timeout:
        return wait(f"{node.name}: {left}")
    detail: JsonObject = {"reason": f"{left} after {run.plan.timing.timeout:g} s"}
    return Decision(notes=(note("node", "lost", node=node.name, detail=detail),))


def _left(run: Run, node: NodeState, world: World) -> str:
    """What of the component is still to be seen on the node; empty where nothing is."""
    pods = [pod for pod in world.pods.get(node.name, ()) if not pod.terminal]
    if pods:
        return f"pod {pods[0].name} is still there"
    seen = world.nodes.get(node.name)
    for name in run.plan.resources:
        offer = seen.offer(name) if seen is not None else None
        if offer is not None and offer.allocatable:
            return f"{name} {offer.allocatable} is still offered"
    return ""
