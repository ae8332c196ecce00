"""Reads files of one node by a short-lived pod, which is removed at every ending."""

import asyncio
import re
from collections.abc import Callable
from contextlib import suppress

from bridgehead.cluster.names import ROLE_LABEL
from bridgehead.cluster.reader_answer import Answer, answer_of
from bridgehead.cluster.reader_pod import DEADLINE, LOG_BYTES, ROLE, reader_pod
from bridgehead.cluster.refusals import is_refusal
from bridgehead.cluster.state_namespace import create_in
from bridgehead.core.model.json import text
from bridgehead.core.model.snapshot import Unread
from bridgehead.kube.client import Kube
from bridgehead.kube.errors import ApiError, Conflict, Forbidden, KubeError, NotFound
from bridgehead.kube.objects.cluster import Event
from bridgehead.kube.objects.pod import Pod
from bridgehead.kube.resources import EVENTS, NODES, PODS

_BETWEEN = 0.5
"""Seconds between two looks at the pod."""
_GATHERING = 1.5
"""Seconds after the first path that is not there, in which the kubelet tells of the others."""
_ROUNDS = 4
NOT_PULLED = "could not be pulled"
"""Stands in the reason why a node was not read, where its image is that."""
_NO_IMAGE = frozenset({"ErrImageNeverPull", "InvalidImageName"})
_NO_PULL = frozenset({"ErrImagePull", "ImagePullBackOff", "RegistryUnavailable"})
"""Reasons of which the next pull may be without."""
_PULLS = 2
"""Pulls that have to fail, so that one failure of the way to the registry is no answer."""
_NO_START = frozenset({"CreateContainerConfigError", "CreateContainerError", "RunContainerError"})
_TOO_LATE = "DeadlineExceeded"
"""What a kubelet ends a pod with whose time is over, whatever it had waited for."""
_FAILED_PULL = "Failed to pull image"
"""How a kubelet's message of a pull begins (Kubernetes 1.37.2); another event has the reason."""
_MISSING = re.compile(
    r'MountVolume\.SetUp failed for volume "(?P<volume>[^"]+)" *: hostPath type check failed'
)
"""What a kubelet writes of a path that is not there (Kubernetes 1.37.2)."""


class _PathsMissing(Exception):  # noqa: N818 - not an error: a node need not have every path
    """The kubelet does not find these volumes' paths."""

    def __init__(self, volumes: frozenset[str]) -> None:
        super().__init__(", ".join(sorted(volumes)))
        self.volumes = volumes


class _NoReader(Exception):  # noqa: N818 - an answer: why the node was not looked at
    """The pod cannot read; the message says why."""


