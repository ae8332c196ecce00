"""What makes a family of components: the marks to know it by, its names, its logs, its habits."""

import re
from collections.abc import Mapping

import msgspec

from bridgehead.core.model.image import ImageError, parse_image


class LogPattern(msgspec.Struct, frozen=True):
    """A log line that tells a cause. Both expressions are searched for without regard to case.

    ``cured_by`` matches a later line that takes it back: plugins retry, and what was wrong at the
    first attempt says nothing once an attempt has succeeded. Empty where nothing takes it back.

    ``counts`` marks lines about how many devices there are, or how they are. The node's status says
    that too, and may have said it before the change: such a line explains a verdict and makes none.

    ``key`` names what the line shows, one of ``bridgehead.core.components.signs.SIGNS``. Patterns
    of several vendors share a key where their lines say the same.
    """

    regex: str
    cause: str
    cured_by: str = ""
    counts: bool = False
    key: str = ""


class Hint(msgspec.Struct, frozen=True):
    """A node label that shows hardware of a family, or that someone wants its plugin there.

    Both expressions must match in full. Without ``value`` any value counts but ``false`` and ``0``.
    """

    key: str
    value: str = ""

    def matches(self, key: str, value: str) -> bool:
        """Whether a node's label is this hint."""
        if not re.fullmatch(self.key, key):
            return False
        if self.value:
            return re.fullmatch(self.value, value) is not None
        return value not in ("false", "0")


class InitSwitch(msgspec.Struct, frozen=True, kw_only=True):
    """How a plugin is told whether to exit when it cannot start: environment, argument, file.

    ``key`` is the way to it in the plugin's configuration file. ``default`` holds without any.
    """

    env: str
    flag: str
    key: tuple[str, ...]
    default: bool


class Family(msgspec.Struct, frozen=True):
    """A family of device plugins.

    ``images`` match the repository of an image; registries are mirrored, so only the end of the
    path is telling. ``resources`` are prefixes of resource names.
    """

    name: str
    images: tuple[str, ...] = ()
    resources: tuple[str, ...] = ()
    faults: tuple[LogPattern, ...] = ()
    shrinks_when_busy: bool = False
    """Whether a plugin that restarts finds only the devices that no pod holds at that time."""
    vendor_hints: tuple[Hint, ...] = ()
    """Labels that tell a node with its devices; a node without any of them may have some still."""
    other_programs: tuple[str, ...] = ()
    """Programs in the same images that are no device plugin, by the name of their command."""
    other_tags: str = ""
    """Tags of the same repository that hold something else; an expression for the whole tag."""
    discovers_once: bool | None = None
    """Whether it looks for devices only as it starts; None where that is not known."""
    latches_unhealthy: bool | None = None
    """Whether a device once unhealthy stays so until the plugin restarts; None: not known."""
    init: InitSwitch | None = None
    """How it is told what to do when it cannot start; None where there is no such switch."""
    uses: Mapping[str, str] = {}
    """Privileges that it may need, by their field (``hostNetwork``, ``privileged``, ``SYS_ADMIN``),
    with what for."""
    registry: bool = False
    """Whether it can register through ``plugins_registry``."""
    rights: tuple[tuple[str, str], ...] = ()
    """What its service account must be allowed, as verb and resource; empty: it asks nothing of the
    API server, or that is not known."""

    def makes(self, image: str) -> bool:
        """Whether the image is one of the family's."""
        try:
            reference = parse_image(image)
        except ImageError:
            return False
        if self.other_tags and re.fullmatch(self.other_tags, reference.tag or ""):
            return False
        return any(re.search(pattern, reference.repository) for pattern in self.images)

    def offers(self, resource: str) -> bool:
        """Whether the resource name is one of the family's."""
        return resource.startswith(self.resources) if self.resources else False

    def hints_in(self, labels: Mapping[str, str]) -> tuple[str, ...]:
        """Labels of a node that hint at the family's devices, as ``key=value``, sorted."""
        return tuple(
            f"{key}={value}"
            for key, value in sorted(labels.items())
            if any(hint.matches(key, value) for hint in self.vendor_hints)
        )


def pci(vendor: str, classes: str = "[0-9a-f]{4}") -> Hint:
    """The label of Node Feature Discovery for a PCI vendor id, in every shape it may have.

    Its ``deviceLabelFields`` choose from class, vendor, device and the subsystem's two, in this
    order; the default is class and vendor. Source:
    https://nfd.sigs.k8s.io/reference/worker-configuration-reference (sources.pci)
    """
    return Hint(
        rf"feature\.node\.kubernetes\.io/pci-(?:(?:{classes})_)?{vendor}(?:_[0-9a-f]{{4}})*\.present"
    )
