"""The cluster as a runner sees it: watched lists, and readings around the nodes in flight."""

import asyncio
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import AsyncExitStack
from types import TracebackType
from typing import Any, Generic, Self, TypeVar

import msgspec

from bridgehead.cluster.convert import (
    component_from,
    controller_uid,
    node_from,
    pod_from,
    revision_from,
)
from bridgehead.cluster.holds import HoldWatch
from bridgehead.cluster.in_flight import FlightReader, newest
from bridgehead.cluster.label_query import label_query
from bridgehead.cluster.mirror import Mirror
from bridgehead.cluster.names import ROLE_LABEL, RUN_LABEL
from bridgehead.cluster.record import Record
from bridgehead.cluster.record_view import RecordView, Seen
from bridgehead.cluster.whole import WHOLE_DAEMON_SETS, WHOLE_REVISIONS, Whole
from bridgehead.core.model.component import Component, Revision
from bridgehead.core.model.json import JsonObject, child, texts
from bridgehead.core.model.node import Node
from bridgehead.core.model.pod import Pod
from bridgehead.core.plan.plan import Plan
from bridgehead.core.rollout.world import World
from bridgehead.kube.client import Kube
from bridgehead.kube.errors import NotFound
from bridgehead.kube.objects.cluster import ConfigMap
from bridgehead.kube.objects.node import Node as NodeObject
from bridgehead.kube.objects.pod import Pod as PodObject
from bridgehead.kube.resources import CONFIG_MAPS, DAEMON_SETS, NODES, PODS, Resource
from bridgehead.kube.watch import Reflector
from bridgehead.kube.watch_store import Watched

GATHERING = 0.0002
"""Seconds for each node of a plan in which changes are gathered, to be looked at together.

A look costs in proportion to the nodes (16 microseconds each, docs/benchmarks.md) and changes come
in proportion to them: without it, the looks of 1,000 nodes would fill a processor.
"""

T = TypeVar("T", bound=Watched)
N = TypeVar("N")
V = TypeVar("V")


class Kept(msgspec.Struct, frozen=True):
    """A run's record as a runner has loaded it, and the namespace where it is kept."""

    record: Record
    namespace: str
    noted: int = 0
    """How many of the requests in it the journal holds already."""


def _never() -> float:
    return 0.0