class NodeReader:
    """Reads nodes by pods in the state namespace. ``clock`` gives seconds since the epoch."""

    def __init__(self, kube: Kube, namespace: str, image: str, clock: Callable[[], float]) -> None:
        self._kube = kube
        self._namespace = namespace
        self._image = image
        self._clock = clock

    async def read(self, node: str) -> Answer | Unread:
        """The node's evidence; or why it was not looked at. Raises Unreachable."""
        try:
            await self._see(node)
            await self.remove_leftovers()
            return await self._rounds(node)
        except _NoReader as why:
            return Unread(f"files of node {node}", str(why))
        except Forbidden as error:
            grant = f"{error.verb} {error.resource} in namespace {self._namespace}"
            return Unread(f"files of node {node}", error.message, grant)

    async def _see(self, node: str) -> None:
        """Raises _NoReader for a node that is not there. Who may not see nodes has to try."""
        with suppress(Forbidden):
            found = await self._kube.list(NODES, field_selector=f"metadata.name={node}")
            if not found.items:
                raise _NoReader("there is no such node")

    async def remove_leftovers(self) -> None:
        """Remove readers that ended, or that outlived their time, whoever started them."""
        found = await self._kube.list(PODS, self._namespace, f"{ROLE_LABEL}={ROLE}")
        for pod in found.items:
            made = pod.metadata.creation_timestamp
            old = made is None or self._clock() - made.timestamp() > DEADLINE
            if old or pod.status.phase in {"Succeeded", "Failed"}:
                await self._remove(pod.metadata.name, pod.metadata.uid)

    async def _rounds(self, node: str) -> Answer:
        absent: frozenset[str] = frozenset()
        for _ in range(_ROUNDS):
            try:
                return await self._once(node, absent)
            except _PathsMissing as more:
                absent |= more.volumes
        raise _NoReader("the kubelet does not mount what was asked for")

    async def _once(self, node: str, absent: frozenset[str]) -> Answer:
        mark = self._kube.chance.randbytes(6).hex()
        name, boundary = f"bridgehead-reader-{mark}", f"--{mark}"
        body = reader_pod(
            name=name,
            namespace=self._namespace,
            node=node,
            image=self._image,
            boundary=boundary,
            absent=absent,
        )
        uid = await self._created(body)
        try:
            await self._ended(name)
            printed = await self._kube.logs(self._namespace, name, ROLE, limit_bytes=LOG_BYTES)
        finally:
            # Also where this is cancelled: the deletion must not be.
            await asyncio.shield(asyncio.ensure_future(self._remove(name, uid)))
        return answer_of(printed, node=node, boundary=boundary, at=self._clock(), absent=absent)

    async def _created(self, body: dict[str, object]) -> str:
        try:
            stored = await create_in(self._kube, self._namespace, PODS, body)
        except ApiError as error:
            if not is_refusal(error):
                raise
            raise _NoReader(f"the API server refuses the reader: {error.message}") from None
        return text(stored, "metadata", "uid")

    async def _ended(self, name: str) -> None:
        """Wait for the reader's end. Raises _PathsMissing and _NoReader."""
        began = self._clock()
        missing_since: float | None = None
        not_pulled = ""
        while True:
            pod = await self._kube.get(PODS, name, self._namespace)
            if pod.status.phase == "Succeeded":
                return
            if why := _cannot(pod, self._image):
                late = pod.status.reason == _TOO_LATE
                raise _NoReader(not_pulled if late and not_pulled else why)
            not_pulled = _not_pulled(pod, self._image)
            if not_pulled and await self._failed_pulls(name) >= _PULLS:
                raise _NoReader(not_pulled)
            missing = await self._missing(name) if pod.status.phase == "Pending" else frozenset()
            now = self._clock()
            if missing:
                missing_since = missing_since or now
                if now - missing_since >= _GATHERING:
                    raise _PathsMissing(missing)
            if now - began > DEADLINE:
                raise _NoReader(not_pulled or f"the reader did not end within {DEADLINE} s")
            await asyncio.sleep(_BETWEEN)

    async def _failed_pulls(self, name: str) -> int:
        """How often its image could not be pulled, as its events tell."""
        about = f"involvedObject.name={name},reason=Failed"
        found = await self._kube.list(EVENTS, self._namespace, field_selector=about)
        return sum(_times(it) for it in found.items if it.message.startswith(_FAILED_PULL))

    async def _missing(self, name: str) -> frozenset[str]:
        about = f"involvedObject.name={name},reason=FailedMount"
        found = await self._kube.list(EVENTS, self._namespace, field_selector=about)
        matches = (_MISSING.search(item.message) for item in found.items)
        return frozenset(match["volume"] for match in matches if match is not None)

    async def _remove(self, name: str, uid: str) -> None:
        """Remove exactly that pod. One that cannot be removed now ends by itself, and goes next
        time."""
        with suppress(NotFound, Conflict, KubeError):
            await self._kube.delete(PODS, name, self._namespace, uid=uid, grace=1)


def _not_pulled(pod: Pod, image: str) -> str:
    """Why the last pull failed; empty where none did, or where one has passed since."""
    for status in pod.status.container_statuses:
        waiting = status.state.waiting
        if waiting is not None and waiting.reason in _NO_PULL:
            return _of_image(image, waiting.reason, waiting.message)
    return ""


def _of_image(image: str, reason: str, message: str) -> str:
    return f"the reader's image {image} {NOT_PULLED}: {reason}: {message}"


def _times(event: Event) -> int:
    """How often it happened, by whichever fields the writer filled."""
    return max(event.count, event.series.count if event.series else 0, 1)


def _cannot(pod: Pod, image: str) -> str:
    """Why the pod will not read anything; empty while it may."""
    for status in pod.status.container_statuses:
        waiting, ended = status.state.waiting, status.state.terminated
        if waiting is not None and waiting.reason in _NO_IMAGE:
            return _of_image(image, waiting.reason, waiting.message)
        if waiting is not None and waiting.reason in _NO_START:
            return f"it does not start: {waiting.reason}: {waiting.message}"
        if ended is not None and pod.status.phase == "Failed":
            return f"it ended with {ended.reason} (exit code {ended.exit_code}): {ended.message}"
    if pod.status.phase == "Failed":
        return f"it failed: {pod.status.reason}: {pod.status.message}"
    return ""
