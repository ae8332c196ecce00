"""Whether an effect that was intended is in the cluster: asked after a crash, never assumed."""

from bridgehead.core.model.component import FORMER_STRATEGY
from bridgehead.core.rollout.commands import (
    Command,
    Cordon,
    CreateOwnPod,
    DeleteOwnPod,
    DeletePod,
    Evict,
    Flip,
    LetGo,
    RestoreStrategy,
    TakeOver,
    Uncordon,
)
from bridgehead.core.rollout.run import Run
from bridgehead.core.rollout.world import World


def happened(command: Command, run: Run, world: World) -> bool:
    """Whether the cluster shows the command's effect."""
    component = world.component
    match command:
        case TakeOver():
            # The strategy alone would not do: it may have been OnDelete before.
            marked = component is not None and FORMER_STRATEGY in component.annotations
            return marked and component is not None and component.strategy_type == "OnDelete"
        case RestoreStrategy():
            return component is not None and component.strategy == run.plan.former_strategy
        case Flip(to=position):
            return run.standing(world) is position
        case LetGo():
            return component is None or not component.anchor
        case DeletePod(node=node, uid=uid):
            there = [pod for pod in world.pods.get(node, ()) if pod.uid == uid]
            return all(pod.deleting for pod in there)
        case Evict(node=node, uid=uid):
            holding = world.requesters.get(node)
            # Where its node's pods were not read this is not known: asked again, if still wanted.
            return holding is not None and all(pod.deleting for pod in holding if pod.uid == uid)
        case CreateOwnPod(node=node, role=role):
            return world.own_pod(node, role) is not None
        case DeleteOwnPod(node=node, role=role):
            pod = world.own_pod(node, role)
            return pod is None or pod.deleting
        case Cordon(node=node):
            seen = world.nodes.get(node)
            return seen is not None and seen.held_by == run.name
        case Uncordon(node=node):
            seen = world.nodes.get(node)
            return seen is None or seen.held_by != run.name
