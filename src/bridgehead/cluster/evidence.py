"""Reads of a cluster what rules ask for, and no more. Sends get and list requests only.

What may not be read is noted with the permission that would help, and the rest is still read; a
kind that the server does not know has no objects there. Secrets are taken out of everything here.
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Sequence
from typing import Any

import msgspec

from bridgehead.cluster.convert import component_from, pod_from
from bridgehead.cluster.evidence_kinds import READS, Read
from bridgehead.cluster.rows import PodRow
from bridgehead.core.components.label_writers import writes_labels
from bridgehead.core.components.registration import is_device_plugin
from bridgehead.core.diagnose.keeping import Keeping, trimmed
from bridgehead.core.findings.manifest import Manifest
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.occasions import occasions
from bridgehead.core.findings.redaction import redacted
from bridgehead.core.inventory.config_maps import without_unnamed_data
from bridgehead.core.model.component import Component
from bridgehead.core.model.json import JsonObject, text
from bridgehead.core.model.pod import Pod
from bridgehead.core.model.snapshot import Unread
from bridgehead.kube.client import Kube
from bridgehead.kube.decoding import JsonObject as Raw
from bridgehead.kube.decoding import decode, decode_raw
from bridgehead.kube.errors import Forbidden, NotFound
from bridgehead.kube.resources import EVENTS, PODS, Resource

_AT_ONCE = 6
"""Lists that are read at the same time."""

_ENOUGH_NEAR = frozenset({"DaemonSet", "ControllerRevision", "Event"})
"""Kinds whose objects in the namespaces that are asked about are enough to judge what is there.

