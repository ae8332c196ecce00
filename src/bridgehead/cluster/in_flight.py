"""What is read only of nodes in flight: themselves, pods that ask for devices, logs, events.

Everything here costs requests, so it grows with the nodes in flight and never with the cluster, and
each reading is made again only after a while.
"""

import asyncio
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress

import msgspec

from bridgehead.cluster.convert import node_from, pod_from
from bridgehead.core.model.node import Node
from bridgehead.core.model.pod import Container, Pod
from bridgehead.core.plan.plan import Plan
from bridgehead.core.verify.view import NodeView, PodEvent
from bridgehead.kube.client import Kube
from bridgehead.kube.errors import ApiError, BadRequest, Forbidden, KubeError, NotFound
from bridgehead.kube.resources import EVENTS, NODES, PODS

TAIL_LINES = 100
TAIL_BYTES = 256 * 1024
"""Bound of one log's end: lines may be of any length."""
LOG_PATIENCE = 5.0
"""Seconds for one log; a kubelet that does not answer must not hold up the other nodes."""
WATCHED_PERIODS = 6
"""Status periods between two looks into the log of a node that has passed."""
REQUESTERS_PERIOD = 1.0
"""Seconds between two lists of a node's pods: half of the quiet time before a deletion."""
_AT_ONCE = 16
_NONE: frozenset[str] = frozenset()


