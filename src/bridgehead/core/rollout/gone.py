"""The component is not there any more: deleted, about to be, or another one of the same name.

Nothing can be rolled out to it or taken back. A node on which no device can be given to anybody is
given back: its cordon protects nothing. Under another component of that name, or with devices that
pods without an owner still offer, what the node offers is not proven: it stays cordoned, and is
named.
"""

from bridgehead.core.model.component import Component
from bridgehead.core.rollout.commands import Uncordon
from bridgehead.core.rollout.decision import Decision, note, wait
from bridgehead.core.rollout.kept import kept_text
from bridgehead.core.rollout.run import Run
from bridgehead.core.rollout.state import Ending, NodeState
from bridgehead.core.rollout.world import World

_REPLACED = "was replaced by another object of the same name"


def gone(run: Run, world: World, now: float) -> Decision | None:
    """What is done about a component that is gone; None where it is there.

    Devices are given a node's time to go: its pod has to end first, and its kubelet to report.
    """
    what = _what(run, world.component)
    if not what:
        return None
    held = [node for node in run.state.nodes.values() if node.held and node.name in world.nodes]
    if what != _REPLACED:
        if free := [node for node in held if _without_devices(run, node, world)]:
            return _give_back(free, f"{run.plan.spec.component} {what}")
        if held and now < run.state.last_at + run.plan.timing.timeout:
            return wait(f"{run.plan.spec.component} {what}; the devices of its nodes go")
    return Decision(ending=_ending(run, world, what))


def _what(run: Run, component: Component | None) -> str:
    if component is None:
        return "is gone"
    if component.uid != run.plan.component_uid:
        return _REPLACED
    return "is being deleted" if component.deleting else ""


def _without_devices(run: Run, node: NodeState, world: World) -> bool:
    offers = (world.nodes[node.name].offer(name) for name in run.plan.resources)
    return all(offer is None or offer.allocatable == 0 for offer in offers)


def _give_back(free: list[NodeState], why: str) -> Decision:
    return Decision(
        notes=tuple(
            note("node", "abandoned", node=node.name, detail={"reason": why})
            for node in free
            if node.work is not None
        ),
        commands=tuple(Uncordon(node=node.name, leave=node.disowned) for node in free),
    )


def _ending(run: Run, world: World, what: str) -> Ending:
    """The end of the run where it holds no node any more; else it is open until released."""
    ref = run.plan.spec.component
    told = f"{ref} {what}; this run cannot go on."
    held = any(node.held and node.name in world.nodes for node in run.state.nodes.values())
    if held:
        told += f"{kept_text(run, world)} Give back what is left of it: bridgehead release {ref}"
    return Ending(exit=4, summary=told, rollback_helps=False, over=not held, given_up=held)
