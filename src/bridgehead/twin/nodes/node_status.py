"""What a kubelet reports of its node, and when.

A change is written at the next tick of the status period; a status that has not changed is written
every few minutes only. Nothing wakes the loop for a node that has nothing to tell.

Source: k8s.io/kubernetes/pkg/kubelet/kubelet_node_status.go and nodestatus/setters.go (1.37).
"""

import asyncio
import math
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from bridgehead.twin.controllers.events import Type
from bridgehead.twin.errors import ApiError
from bridgehead.twin.nodes import node_object
from bridgehead.twin.objects import Object, at, fields, text, with_field

if TYPE_CHECKING:
    from bridgehead.twin.nodes.kubelet import Kubelet


class NodeStatus:
    """Keeps one Node's status."""

    def __init__(self, kubelet: "Kubelet") -> None:
        self._kubelet = kubelet
        self._host = kubelet.host
        self._context = kubelet.context
        period = kubelet.settings.node_status_update
        self._phase = self._context.chance.random() * period
        """The ticks of all kubelets together would be a herd."""
        self._timers: dict[float, asyncio.TimerHandle] = {}
        self._reported = -math.inf
        self._up = False

    def begin(self) -> None:
        """The kubelet's process has started: register the node where it is unknown."""
        self.event("Normal", "Starting", "Starting kubelet.")
        self._register()

    def come_up(self) -> None:
        """Report at once: resources of plugins are 0 until those have registered anew."""
        self._up = True
        boot = text(self._node(), "status", "nodeInfo", "bootID")
        if boot and boot != self._host.boot_id:
            told = f"Node {self._kubelet.name} has been rebooted, boot id: {self._host.boot_id}"
            self.event("Warning", "Rebooted", told)
        self.report()

    def adopt(self) -> None:
        """The kubelet has been running for long: nothing is reported before something changes."""
        self._up = True
        self._reported = self._context.clock.now()
        self._keep_reporting()

    def stop(self) -> None:
        """Report nothing any more."""
        self._up = False
        for timer in self._timers.values():
            timer.cancel()
        self._timers.clear()

    def changed_in(self, seconds: float) -> None:
        """Something will have changed by then: look at the first tick after that."""
        self._tick_at(self._next_tick(self._context.clock.now() + seconds))

    def allocatable(self) -> Mapping[str, str]:
        """What the node offers to pods, as it was reported last."""
        return fields(self._node(), "status", "allocatable")

    def node(self) -> Object:
        """The node's object; an empty one where there is none."""
        return self._node() or {}

    def reported(self) -> float:
        """When a status was written last, in seconds since the epoch."""
        return self._reported

    def report(self) -> None:
        """Write what is so now, where it has changed or has not been written for long."""
        node = self._node()
        now = self._context.clock.now()
        if not self._up or not self._host.connected or node is None:
            return
        offered = self._kubelet.devices.offered()
        new = node_object.reported(node, self._kubelet, offered=offered, ready=True)
        stale = now - self._reported >= self._kubelet.settings.node_status_report
        if not stale and _same(node, new):
            return
        self._reported = now
        self._keep_reporting()
        self._tell_changes(node, new)
        with suppress(
            ApiError
        ):  # of a node that somebody is taking away; the next tick tries again
            self._context.registry.update(self._context.nodes, new, subresource="status")

    def event(self, kind: Type, reason: str, message: str) -> None:
        """An event of the node."""
        involved = {
            "kind": "Node",
            "name": self._kubelet.name,
            "uid": text(self._node(), "metadata", "uid") or self._kubelet.name,
        }
        if self._host.connected:
            self._context.event(involved, kind, reason, message, host=self._kubelet.name)

    def _node(self) -> Object | None:
        return self._context.registry.store.get(self._context.nodes.stored, "", self._kubelet.name)

    def _register(self) -> None:
        if self._node() is None and self._host.connected:
            first = node_object.first(self._host)
            made = self._context.registry.create(self._context.nodes, first)
            status = node_object.reported(made, self._kubelet, offered={}, ready=False)
            self._tell_changes(made, status)
            self._context.registry.update(self._context.nodes, status, subresource="status")

    def _tell_changes(self, old: Object, new: Object) -> None:
        before, after = _conditions(old), _conditions(new)
        for kind, reason in node_object.REASONS.items():
            if kind == "Ready" and kind not in before:
                continue
            if _status(before, kind) != _status(after, kind):
                told = reason[after[kind]["status"] == "True"]
                message = f"Node {self._kubelet.name} status is now: {told}"
                self.event("Normal", told, message)

    def _next_tick(self, moment: float) -> float:
        period = self._kubelet.settings.node_status_update
        ticks = math.floor((moment - self._phase) / period) + 1
        return self._phase + ticks * period

    def _keep_reporting(self) -> None:
        self.changed_in(self._kubelet.settings.node_status_report)

    def _tick_at(self, moment: float) -> None:
        if not self._up or moment in self._timers:
            return
        wait = moment - self._context.clock.now()
        self._timers[moment] = self._context.clock.after(wait, lambda: self._tick(moment))

    def _tick(self, moment: float) -> None:
        self._timers.pop(moment, None)
        self.report()


def _conditions(node: Object) -> dict[str, Object]:
    return {item["type"]: item for item in at(node, "status", "conditions") or ()}


def _status(conditions: Mapping[str, Object], kind: str) -> Any:
    return conditions.get(kind, {}).get("status")


def _same(old: Object, new: Object) -> bool:
    """Whether nothing but heartbeats differs."""
    return _without_heartbeats(old) == _without_heartbeats(new)


def _without_heartbeats(node: Object) -> Object:
    conditions = [
        {key: value for key, value in item.items() if key != "lastHeartbeatTime"}
        for item in at(node, "status", "conditions") or ()
    ]
    return with_field(node, ("status", "conditions"), conditions)["status"]  # type: ignore[no-any-return]
