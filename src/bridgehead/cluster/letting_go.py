"""What ``release`` writes, from annotations alone: it needs no record of the run.

Everything is tested to be as it was read, so nothing is given back that was taken again meanwhile.
"""

from collections.abc import Callable

import msgspec

from bridgehead.cluster.anchor import OURS, drop_annotation, replace, test
from bridgehead.cluster.names import RUN_LABEL
from bridgehead.cluster.node_writes import NodeWrites
from bridgehead.core.model.component import FORMER_STRATEGY, Component
from bridgehead.core.model.json import JsonObject
from bridgehead.core.model.node import Node
from bridgehead.core.model.pod import Pod
from bridgehead.core.rollout.commands import Failed
from bridgehead.kube.client import Kube
from bridgehead.kube.errors import Conflict, NotFound
from bridgehead.kube.resources import DAEMON_SETS, PODS


class LettingGo:
    """Gives back what runs have left; the fence is called before every sending of a write."""

    def __init__(self, kube: Kube, fence: Callable[[], None]) -> None:
        self._kube = kube
        self._fence = fence

    async def node(self, node: Node) -> str:
        """Give a node back; what became of it in words."""
        result = await NodeWrites(self._kube, node.held_by, self._fence).uncordon(node.name)
        if isinstance(result, Failed):
            return f"not given back: {result.message}"
        if result.detail.get("schedulable"):
            return "uncordoned"
        return "marks removed; it stays cordoned, as it was before or as somebody asked"

    async def pod(self, pod: Pod) -> str:
        """Remove a pod of a run's own."""
        try:
            await self._kube.delete(
                PODS, pod.name, pod.namespace, uid=pod.uid, before_send=self._fence
            )
        except (NotFound, Conflict):
            return "was gone already"
        return "removed"

    async def component(self, component: Component) -> None:
        """Restore the former strategy and remove the annotations.

        Raises PatchTestFailed where the component is not as it was read: with RollingUpdate back,
        the controller would carry a template of now over pods that were compared with another.
        """
        kept = [name for name in OURS if name in component.annotations]
        steps: list[JsonObject] = [test("/metadata/uid", component.uid)]
        former = former_strategy(component)
        if former is not None and former != component.strategy:
            path = "/spec/updateStrategy"
            steps += [test("/spec/template", component.template)]
            steps += [test(path, component.strategy), replace(path, former)]
        for name in kept:
            steps += drop_annotation(name, component.annotations[name])
        await self._kube.patch_json(
            DAEMON_SETS,
            component.name,
            steps,
            namespace=component.namespace,
            before_send=self._fence,
        )


def former_strategy(component: Component) -> JsonObject | None:
    """The update strategy from before the takeover; None where none was kept."""
    kept = component.annotations.get(FORMER_STRATEGY)
    if kept is None:
        return None
    try:
        found: JsonObject = msgspec.json.decode(kept, type=dict)
    except msgspec.DecodeError:
        return None
    return found


def is_own(pod: Pod, runs: frozenset[str]) -> bool:
    """Whether the pod is one of these runs' own."""
    return pod.labels.get(RUN_LABEL, "") in runs
