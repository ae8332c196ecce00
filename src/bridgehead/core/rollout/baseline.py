"""What a node is expected to offer: what it did before, or what verified nodes of its kind do."""

from collections.abc import Mapping

from bridgehead.core.inventory.cohort import cohort_of
from bridgehead.core.model.device import Offer, Offers, usual
from bridgehead.core.rollout.commands import Baseline
from bridgehead.core.rollout.run import Run
from bridgehead.core.rollout.state import NodeState, NodeStatus
from bridgehead.core.rollout.world import World

NOTHING = Offer(0, 0)
AT_LEAST = Offer(1, 1)
"""Expected of a node of which nothing else is known: one device, none of them unhealthy."""


def measure(run: Run, node: NodeState, world: World, *, own: bool) -> Baseline:
    """A node's baseline for the pass that begins now.

    What was measured at the node's first pass stays; only the refused pods are counted anew, as
    those of an earlier pass say nothing about the next. ``own`` says whether the node's status can
    be trusted to show what it offered before: not where its pod is away or on the target already.
    A node that joined is measured by its kind, and by itself only where it is the first of it.
    """
    seen = world.nodes.get(node.name)
    offers = seen.offers if seen else {}
    resources = run.plan.resources
    refused = tuple(pod.uid for pod in world.refused.get(node.name, ()))
    if node.baseline is not None:
        return Baseline(node.baseline.offers, refused, node.baseline.others)
    others = {name: offer for name, offer in offers.items() if name not in resources}
    mine = {name: offers.get(name, NOTHING) if own else AT_LEAST for name in resources}
    if own and node.name in run.plan.nodes:
        return Baseline(mine, refused, others)
    return Baseline({**mine, **of_its_kind(run, node.name, world)}, refused, others)


def kin(run: Run, name: str, world: World) -> tuple[str, ...]:
    """Planned nodes of the same kind; a node that joined later is compared as it is now."""
    planned = run.plan.cohort_of(name)
    if planned is not None:
        return planned.nodes
    node = world.nodes.get(name)
    if node is None:
        return ()
    keys = run.plan.spec.cohort
    mine = cohort_of(node, keys)
    return tuple(
        other
        for other in run.plan.nodes
        if other in world.nodes and cohort_of(world.nodes[other], keys) == mine
    )


def proven(run: Run, name: str, world: World) -> bool:
    """Whether the target has passed on a node of the same kind."""
    return any(run.state.node(other).status is NodeStatus.PASSED for other in kin(run, name, world))


def of_its_kind(run: Run, name: str, world: World) -> Mapping[str, Offer]:
    """What most nodes of its kind offer, per resource: as measured, or as untouched ones do now."""
    peers = [
        offers
        for other in kin(run, name, world)
        if other != name and (offers := _shown(run, other, world)) is not None
    ]
    return {
        resource: most
        for resource in run.plan.resources
        if (most := usual(offers[resource] for offers in peers if resource in offers)) is not None
    }


def _shown(run: Run, name: str, world: World) -> Offers | None:
    """What a node offers under the former version; None where that cannot be told."""
    known = run.state.node(name).baseline
    if known is not None:
        return known.offers
    pod = world.view(name).successor(frozenset())
    node = world.nodes.get(name)
    if node is None or pod is None or not pod.ready or pod.revision != run.former_hash(world):
        return None
    return node.offers