class WorldFeed:
    """Keeps the world of one run current while the context is open.

    Entering raises Forbidden where something may not be watched; a watch that fails later raises
    from ``snapshot``.
    """

    def __init__(
        self,
        kube: Kube,
        plan: Plan,
        run: str,
        *,
        kept: Kept | None = None,
        clock: Callable[[], float] | None = None,
        wall: Callable[[], float] = _never,
    ) -> None:
        """``kept`` is the run's record as it was loaded; without one none is watched.

        ``clock`` is monotonic, in seconds, the running loop's without one; it says when a reading
        is due again. By ``wall``, in seconds since the epoch, other tools' locks expire; without
        it none does.
        """
        clock = clock or asyncio.get_running_loop().time
        self._kube = kube
        self._plan = plan
        self._run = run
        self._ref = plan.spec.component
        self._flight = FlightReader(kube, plan, clock)
        self._holds = HoldWatch(kube, clock, wall)
        self._woken = asyncio.Event()
        self._stack = AsyncExitStack()
        self._watches: dict[str, Reflector[Any]] = {}
        wake = self._woken.set
        self._components: Mirror[Whole, Component] = Mirror(_component, wake)
        self._revisions: Mirror[Whole, Revision] = Mirror(self._revision, wake)
        self._nodes: Mirror[NodeObject, Node] = Mirror(node_from, wake, _essence)
        self._pods: Mirror[PodObject, Pod] = Mirror(self._component_pod, wake)
        self._own: Mirror[PodObject, Pod] = Mirror(pod_from, wake)
        self._refused: Mirror[PodObject, Pod] = Mirror(self._refused_pod, wake)
        self._kept = kept
        self._view = None
        if kept is not None:
            self._view = RecordView(kept.record, kept.namespace, kept.noted)
        self._records: Mirror[ConfigMap, Seen] = Mirror(self._seen, wake)
        self._pods_by_node = _View(self._pods, _by_node)
        self._refused_by_node = _View(self._refused, _by_node)
        self._nodes_by_name = _View(self._nodes, _by_name)

    async def __aenter__(self) -> Self:
        namespace, selector = self._ref.namespace, label_query(await self._selector())
        await self._holds.find()
        async with self._stack as unless_open:
            await self._watch(
                "the component",
                WHOLE_DAEMON_SETS,
                self._components,
                namespace,
                field_selector=f"metadata.name={self._ref.name}",
            )
            await self._watch(
                "its revisions", WHOLE_REVISIONS, self._revisions, namespace, selector
            )
            await self._watch("its pods", PODS, self._pods, namespace, selector)
            await self._watch("the nodes", NODES, self._nodes)
            await self._watch(
                "this run's own pods", PODS, self._own, namespace, f"{RUN_LABEL}={self._run}"
            )
            await self._watch(
                "failed pods", PODS, self._refused, field_selector="status.phase=Failed"
            )
            if self._kept is not None:
                await self._watch(
                    "the run's record",
                    CONFIG_MAPS,
                    self._records,
                    self._kept.namespace,
                    field_selector=f"metadata.name={self._run}",
                )
            self._stack = unless_open.pop_all()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._stack.aclose()

    async def refresh(
        self,
        in_flight: Collection[str],
        watched: Collection[str],
        counted: Collection[str] | None = None,
    ) -> None:
        """Read what is due of nodes in flight and under watch, by name.

        ``counted`` are those in flight whose pods are read; None for all of them.
        """
        own, pods = self._own.nouns.values(), self._pods_by_node.current()
        await self._flight.refresh(in_flight, watched, pods, own, counted=counted)
        await self._holds.refresh()

    def snapshot(self) -> World:
        """What is known now. Raises the error of a watch that failed for good."""
        stale = [what for what, watch in self._watches.items() if watch.stale]
        readings = self._flight.readings
        record = self._record()
        return World(
            component=next(iter(self._components.nouns.values()), None),
            revisions=tuple(self._revisions.nouns.values()),
            nodes=self._holds.on(newest(self._nodes_by_name.current(), readings.nodes)),
            pods=self._pods_by_node.current(),
            refused=self._refused_by_node.current(),
            requesters=dict(readings.requesters),
            own=self._own_pods(),
            own_logs=dict(readings.own_logs),
            logs=dict(readings.logs),
            last_words=dict(readings.last_words),
            logs_unread=dict(readings.logs_unread),
            events=dict(readings.events),
            control=record.control,
            record=record.trouble,
            unread=record.unread,
            stale=", ".join(stale),
        )

    async def changed(self, timeout: float) -> None:  # noqa: ASYNC109 - it is a wait, not a call
        """Wait until something changed since this last returned, at most ``timeout`` seconds.

        What changes at the same time is waited for: by 0.2 seconds for 1,000 nodes.
        """
        try:
            await asyncio.wait_for(self._woken.wait(), timeout)
        except TimeoutError:
            return
        await asyncio.sleep(GATHERING * len(self._plan.nodes))
        self._woken.clear()

    async def _watch(
        self,
        what: str,
        resource: Resource[T],
        mirror: Mirror[T, N],
        namespace: str | None = None,
        label_selector: str | None = None,
        *,
        field_selector: str | None = None,
    ) -> None:
        reflector = Reflector(
            self._kube,
            resource,
            namespace,
            label_selector,
            field_selector,
            on_change=mirror.take,
            wake=mirror.wake,
        )
        self._watches[what] = await self._stack.enter_async_context(reflector)

    async def _selector(self) -> JsonObject:
        """The component's selector; of one that is gone, what its pods were labelled with."""
        try:
            raw = await self._kube.get_raw(DAEMON_SETS, self._ref.name, self._ref.namespace)
        except NotFound:
            return {"matchLabels": texts(self._plan.former_template, "metadata", "labels")}
        selector = child(raw, "spec", "selector")
        return selector if isinstance(selector, dict) else {}

    def _own_pods(self) -> dict[str, Pod]:
        """By node and role. One that is ending is none: its successor has the same name."""
        return {
            f"{pod.node}/{pod.labels.get(ROLE_LABEL, '')}": pod
            for pod in self._own.nouns.values()
            if not pod.deleting
        }

    def _seen(self, item: ConfigMap) -> Seen | None:
        return self._view.look(item) if self._view is not None else None

    def _record(self) -> Seen:
        if self._view is None:
            return Seen(control=())
        return next(iter(self._records.nouns.values()), None) or self._view.gone()

    def _component_pod(self, item: PodObject) -> Pod | None:
        """Only what the DaemonSet owns: labels alone can be anybody's."""
        pod = pod_from(item)
        return pod if pod.owner_uid == self._plan.component_uid else None

    def _revision(self, item: Whole) -> Revision | None:
        raw = item.raw
        return revision_from(raw) if controller_uid(raw) == self._plan.component_uid else None

    def _refused_pod(self, item: PodObject) -> Pod | None:
        """Pods that a kubelet refused these devices; ours have a gate of their own."""
        pod = pod_from(item)
        asked = any(name in pod.requests for name in self._plan.resources)
        return pod if pod.refused and asked and ROLE_LABEL not in pod.labels else None


class _View(Generic[N, V]):
    """What is made of a mirror's nouns; made anew, never changed, when one of them has changed."""

    def __init__(self, mirror: Mirror[Any, N], make: Callable[[Iterable[N]], V]) -> None:
        self._mirror = mirror
        self._make = make
        self._revision = mirror.revision
        self._made = make(())

    def current(self) -> V:
        """The view of the nouns as they are now."""
        if self._revision != self._mirror.revision:
            self._revision = self._mirror.revision
            self._made = self._make(self._mirror.nouns.values())
        return self._made


def _by_node(pods: Iterable[Pod]) -> Mapping[str, tuple[Pod, ...]]:
    """Pods by node, oldest first."""
    grouped: dict[str, list[Pod]] = {}
    for pod in sorted(pods, key=lambda pod: (pod.created, pod.name)):
        grouped.setdefault(pod.node, []).append(pod)
    return {node: tuple(pods) for node, pods in grouped.items()}


def _by_name(nodes: Iterable[Node]) -> Mapping[str, Node]:
    return {node.name: node for node in nodes}


def _component(item: Whole) -> Component:
    return component_from(item.raw)


def _essence(node: Node) -> Node:
    return msgspec.structs.replace(node, resource_version="")