A runner with no more rights than a rollout needs lists them there alone. That others were not read
is noted all the same, so that nothing is called healthy."""

Listed = Callable[[str | None], Awaitable[None]]
"""Reads a kind in one namespace, or in all."""


class Evidence(msgspec.Struct, kw_only=True):
    """What was read: whole objects, pods of which only the noun is kept, and what is missing."""

    objects: list[JsonObject] = []
    pods: list[Pod] = []
    complete: set[str] = set()
    unread: list[Unread] = []
    server: str = ""


async def read_evidence(
    kube: Kube,
    needs: Collection[Need],
    *,
    now: float,
    namespaces: Sequence[str] = (),
    on_occasion: Collection[Need] = (),
) -> Evidence:
    """Objects for these needs. ``namespaces`` are tried where all may not be read.

    They also count as near: what is read only near devices is read there, too. ``on_occasion`` are
    needs for which the cluster's DaemonSets must give a reason.

    Raises KubeError where the server does not answer.
    """
    reading = _Reading(kube, tuple(namespaces), now)
    await reading.version()
    first = [item for need in (Need.NODES, Need.DAEMON_SETS) for item in READS[need]]
    await reading.all_of(first)
    components = [
        component_from(item) for item in reading.found.objects if text(item, "kind") == "DaemonSet"
    ]
    if Need.PODS in needs:
        await reading.pods(components)
    known = {Need.NODES, Need.DAEMON_SETS}
    given = occasions(Manifest(data=it) for it in reading.found.objects) if on_occasion else ()
    wanted = {*needs, *(need for need in on_occasion if need in given)} - known
    rest = [it for need in Need if need in wanted for it in READS.get(need, ())]
    about_devices = [it for it in components if is_device_plugin(it) or writes_labels(it.template)]
    near = sorted({item.namespace for item in about_devices} | reading.near | set(namespaces))
    await reading.all_of(rest, near)
    if Need.EVENTS in needs:
        await reading.events()
    reading.found.objects = without_unnamed_data(reading.found.objects, about_devices)
    return reading.found


class _Reading:
    """One reading of a cluster."""

    def __init__(self, kube: Kube, namespaces: tuple[str, ...], now: float) -> None:
        self._kube = kube
        self._namespaces = namespaces
        self._now = now
        self._slots = asyncio.Semaphore(_AT_ONCE)
        self._whole: set[tuple[str, str]] = set()
        self.near: set[str] = set()
        """Namespaces of pods that are not as they should be."""
        self.found = Evidence()

    async def version(self) -> None:
        """The server's version; that it may not be read is no reason to stop."""
        try:
            self.found.server = (await self._kube.server_version()).git_version
        except Forbidden as error:
            self.found.unread.append(Unread("version of the server", error.message, "get /version"))

    async def all_of(self, reads: Sequence[Read], near: Sequence[str] = ()) -> None:
        """Several kinds at the same time; their objects stand in a stable order."""
        parts = await asyncio.gather(*(self._one(item, near) for item in reads))
        for part in parts:
            self.found.objects.extend(part)

    async def _one(self, read: Read, near: Sequence[str]) -> list[JsonObject]:
        found: list[JsonObject] = []
        resource = read.resource

        async def listed(namespace: str | None) -> None:
            if read.bare:
                bare = await self._kube.list_metadata(resource, namespace)
                found.extend(
                    _named(resource, item.metadata.namespace, item.metadata.name)
                    for item in bare.items
                )
            else:
                whole = await self._kube.list_raw(resource, namespace)
                found.extend(_clean(resource, item) for item in whole.items)

        async with self._slots:
            await self._listed(resource, listed, near if read.near else None)
        return found

    async def pods(self, components: Sequence[Component]) -> None:
        """Nouns of all pods; whole ones only of those that are about devices or unsound."""
        keeping = Keeping(components, self._now)

        def each(raw: msgspec.Raw) -> None:
            noun = pod_from(decode(raw, PodRow, "list pods"))
            if not keeping.keeps(noun):
                self.found.pods.append(noun)
                return
            self._whole.add((noun.namespace, noun.name))
            if noun.requests and not noun.ready:
                self.near.add(noun.namespace)
            self.found.objects.append(_clean(PODS, decode_raw(raw, "list pods")))

        async def listed(namespace: str | None) -> None:
            await self._kube.list_each(PODS, each, namespace)

        await self._listed(PODS, listed, None)

    async def events(self) -> None:
        """Warnings, events of other things than pods, and of those pods that are kept whole."""

        def each(raw: msgspec.Raw) -> None:
            item = decode_raw(raw, "list events")
            about = item.get("involvedObject") or item.get("regarding") or {}
            kept = (
                about.get("kind") != "Pod"
                or (about.get("namespace"), about.get("name")) in self._whole
            )
            if kept or item.get("type") != "Normal":
                self.found.objects.append(_clean(EVENTS, item))

        async def listed(namespace: str | None) -> None:
            await self._kube.list_each(EVENTS, each, namespace)

        await self._listed(EVENTS, listed, None)

    async def _listed(
        self, resource: Resource[Any], listed: Listed, near: Sequence[str] | None
    ) -> None:
        """Read a kind everywhere, or near, or where it may be read; note what is missing."""
        kind = resource.kind
        try:
            if near is None:
                await listed(None)
                whole = True
            else:
                whole = await self._each(resource, listed, near)
            if whole:
                self.found.complete.add(kind)
        except NotFound:  # an older server, which has no such kind
            self.found.complete.add(kind)
        except Forbidden as error:
            where = self._namespaces if resource.namespaced else ()
            others = " of other namespaces" if where else ""
            self._missing(f"{resource.plural}{others}", error, f"list {resource.qualified}")
            if await self._each(resource, listed, where) and where and kind in _ENOUGH_NEAR:
                self.found.complete.add(kind)

    async def _each(
        self, resource: Resource[Any], listed: Listed, namespaces: Sequence[str]
    ) -> bool:
        """Read a kind in each namespace where it may be read; whether that is in all of them."""
        refused: dict[str, Forbidden] = {}
        for namespace in namespaces:
            try:
                await listed(namespace)
            except Forbidden as error:
                refused[namespace] = error
        grant = f"list {resource.qualified}"
        if len(refused) > 1 and len(refused) == len(namespaces):
            first = next(iter(refused.values()))
            self._missing(f"{resource.plural} in {len(refused)} namespaces", first, grant)
            return False
        for namespace, refusal in refused.items():
            scope = f" in namespace {namespace}"
            self._missing(f"{resource.plural}{scope}", refusal, f"{grant}{scope}")
        return not refused

    def _missing(self, what: str, error: Forbidden, grant: str) -> None:
        self.found.unread.append(Unread(what, error.message, grant))


def _clean(resource: Resource[Any], item: Raw) -> JsonObject:
    """An entry of a list with its kind, which lists leave out, without secrets and ballast."""
    whole = {**item, "apiVersion": resource.api_version, "kind": resource.kind}
    return redacted(trimmed(whole))


def _named(resource: Resource[Any], namespace: str, name: str) -> JsonObject:
    return {
        "apiVersion": resource.api_version,
        "kind": resource.kind,
        "metadata": {"namespace": namespace, "name": name},
    }
