"""Where something is seen and where it is not: the first thing that tells causes apart."""

from collections.abc import Iterable, Sequence

from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.findings.finding import ObjectRef
from bridgehead.core.findings.standing import few
from bridgehead.core.inventory.cohort import UNKNOWN, cohort_of, labelled_device
from bridgehead.core.model.node import Node
from bridgehead.core.plan.settings import CohortKey


def scope_of(scene: Scene, names: Sequence[str], about: ObjectRef) -> str:
    """In words: how many of which nodes, and what those have in common that others have not."""
    if not names:
        return f"one pod, {about.namespace}/{about.name}" if about.kind == "Pod" else ""
    peers = _peers(scene, names, about)
    bad = [scene.nodes[name] for name in names if name in scene.nodes]
    good = [node for node in peers if node.name not in set(names)]
    total = len({*names, *(node.name for node in peers)})
    if not good:
        return f"all {total} nodes" if total > 1 else "the only node there is for it"
    what = f"node {names[0]} alone" if len(names) == 1 else f"{len(names)} nodes"
    counted = f"{what}, of {total}"
    telling = _separating(bad, good)
    return f"{counted}: {telling}" if telling else counted


def _peers(scene: Scene, names: Sequence[str], about: ObjectRef) -> list[Node]:
    """Nodes that could have it as well: those of the same plugin, else those with devices."""
    for plugin in scene.plugins:
        component = plugin.component
        same = (about.namespace, about.name) == (component.namespace, component.name)
        own = about.kind == "Pod" and any(
            (pod.namespace, pod.name) == (about.namespace, about.name) for pod in plugin.pods
        )
        if (about.kind == "DaemonSet" and same) or own:
            wanted = scene.wanted_on(plugin)
            return list(wanted) or [scene.nodes[name] for name in names if name in scene.nodes]
    wanted_by_any = {node.name for plugin in scene.plugins for node in scene.wanted_on(plugin)}
    return [node for node in scene.nodes.values() if node.offers or node.name in wanted_by_any]


def _separating(bad: Iterable[Node], good: Iterable[Node]) -> str:
    """The key whose values on bad nodes no good node has: ``exactly those with kernel 5.15``."""
    bad, good = list(bad), list(good)
    for key in CohortKey:
        values = {_value(node, key) for node in bad}
        others = {_value(node, key) for node in good}
        if values and len(values) <= 2 and not values & others and values != {UNKNOWN}:
            return (
                f"exactly those with {key.value} {' or '.join(sorted(values))}; "
                f"the others have {few(sorted(others), 3)}"
            )
    return ""


def _value(node: Node, key: CohortKey) -> str:
    """What a node offers is what has failed there, so it tells no node from another."""
    if key is CohortKey.DEVICE:
        return labelled_device(node) or UNKNOWN
    return cohort_of(node, (key,)).value(key)
