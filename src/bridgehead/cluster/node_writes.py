"""The writes to nodes: keep new pods off for the gap, and give the node back as it was."""

from collections.abc import Callable
from typing import Any

from bridgehead.core.model.node import HELD_BY, KEEP_CORDONED, SCHEDULABLE_BEFORE
from bridgehead.core.rollout.commands import CommandResult, Done, Failed
from bridgehead.kube.client import Kube
from bridgehead.kube.errors import Conflict, NotFound
from bridgehead.kube.objects.node import Node
from bridgehead.kube.resources import NODES

_ATTEMPTS = 2
"""Kubelets write their node every few seconds: one conflict says nothing, two in a row do."""


class NodeWrites:
    """Nodes, written as one run."""

    def __init__(self, kube: Kube, run: str, fence: Callable[[], None]) -> None:
        self._kube = kube
        self._run = run
        self._fence = fence

    async def cordon(self, name: str) -> CommandResult:
        """Mark the node as held by this run and make it unschedulable.

        Whether it was schedulable before is what this reading says, and is kept from the first
        time: afterwards it never is.
        """
        for _ in range(_ATTEMPTS):
            node = await self._kube.get(NODES, name)
            holder = node.metadata.annotations.get(HELD_BY, "")
            if holder and holder != self._run:
                return Failed("held", f"node {name} is held by run {holder}")
            if holder and node.spec.unschedulable:
                return Done()
            kept = node.metadata.annotations.get(SCHEDULABLE_BEFORE) if holder else None
            marks = {
                HELD_BY: self._run,
                SCHEDULABLE_BEFORE: kept or _word(not node.spec.unschedulable),
            }
            try:
                await self._patch(node, marks, unschedulable=True)
            except Conflict:
                continue
            return Done({"schedulable": marks[SCHEDULABLE_BEFORE] == _word(True)})
        return Failed("conflict", f"node {name} is changed by somebody else at this moment")

    async def uncordon(self, name: str, *, leave: bool = False) -> CommandResult:
        """Remove the marks; schedulable again if it was and nobody asked to keep it cordoned.

        With ``leave`` only the marks go: whether it takes pods is somebody else's to say by now.
        """
        for _ in range(_ATTEMPTS):
            try:
                node = await self._kube.get(NODES, name)
            except NotFound:
                return Done({"gone": True})
            annotations = node.metadata.annotations
            if annotations.get(HELD_BY) != self._run:
                return Done({"untouched": True})
            free = annotations.get(SCHEDULABLE_BEFORE) == "true"
            free = free and not leave and KEEP_CORDONED not in annotations
            marks = {HELD_BY: None, SCHEDULABLE_BEFORE: None}
            try:
                await self._patch(node, marks, unschedulable=False if free else None)
            except NotFound:
                return Done({"gone": True})
            except Conflict:
                continue
            return Done({"schedulable": free})
        return Failed("conflict", f"node {name} is changed by somebody else at this moment")

    async def _patch(
        self, node: Node, annotations: dict[str, Any], *, unschedulable: bool | None
    ) -> None:
        """One merge patch; ``unschedulable`` None leaves that field as it is."""
        metadata = {
            "resourceVersion": node.metadata.resource_version,
            "annotations": annotations,
        }
        body: dict[str, Any] = {"metadata": metadata}
        if unschedulable is not None:
            body["spec"] = {"unschedulable": unschedulable}
        await self._kube.patch_merge(NODES, node.metadata.name, body, before_send=self._fence)


def _word(value: bool) -> str:
    return "true" if value else "false"
