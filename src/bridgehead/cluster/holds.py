"""Reads the objects by which others hold nodes, where a cluster has such objects at all.

Most clusters have none, so a server is asked first what it serves: without the right to list a
kind, the answer for one that does not exist would be the same as for one that does.
"""

from collections.abc import Callable, Mapping

import msgspec

from bridgehead.core.model.json import JsonObject, texts
from bridgehead.core.model.node import Node
from bridgehead.core.model.snapshot import Unread
from bridgehead.core.plan.maintenance import (
    GROUPS,
    KIND,
    LOCK,
    Holds,
    joined,
    lock_holds,
    maintenance_holds,
    unknown_holds,
    with_holds,
)
from bridgehead.kube.client import Kube
from bridgehead.kube.errors import Forbidden, NotFound
from bridgehead.kube.resources import DAEMON_SETS, PODS, AnyResource

_KURED = ("name=kured", "app.kubernetes.io/name=kured")
"""Labels of kured's pods: of its own manifest (kured-ds.yaml), and as charts name things."""


PERIOD = 15.0
"""Seconds between two readings while a run goes on. A node that comes into maintenance in between
is cordoned by that, too; what is missed is only whose it is."""


class HoldsRead(msgspec.Struct, frozen=True):
    """Who holds which nodes, and what may hold any of them, as it could not be read."""

    holds: Holds = {}
    unread: tuple[Unread, ...] = ()


class HoldReader:
    """Knows where to look once ``find`` was called; Kubernetes objects are not made meanwhile."""

    def __init__(self, kube: Kube) -> None:
        self._kube = kube
        self.kinds: tuple[AnyResource, ...] = ()
        """Kinds of maintenance objects that the server serves."""
        self.lockers: tuple[tuple[str, str], ...] = ()
        """Namespace and name of the DaemonSets that may carry kured's lock."""
        self._unfound: tuple[Unread, ...] = ()

    async def find(self) -> None:
        """See which of these objects there can be. Raises KubeError, but not for a permission."""
        try:
            await self._find()
        except Forbidden as error:
            what = "what else holds nodes"
            self._unfound = (Unread(what, error.message, f"{error.verb} {error.resource}"),)

    async def _find(self) -> None:
        served = await self._kube.discover()
        found = {
            item.group: item
            for item in reversed(served.resources)
            if item.group in GROUPS and item.kind == KIND
        }
        self.kinds = tuple(found.values())
        lockers = set()
        for selector in _KURED:
            for pod in (await self._kube.list(PODS, label_selector=selector)).items:
                owner = pod.metadata.controller
                if owner is not None and owner.kind == "DaemonSet":
                    lockers.add((pod.metadata.namespace, owner.name))
        self.lockers = tuple(sorted(lockers))

    @property
    def anything(self) -> bool:
        """Whether there is anything to read."""
        return bool(self.kinds or self.lockers or self._unfound)

    async def read(self, now: float) -> HoldsRead:
        """Who holds which nodes at ``now``, in seconds since the epoch. Raises KubeError."""
        holds: list[Holds] = []
        unread = list(self._unfound)
        for kind in self.kinds:
            try:
                items = (await self._kube.list_raw(kind)).items
            except NotFound:  # its definition was removed meanwhile, and its objects with it
                continue
            except Forbidden as error:
                grant = f"list {kind.qualified}"
                unread.append(Unread(kind.qualified, error.message, grant))
                continue
            version = {"apiVersion": kind.api_version}
            holds.append(maintenance_holds({**version, **item} for item in items))
        for namespace, name in self.lockers:
            ref = f"daemonset/{namespace}/{name}"
            try:
                raw: JsonObject = await self._kube.get_raw(DAEMON_SETS, name, namespace)
            except NotFound:
                continue
            except Forbidden as error:
                grant = f"get daemonsets.apps in namespace {namespace}"
                unread.append(Unread(f"kured's lock on {ref}", error.message, grant))
                continue
            holds.append(lock_holds(texts(raw, "metadata", "annotations").get(LOCK, ""), ref, now))
        return HoldsRead(joined(*holds), tuple(unread))


class HoldWatch:
    """The same while a run goes on: read again now and then, and put onto its nodes."""

    def __init__(self, kube: Kube, clock: Callable[[], float], wall: Callable[[], float]) -> None:
        """``clock`` is monotonic and says when to read again; by ``wall`` a lock is over."""
        self._reader = HoldReader(kube)
        self._clock = clock
        self._wall = wall
        self._last: float | None = None
        self._read = HoldsRead()

    async def find(self) -> None:
        """See what there can be, once. Raises KubeError."""
        await self._reader.find()

    async def refresh(self) -> None:
        """Read again if that is due. Raises KubeError."""
        now = self._clock()
        if self._reader.anything and (self._last is None or now >= self._last + PERIOD):
            self._last = now
            self._read = await self._reader.read(self._wall())

    def on(self, nodes: Mapping[str, Node]) -> Mapping[str, Node]:
        """The nodes with what holds them; what could not be read may hold any of them."""
        holds = self._read.holds
        if self._read.unread:
            what = ", ".join(f"{item.what} could not be read" for item in self._read.unread)
            holds = joined(holds, dict(unknown_holds(nodes, what)))
        if not holds:
            return nodes
        return {node.name: node for node in with_holds(nodes.values(), holds)}
