"""Virtual machines of KubeVirt: the device names that they ask for, and those that are permitted.

Both are looked for among the manifests and in the cluster. An object that stands in both is taken
as the manifest has it.
"""

from collections.abc import Iterator

import msgspec

from bridgehead.core.components.kubevirt import (
    Asked,
    Permitted,
    asked_in,
    asks_for_devices,
    permitted_in,
    section_of,
)
from bridgehead.core.findings.finding import ref_of
from bridgehead.core.findings.manifest import Linted, Manifest
from bridgehead.core.findings.needs import Need
from bridgehead.core.model.json import JsonObject, children

_KUBEVIRT = "KubeVirt"


class Asker(msgspec.Struct, frozen=True, kw_only=True):
    """A machine that asks for a device; ``manifest`` is None for one of the cluster alone."""

    who: str
    asked: Asked
    manifest: Manifest | None = None

    @property
    def name(self) -> str:
        """The device name."""
        return self.asked.name


class Permission(msgspec.Struct, frozen=True, kw_only=True):
    """What machines may ask for.

    ``names`` is None where nothing is refused, as no object has a section for that.
    ``unseen`` says why it is not known; empty where it is.
    """

    names: frozenset[str] | None = None
    unseen: str = ""

    def refuses(self, name: str) -> bool:
        """Whether a machine that asks for the name is refused for sure."""
        return not self.unseen and self.names is not None and name not in self.names


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """A permitted name; ``manifest`` is None where it is written in the cluster alone."""

    permitted: Permitted
    manifest: Manifest | None = None


def permission(linted: Linted) -> Permission:
    """What the manifests permit or, without any that says so, the cluster."""
    said = [permitted_in(item.data) for item in _permitting(linted)]
    if not said:
        said = [permitted_in(item) for item in _live(linted, _KUBEVIRT)]
    if not said:
        return Permission(unseen=_why(linted))
    names = [item.name for entries in said if entries is not None for item in entries]
    return Permission(names=None if None in said else frozenset(names))


def entries(linted: Linted) -> tuple[Entry, ...]:
    """Every permitted name, of the manifests or, without any that permits, of the cluster."""
    written = _permitting(linted)
    if written:
        return tuple(
            Entry(permitted=found, manifest=item)
            for item in written
            for found in permitted_in(item.data) or ()
        )
    return standing_entries(linted)


def standing_entries(linted: Linted) -> tuple[Entry, ...]:
    """What the cluster permits today."""
    live = _live(linted, _KUBEVIRT)
    return tuple(Entry(permitted=it) for item in live for it in permitted_in(item) or ())


def permitting(linted: Linted) -> Manifest | None:
    """The first manifest that says which names are permitted."""
    return next((it for it in _permitting(linted) if permitted_in(it.data) is not None), None)


def askers(linted: Linted) -> tuple[Asker, ...]:
    """Machines that ask for devices, those of the manifests first."""
    return (*_written(linted), *_standing(linted))


def has_machines(linted: Linted) -> bool:
    """Whether all machines of the cluster were read."""
    cluster = linted.cluster
    needs = (Need.VIRTUAL_MACHINES, Need.MACHINE_INSTANCES)
    return cluster is not None and all(cluster.has(need) for need in needs)


def _permitting(linted: Linted) -> list[Manifest]:
    """What permits for itself: not the object that an operator writes from another one."""
    found = [item for item in linted.manifests if section_of(item.kind) is not None]
    operators = [item for item in found if item.kind != _KUBEVIRT]
    return operators if any(permitted_in(item.data) is not None for item in operators) else found


def _written(linted: Linted) -> Iterator[Asker]:
    for item in linted.manifests:
        if asks_for_devices(item.kind) and not _made(item.data):
            for asked in asked_in(item.data):
                yield Asker(who=str(item.ref), asked=asked, manifest=item)


def _standing(linted: Linted) -> Iterator[Asker]:
    known = {
        (item.kind, item.ref.namespace, item.ref.name)
        for item in linted.manifests
        if asks_for_devices(item.kind)
    }
    for kind in ("VirtualMachine", "VirtualMachineInstance"):
        for item in _live(linted, kind):
            ref = ref_of(item)
            # A manifest may leave its namespace to whoever applies it.
            written = any((kind, space, ref.name) in known for space in (ref.namespace, ""))
            if not written and not _made(item):
                for asked in asked_in(item):
                    yield Asker(who=str(ref_of(item)), asked=asked)


def _made(item: JsonObject) -> bool:
    """What a controller made asks for what the controller's own object asks for."""
    owners = children(item, "metadata", "ownerReferences")
    return any(owner.get("controller") is True for owner in owners)


def _live(linted: Linted, kind: str) -> tuple[JsonObject, ...]:
    return linted.cluster.of_kind(kind) if linted.cluster is not None else ()


def _why(linted: Linted) -> str:
    if linted.cluster is None:
        return "its object is not among the manifests, and no cluster was given"
    if not linted.cluster.has(Need.KUBEVIRT):
        return "its object was not read"
    return "there is no such object"