class Due:
    """When something was read last, by key; times are of one monotonic clock, in seconds."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._last: dict[str, float] = {}

    def due(self, key: str, every: float) -> bool:
        """Whether it is time to read again; if so, it counts as read."""
        now = self._clock()
        if key in self._last and now - self._last[key] < every:
            return False
        self._last[key] = now
        return True

    def keep(self, keys: Collection[str]) -> None:
        """Forget all others."""
        self._last = {key: at for key, at in self._last.items() if key in keys}


class Readings(msgspec.Struct):
    """The newest readings, as ``World`` wants them."""

    nodes: dict[str, Node] = msgspec.field(default_factory=dict)
    """Asked for one by one: a watch whose connection died is silent for minutes before that shows,
    and what it said before would go on to look good."""
    requesters: dict[str, tuple[Pod, ...]] = msgspec.field(default_factory=dict)
    logs: dict[str, str] = msgspec.field(default_factory=dict)
    last_words: dict[str, str] = msgspec.field(default_factory=dict)
    logs_unread: dict[str, str] = msgspec.field(default_factory=dict)
    events: dict[str, tuple[PodEvent, ...]] = msgspec.field(default_factory=dict)
    own_logs: dict[str, str] = msgspec.field(default_factory=dict)


class FlightReader:
    """Reads around the nodes in flight and under watch."""

    def __init__(self, kube: Kube, plan: Plan, clock: Callable[[], float]) -> None:
        self._kube = kube
        self._plan = plan
        self._namespace = plan.spec.component.namespace
        self._period = max(1.0, plan.timing.status_period)
        self._due = Due(clock)
        self._slots = asyncio.Semaphore(_AT_ONCE)
        self.readings = Readings()

    async def refresh(
        self,
        in_flight: Collection[str],
        watched: Collection[str],
        pods: Mapping[str, tuple[Pod, ...]],
        own: Iterable[Pod],
        *,
        counted: Collection[str] | None = None,
    ) -> None:
        """Read what is due. ``pods`` are the component's, ``own`` are ours.

        ``counted`` are the nodes in flight whose pods are read, None for all: it costs a list a
        second each. Of the others no earlier reading is kept, as it would be an old one.

        Raises KubeError where the pods of a node cannot be listed; a log that cannot be read is
        noted, since its gate can say so.
        """
        newest = {
            node: pod
            for node in (*in_flight, *watched)
            if (pod := NodeView(name=node, node=None, pods=pods.get(node, ())).successor(_NONE))
        }
        own = tuple(own)
        counted = in_flight if counted is None else counted
        self._forget(in_flight, counted, newest.values(), own)
        due = self._due.due
        tasks = [self._node(node) for node in in_flight if due(f"node/{node}", self._period)]
        tasks += [
            self._requesters(node) for node in counted if due(f"pods/{node}", REQUESTERS_PERIOD)
        ]
        for node, pod in newest.items():
            every = self._period if node in in_flight else WATCHED_PERIODS * self._period
            if _has_run(pod) and due(_log_key(pod), every):
                tasks.append(self._log(pod, keep=node not in in_flight))
        for node in in_flight:
            unsound = newest.get(node)
            uid = unsound.uid if unsound else self._plan.component_uid
            if (unsound is None or not unsound.ready) and due(f"events/{uid}", self._period):
                tasks.append(self._events(uid))
        tasks.extend(self._own_log(pod) for pod in own if self._wants_output(pod))
        await asyncio.gather(*tasks)

    def _forget(
        self,
        in_flight: Collection[str],
        counted: Collection[str],
        pods: Iterable[Pod],
        own: Iterable[Pod],
    ) -> None:
        """Drop what is about nodes and pods that are no longer of interest."""
        readings = self.readings
        known = {pod.uid for pod in pods}
        mine = {pod.uid for pod in own}
        about = known | {self._plan.component_uid}
        self.readings = Readings(
            nodes={k: v for k, v in readings.nodes.items() if k in in_flight},
            requesters={k: v for k, v in readings.requesters.items() if k in counted},
            logs={k: v for k, v in readings.logs.items() if k in known},
            last_words={k: v for k, v in readings.last_words.items() if k in known},
            logs_unread={k: v for k, v in readings.logs_unread.items() if k in known},
            events={k: v for k, v in readings.events.items() if k in about},
            own_logs={k: v for k, v in readings.own_logs.items() if k in mine},
        )
        self._due.keep(
            {
                *(f"node/{node}" for node in in_flight),
                *(f"pods/{node}" for node in counted),
                *(_log_key(pod) for pod in pods),
                *(f"events/{uid}" for uid in about),
                *(f"own/{uid}" for uid in mine),
            }
        )

    async def _node(self, name: str) -> None:
        """One that is gone is left to the watch, which says so, or is not up to date."""
        try:
            async with self._slots:
                found = await self._kube.get(NODES, name)
        except NotFound:
            self.readings.nodes.pop(name, None)
        else:
            self.readings.nodes[name] = node_from(found)

    async def _requesters(self, node: str) -> None:
        async with self._slots:
            found = await self._kube.list(PODS, field_selector=f"spec.nodeName={node}")
        pods = (pod_from(item) for item in found.items)
        wanted = set(self._plan.resources)
        asking = tuple(pod for pod in pods if wanted & pod.requests.keys())
        self.readings.requesters[node] = asking

    async def _log(self, pod: Pod, *, keep: bool) -> None:
        """The end of each container's log, the previous instance's first.

        One that cannot be read any more is kept only where asked: of a node in flight an earlier
        reading must not pass for what the pod says now.
        """
        parts: list[str] = []
        ended: list[str] = []
        try:
            async with self._slots, asyncio.timeout(LOG_PATIENCE):
                for container in pod.containers:
                    before, now = await self._tails(pod, container)
                    parts += filter(None, (before, now))
                    ended += (before or (now if container.state == "terminated" else "")).split(
                        "\n"
                    )
        except NotFound:
            return
        except TimeoutError:
            self._unread(pod, f"no answer within {LOG_PATIENCE:g} s", keep=keep)
        except KubeError as error:
            self._unread(pod, _said(error), keep=keep)
        else:
            self.readings.logs[pod.uid] = "\n".join(part.rstrip("\n") for part in parts)
            words = [line.strip() for line in ended if line.strip()]
            self.readings.last_words[pod.uid] = words[-1] if words else ""
            self.readings.logs_unread.pop(pod.uid, None)

    def _unread(self, pod: Pod, why: str, *, keep: bool) -> None:
        self.readings.logs_unread[pod.uid] = why
        if not keep:
            self.readings.logs.pop(pod.uid, None)

    async def _tails(self, pod: Pod, container: Container) -> tuple[str, str]:
        """Of the instance before and of this one; empty where there is none.

        One that is seen as terminated may have been followed by another since, even between the two
        readings: so the one before is read last, and is then the same that was read first.
        """
        before = now = ""
        if container.state in {"running", "terminated"} and container.container_id:
            now = await self._tail(pod, container.name, previous=False)
        if container.restarts or container.state == "terminated":
            # Refused where there is none, or where the node has dropped its log.
            with suppress(BadRequest):
                before = await self._tail(pod, container.name, previous=True)
        return before, now if now != before else ""

    async def _tail(self, pod: Pod, container: str, *, previous: bool) -> str:
        return await self._kube.logs(
            pod.namespace,
            pod.name,
            container,
            previous=previous,
            tail_lines=TAIL_LINES,
            limit_bytes=TAIL_BYTES,
        )

    async def _events(self, uid: str) -> None:
        """Events are proof, no gate: without permission to read them there are none."""
        try:
            async with self._slots:
                found = await self._kube.list(
                    EVENTS, self._namespace, field_selector=f"involvedObject.uid={uid}"
                )
        except Forbidden:
            return
        self.readings.events[uid] = tuple(
            PodEvent(
                type=item.type,
                reason=item.reason,
                message=item.message,
                at=item.last_seen.timestamp() if item.last_seen else 0.0,
            )
            for item in found.items
        )

    def _wants_output(self, pod: Pod) -> bool:
        """Only a probe of the user's writes anything, and only when it has ended it is whole."""
        ended = any(item.state == "terminated" and item.container_id for item in pod.containers)
        return (
            self._plan.spec.verify.probe is not None
            and ended
            and pod.uid not in self.readings.own_logs
            and self._due.due(f"own/{pod.uid}", 1.0)
        )

    async def _own_log(self, pod: Pod) -> None:
        try:
            async with self._slots, asyncio.timeout(LOG_PATIENCE):
                output = await self._tail(pod, pod.containers[0].name, previous=False)
        except (ApiError, TimeoutError):  # read again when it is due; its gate waits
            return
        self.readings.own_logs[pod.uid] = output


def newest(watched: Mapping[str, Node], read: Mapping[str, Node]) -> Mapping[str, Node]:
    """The watched nodes, and of those that were read as well the newer of the two."""
    newer = {
        name: node
        for name, node in read.items()
        if name in watched and _version(node) > _version(watched[name])
    }
    return {**watched, **newer} if newer else watched


def _version(node: Node) -> int:
    """A resourceVersion is a number that grows (KEP-5504, stable in Kubernetes 1.35)."""
    return int(node.resource_version) if node.resource_version.isdecimal() else 0


def _log_key(pod: Pod) -> str:
    """Changes when a container starts or ends: its last words are read at once."""
    lives = ",".join(f"{item.restarts}{item.state}" for item in pod.containers)
    return f"log/{pod.uid}/{lives}"


def _has_run(pod: Pod) -> bool:
    return any(
        item.restarts or (item.state in {"running", "terminated"} and item.container_id)
        for item in pod.containers
    )


def _said(error: KubeError) -> str:
    return error.message if isinstance(error, ApiError) else str(error)
