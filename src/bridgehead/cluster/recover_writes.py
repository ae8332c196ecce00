"""The writes of recovery: one pod by its uid, a cordon, a dead name off a node's status."""

from collections.abc import Callable

from bridgehead.cluster.anchor import test
from bridgehead.cluster.node_writes import NodeWrites
from bridgehead.core.model.json import JsonObject
from bridgehead.core.model.json_patch import without_name
from bridgehead.core.model.node import Node
from bridgehead.core.model.pod import Pod
from bridgehead.core.rollout.commands import CommandResult, Done, Failed
from bridgehead.kube.client import Kube
from bridgehead.kube.errors import Conflict, NotFound, PatchTestFailed
from bridgehead.kube.resources import NODES, PODS


class RecoverWrites:
    """Writes in the name of ``holder``; the fence is called before every sending."""

    def __init__(self, kube: Kube, holder: str, fence: Callable[[], None]) -> None:
        self._kube = kube
        self._holder = holder
        self._fence = fence

    async def delete(self, pod: Pod, *, dry_run: bool = False) -> CommandResult:
        """Delete exactly that pod; one that is gone or was replaced counts as deleted."""
        try:
            await self._kube.delete(
                PODS,
                pod.name,
                pod.namespace,
                uid=pod.uid,
                dry_run=dry_run,
                before_send=self._fence,
            )
        except (NotFound, Conflict):
            return Done({"gone": True})
        return Done()

    async def cordon(self, node: str) -> CommandResult:
        """Keep new pods off the node, marked as ours, so that ``release`` can give it back."""
        return await NodeWrites(self._kube, self._holder, self._fence).cordon(node)

    async def remove_name(
        self, node: Node, resource: str, *, dry_run: bool = False
    ) -> CommandResult:
        """Take the name out of capacity and allocatable, if both are still 0 at that moment."""
        try:
            await self._kube.patch_json(
                NODES,
                node.name,
                removal(node, resource),
                subresource="status",
                dry_run=dry_run,
                before_send=self._fence,
            )
        except PatchTestFailed:
            return Failed("changed", f"{resource} of node {node.name} is not 0/0 any more")
        return Done()


def removal(node: Node, resource: str) -> list[JsonObject]:
    """The JSON patch that removes a name, with what must still stand for it to be removed."""
    return [test("/metadata/uid", node.uid), *without_name(resource)]
