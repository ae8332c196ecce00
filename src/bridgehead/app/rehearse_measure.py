"""What a rehearsed change costs, and what it leaves behind: measured in the twin, not by gates.

A gate may be wrong; the twin knows. A fault has escaped where a run calls itself done although
nodes offer less than before, the component restarts by itself, devices go away for a while, or the
next pod that asks for a device does not run.
"""

import asyncio
from collections.abc import Sequence
from typing import Any

from bridgehead.core.model.device import device_count
from bridgehead.core.plan.settings import ComponentRef
from bridgehead.core.rehearsal.outcome import Missing
from bridgehead.twin.errors import ApiError
from bridgehead.twin.objects import (
    Object,
    at,
    controller_of,
    fields,
    is_deleting,
    items,
    name_of,
    namespace_of,
    text,
    uid_of,
)
from bridgehead.twin.pods import is_finished, pods_on
from bridgehead.twin.registry import DeleteOptions
from bridgehead.twin.store import Change
from bridgehead.twin.twin import Twin

AFTERMATH = 3600.0
"""Seconds after the ending in which something may still show; the report says so of what is later.
"""
TRIAL = 180.0
"""Seconds in which a pod that asks for a device must run."""
_TRIALS = "rehearsal-trials"


class Measure:
    """Watches a twin from the moment on at which it is made."""

    def __init__(self, twin: Twin, component: ComponentRef, resources: Sequence[str]) -> None:
        self._twin = twin
        self._component = component
        self._resources = tuple(resources)
        self._nodes = twin.kinds.named("", "nodes")
        self._pods = twin.kinds.named("", "pods")
        self._before = {
            name_of(node): self._offered(node) for node in twin.store.select(self._nodes.stored)
        }
        self._lacking: dict[str, int] = {}
        self._dips: dict[str, tuple[int, int]] = {}
        self._since = twin.clock.now()
        self._lost = 0.0
        self._touched: dict[str, None] = {}
        self._end = twin.store.subscribe(self._changed)

    @property
    def device_minutes(self) -> float:
        """Devices that were not offered though they had been, times minutes, until now."""
        self._count()
        return self._lost / 60

    @property
    def touched(self) -> tuple[str, ...]:
        """Nodes on which a pod of the component was ended, in that order."""
        return tuple(self._touched)

    async def missing(self, struck: Sequence[str]) -> tuple[Missing, ...]:
        """What is missing for a while from now on, or at its end; counts no further then.

        Nothing is said of nodes that ``struck`` names.
        """
        restarts = self._restarts()
        self._dips.clear()
        await asyncio.sleep(AFTERMATH)
        self._end()
        dipped = {
            node: f"{most} of {count} devices went away for a while, after the end"
            for node, (most, count) in self._dips.items()
        }
        restless = {
            node: "the component restarts by itself, after the end"
            for pod, (node, count) in self._restarts().items()
            if pod in restarts and count > restarts[pod][1]
        }
        restless = {**dipped, **restless}
        fewer = {
            node: f"{resource}: {now} of {count}"
            for node, offered in self._before.items()
            for resource, count in offered.items()
            if (now := self._now(node).get(resource, 0)) < count
        }
        tried = [
            name
            for name in self._touched
            if name not in fewer and name not in restless and name not in struck
        ]
        refused = await self._trials(tried)
        return tuple(
            Missing(node=node, what=what)
            for node, what in sorted({**refused, **restless, **fewer}.items())
            if node not in struck
        )

    # Watching

    def _changed(self, change: Change) -> None:
        if change.kind.stored == self._pods.stored:
            ended = change.type == "DELETED" or is_deleting(change.object)
            if ended and self._is_ours(change.object):
                self._touched[text(change.object, "spec", "nodeName")] = None
        elif change.kind.stored == self._nodes.stored and change.type != "ADDED":
            name = name_of(change.object)
            now = {} if change.type == "DELETED" else self._offered(change.object)
            before = self._before.get(name, {})
            lacking = sum(max(0, count - now.get(key, 0)) for key, count in before.items())
            if lacking != self._lacking.get(name, 0):
                self._count()
                if lacking > max(self._lacking.get(name, 0), self._dips.get(name, (0, 0))[0]):
                    self._dips[name] = (lacking, sum(before.values()))
                self._lacking[name] = lacking

    def _count(self) -> None:
        now = self._twin.clock.now()
        self._lost += sum(self._lacking.values()) * (now - self._since)
        self._since = now

    def _restarts(self) -> dict[str, tuple[str, int]]:
        """Of the component's pods, by uid: the node, and how often containers were restarted."""
        return {
            uid_of(pod): (
                text(pod, "spec", "nodeName"),
                sum(item.get("restartCount", 0) for item in _statuses(pod)),
            )
            for pod in self._twin.store.select(self._pods.stored, self._component.namespace)
            if self._is_ours(pod)
        }

    def _is_ours(self, pod: Object) -> bool:
        controller = controller_of(pod)
        return (
            controller is not None
            and controller.get("kind") == "DaemonSet"
            and controller.get("name") == self._component.name
            and namespace_of(pod) == self._component.namespace
            and bool(text(pod, "spec", "nodeName"))
        )

    def _offered(self, node: Object) -> dict[str, int]:
        """What pods can have of the component's resources: nothing of a node that is not ready."""
        ready = any(
            item.get("type") == "Ready" and item.get("status") == "True"
            for item in items(node, "status", "conditions")
        )
        allocatable = fields(node, "status", "allocatable") if ready else {}
        return {
            resource: device_count(str(allocatable.get(resource, "0"))) or 0
            for resource in self._resources
        }

    def _now(self, node: str) -> dict[str, int]:
        found = self._twin.store.get(self._nodes.stored, "", node)
        return self._offered(found) if found is not None else {}

    # Trials

    async def _trials(self, nodes: Sequence[str]) -> dict[str, str]:
        """Nodes on which the next pod does not run, and why."""
        for node in nodes:
            self._make_room(node)
        await asyncio.sleep(TRIAL)
        namespaces = self._twin.kinds.named("", "namespaces")
        self._twin.registry.create(namespaces, {"metadata": {"name": _TRIALS}})
        self._twin.registry.create(
            self._twin.kinds.named("", "serviceaccounts"),
            {"metadata": {"name": "default"}},
            namespace=_TRIALS,
        )
        for node in nodes:
            wanted = [key for key, count in self._before[node].items() if count]
            if wanted:
                self._twin.registry.create(self._pods, _trial(node, wanted), namespace=_TRIALS)
        await asyncio.sleep(TRIAL)
        pods = self._twin.store.select(self._pods.stored, _TRIALS)
        return {name_of(pod): why for pod in pods if (why := _why_not(pod))}

    def _make_room(self, node: str) -> None:
        """Where every device is held, a job ends."""
        holders = [
            pod
            for pod in pods_on(self._twin.store, node)
            if not is_finished(pod) and self._asked(pod)
        ]
        now = self._now(node)
        for resource in self._resources:
            held = [pod for pod in holders if self._asked(pod).get(resource)]
            used = sum(self._asked(pod)[resource] for pod in held)
            if held and used >= now.get(resource, 0):
                self._finish(held[0])

    def _finish(self, pod: Object) -> None:
        """End a pod, and whoever would make it anew."""
        registry = self._twin.registry
        controller = controller_of(pod) or {}
        kind = registry.kinds.of(controller.get("apiVersion", ""), controller.get("kind", ""))
        if kind is not None:
            registry.delete(
                kind,
                namespace_of(pod),
                controller["name"],
                DeleteOptions(propagation="Background"),
            )
        try:
            registry.delete(self._pods, namespace_of(pod), name_of(pod), DeleteOptions(grace=1))
        except ApiError:  # its owner's end has ended it already
            return

    def _asked(self, pod: Object) -> dict[str, int]:
        found: dict[str, int] = {}
        for container in items(pod, "spec", "containers"):
            for key, value in fields(container, "resources", "limits").items():
                if key in self._resources:
                    found[key] = found.get(key, 0) + (device_count(str(value)) or 0)
        return {key: count for key, count in found.items() if count}


