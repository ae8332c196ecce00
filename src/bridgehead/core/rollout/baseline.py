"""What a node is expected to offer: what it did before, or what verified nodes of its kind do."""

from collections import Counter
from collections.abc import Iterable, Mapping

from bridgehead.core.inventory.cohort import cohort_of
from bridgehead.core.model.device import Offer, Offers, most_of
from bridgehead.core.rollout.commands import Baseline
from bridgehead.core.rollout.run import Run
from bridgehead.core.rollout.state import NodeState, NodeStatus
from bridgehead.core.rollout.world import World
from bridgehead.core.verify.view import successor

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
    offers, uid = (seen.offers, seen.uid) if seen else ({}, "")
    resources = run.plan.resources
    refused = tuple(pod.uid for pod in world.refused.get(node.name, ()))
    if node.baseline is not None:
        return Baseline(node.baseline.offers, refused, node.baseline.others, node.baseline.node)
    others = {name: offer for name, offer in offers.items() if name not in resources}
    mine = {name: offers.get(name, NOTHING) if own else AT_LEAST for name in resources}
    if own and node.name in run.plan.nodes:
        return Baseline(mine, refused, others, uid)
    return Baseline({**mine, **of_its_kind(run, node.name, world)}, refused, others, uid)


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


class Kinds:
    """What most nodes of each kind offer, per resource; counted once for all nodes of a kind."""

    def __init__(self, run: Run, world: World) -> None:
        self._run = run
        self._world = world
        self._counted: dict[str, Mapping[str, Counter[Offer]]] = {}

    def usual(self, name: str) -> Mapping[str, Offer]:
        """What most others of the node's kind offer: as measured, or as untouched ones do now."""
        planned = self._run.plan.cohort_of(name)
        if planned is None:
            counts, mine = self._count(kin(self._run, name, self._world)), None
        else:
            if planned.name not in self._counted:
                self._counted[planned.name] = self._count(planned.nodes)
            counts, mine = self._counted[planned.name], _shown(self._run, name, self._world)
        found = {
            resource: most_of(_without(count, mine.get(resource) if mine else None))
            for resource, count in counts.items()
        }
        return {resource: most for resource, most in found.items() if most is not None}

    def _count(self, names: Iterable[str]) -> Mapping[str, Counter[Offer]]:
        shown = [
            offers for name in names if (offers := _shown(self._run, name, self._world)) is not None
        ]
        return {
            resource: Counter(offers[resource] for offers in shown if resource in offers)
            for resource in self._run.plan.resources
        }


def _without(counts: Counter[Offer], one: Offer | None) -> Mapping[Offer, int]:
    return counts if one is None else counts - Counter((one,))


def of_its_kind(run: Run, name: str, world: World) -> Mapping[str, Offer]:
    """What most others of one node's kind offer; for many nodes ask one ``Kinds``."""
    return Kinds(run, world).usual(name)


def _shown(run: Run, name: str, world: World) -> Offers | None:
    """What a node offers under the former version; None where that cannot be told."""
    known = run.state.node(name).baseline
    if known is not None:
        return known.offers
    pod = successor(world.pods.get(name, ()))
    node = world.nodes.get(name)
    if node is None or pod is None or not pod.ready or pod.revision != run.former_hash(world):
        return None
    return node.offers
