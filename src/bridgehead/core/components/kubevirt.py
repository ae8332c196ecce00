"""KubeVirt: ``virt-handler`` serves ``/dev/kvm`` and its like, and host devices for machines.

Image and messages: https://github.com/kubevirt/kubevirt (``pkg/virt-handler/device-manager``).
``devices.kubevirt.io/`` names are its own; those of permitted host devices are what the KubeVirt
object says, or another plugin's. A device that comes late is noticed, as its folder is watched.

A machine may ask only for names that the KubeVirt object permits, if it has a section for that
(``pkg/virt-controller/services``, validatePermittedHostDevices); a device of a resource claim is
not looked up there. ``virt-handler`` serves what is permitted and not ``externalResourceProvider``
under the permitted name. NVIDIA's plugin for machines takes a card's name from the table in its
image, and its id where the table has none
(https://github.com/NVIDIA/kubevirt-gpu-device-plugin, ``pkg/device_plugin``).
"""

import re
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from bridgehead.core.components.generic import REGISTERED
from bridgehead.core.components.signature import Family, Hint, LogPattern
from bridgehead.core.model.json import JsonObject, JsonValue, child, children, text

APPEARED = r"monitored device \S+ appeared"

FAMILY = Family(
    name="kubevirt",
    images=(r"(^|/)virt-handler(-rhel\d+)?$",),
    resources=("devices.kubevirt.io/",),
    faults=(
        LogPattern(
            r"device '[^']*' is not present, the device plugin can't expose it",
            "the device node is not on this node: virtualisation off, or the module not loaded",
            APPEARED,
            counts=True,
            key="driver-missing",
        ),
        LogPattern(
            r"monitored device \S+ disappeared|device '[^']*' is unhealthy",
            "a device node went away",
            APPEARED,
            counts=True,
            key="device-unhealthy",
        ),
        LogPattern(
            r"Error starting \S+ device plugin",
            "a plugin of virt-handler could not start and is tried again",
            rf"{REGISTERED}|\S+ device plugin started",
            key="start-failed",
        ),
    ),
    vendor_hints=(Hint(r"kubevirt\.io/schedulable"), Hint(r"cpu-vendor\.node\.kubevirt\.io/\S+")),
    discovers_once=False,
    uses={"privileged": "running virtual machines", "hostPID": "running virtual machines"},
)

Path = tuple[str | int, ...]

_SECTIONS: Mapping[str, tuple[str, ...]] = {
    "KubeVirt": ("spec", "configuration", "permittedHostDevices"),
    "HyperConverged": ("spec", "permittedHostDevices"),
}
"""Where each kind permits devices. The operator of the second writes the first."""
_LISTS = ("pciHostDevices", "mediatedDevices", "usb", "usbHostDevices")
_MACHINE = ("spec", "domain", "devices")
_MACHINES: Mapping[str, tuple[str, ...]] = {
    "VirtualMachineInstance": _MACHINE,
    "VirtualMachine": ("spec", "template", *_MACHINE),
    "VirtualMachineInstanceReplicaSet": ("spec", "template", *_MACHINE),
    "VirtualMachinePool": ("spec", "virtualMachineTemplate", "spec", "template", *_MACHINE),
    "VirtualMachineInstancetype": ("spec",),
    "VirtualMachineClusterInstancetype": ("spec",),
}
"""Where each kind names the devices of machines."""
_DEVICES = ("gpus", "hostDevices")
_NVIDIA = "nvidia.com/"
_ID = re.compile(r"[0-9a-f]{4}")
_CHIP = re.compile(r"(G[A-Z]\d{2,3}|[A-Z]{2}\d{3})[A-Z]*")
_MAKERS = ("GRID_", "NVIDIA_")
"""Before the name of a virtual GPU, by the version of the driver."""


class Permitted(msgspec.Struct, frozen=True, kw_only=True):
    """A name that machines may ask for.

    ``selector`` says which devices it is for, as VENDOR:DEVICE in hexadecimal; ``external``: not
    virt-handler offers it but another plugin.
    """

    name: str
    path: Path
    selector: str = ""
    external: bool = False


class Asked(msgspec.Struct, frozen=True):
    """A name that a machine asks for, and where."""

    name: str
    path: Path


def section_of(kind: str) -> tuple[str, ...] | None:
    """Where an object of this kind permits devices; None for other kinds."""
    return _SECTIONS.get(kind)


def asks_for_devices(kind: str) -> bool:
    """Whether objects of this kind are machines, or make some."""
    return kind in _MACHINES


def permitted_in(item: JsonObject) -> tuple[Permitted, ...] | None:
    """What an object permits; None where it has no section for that, so that nothing is refused."""
    path = section_of(text(item, "kind"))
    section = child(item, *path) if path is not None else None
    if path is None or not isinstance(section, Mapping):
        return None
    return tuple(
        Permitted(
            name=text(entry, "resourceName"),
            path=(*path, name, number, "resourceName"),
            selector=text(entry, "pciVendorSelector") or text(entry, "pciDeviceSelector"),
            external=entry.get("externalResourceProvider") is True,
        )
        for name in _LISTS
        for number, entry in _numbered(section.get(name))
        if text(entry, "resourceName") and entry.get("disabled") is not True
    )


def asked_in(item: JsonObject) -> tuple[Asked, ...]:
    """Names that a machine asks for; a device of a resource claim has none."""
    path = _MACHINES.get(text(item, "kind"))
    if path is None:
        return ()
    return tuple(
        Asked(text(entry, "deviceName"), (*path, name, number, "deviceName"))
        for name in _DEVICES
        for number, entry in _numbered(child(item, *path, name))
        if text(entry, "deviceName") and not text(entry, "claimName")
    )


def same_card(name: str, selector: str, offered: str) -> bool:
    """Whether a name that is offered is likely that of the card which goes by another name.

    Only of NVIDIA's plugin are names known to change with its table. ``selector`` may be empty.
    """
    if not (name.startswith(_NVIDIA) and offered.startswith(_NVIDIA)) or name == offered:
        return False
    one, other = name.removeprefix(_NVIDIA), offered.removeprefix(_NVIDIA)
    if _ID.fullmatch(other):
        return other == selector.lower().rpartition(":")[2]
    if _ID.fullmatch(one):
        return _CHIP.match(other) is not None
    return _same_words(one, other)


def names_by_table(template: JsonObject) -> bool:
    """Whether a pod template runs NVIDIA's plugin for machines."""
    listed = children(template, "spec", "containers")
    return any("kubevirt-gpu-device-plugin" in text(item, "image") for item in listed)


def _same_words(one: str, other: str) -> bool:
    """One table may leave out a word that another has: ``TU104GL_T4``, ``TU104GL_TESLA_T4``."""
    for maker in _MAKERS:
        one, other = one.removeprefix(maker), other.removeprefix(maker)
    if one == other:
        return True
    chips = [_CHIP.match(text) for text in (one, other)]
    if not (chips[0] and chips[1]) or chips[0][1] != chips[1][1]:
        return False
    words = [set(text.split("_")[1:]) for text in (one, other)]
    return all(words) and (words[0] <= words[1] or words[1] <= words[0])


def _numbered(entries: JsonValue) -> Iterator[tuple[int, JsonObject]]:
    """Entries of a list that are objects, with their places."""
    listed = entries if isinstance(entries, Sequence) and not isinstance(entries, str) else ()
    for number, entry in enumerate(listed):
        if isinstance(entry, Mapping):
            yield number, entry