def _statuses(pod: Object) -> Sequence[Object]:
    return items(pod, "status", "containerStatuses")


def _trial(node: str, resources: Sequence[str]) -> Object:
    """A pod that asks for one device of each resource of a node, cordoned or not."""
    asked = dict.fromkeys(resources, "1")
    field: Any = {"key": "metadata.name", "operator": "In", "values": [node]}
    terms = {"nodeSelectorTerms": [{"matchFields": [field]}]}
    return {
        "metadata": {"name": node},
        "spec": {
            "affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}},
            "tolerations": [{"operator": "Exists"}],
            "containers": [
                {
                    "name": "trial",
                    "image": "rehearsal.bridgehead.dev/trial",
                    "resources": {"requests": asked, "limits": asked},
                }
            ],
        },
    }


def _why_not(pod: Object) -> str:
    """Why a pod does not run; empty where it does."""
    status = fields(pod, "status")
    if status.get("phase") == "Running" and all(item.get("ready") for item in _statuses(pod)):
        return ""
    if status.get("message"):
        return f"the next pod is not let in: {status['message']}"
    waiting = [at(item, "state", "waiting") or {} for item in _statuses(pod)]
    told = [f"{item.get('reason')}: {item.get('message')}" for item in waiting if item]
    unplaced = [
        text(item, "message")
        for item in items(status, "conditions")
        if item.get("status") == "False" and item.get("type") == "PodScheduled"
    ]
    why = next(iter((*told, *unplaced)), "")
    return "the next pod does not run" + (f": {why}" if why else "")
