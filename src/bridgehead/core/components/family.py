"""Which family a component is of, and which of the family's known faults its log speaks of."""

import re
from collections.abc import Iterable

import msgspec

from bridgehead.core.components import amd, generic, intel, nvidia, sriov
from bridgehead.core.components.signature import Family, LogPattern
from bridgehead.core.model.component import images
from bridgehead.core.model.json import JsonObject

FAMILIES = (nvidia.FAMILY, amd.FAMILY, intel.FAMILY, sriov.FAMILY)
"""Known families, most common first. What is none of them is ``generic``."""


class KnownFault(msgspec.Struct, frozen=True):
    """A log line that shows a known fault."""

    pattern: LogPattern
    line: str

    @property
    def cause(self) -> str:
        """What the line means."""
        return self.pattern.cause


def family_of(template: JsonObject) -> Family:
    """The family of a pod template, by its images."""
    return family_of_images(images(template).values())


def shrinks_when_busy(template: JsonObject) -> bool:
    """Whether a restart of this plugin costs a node the devices that are in use."""
    return family_of(template).shrinks_when_busy


def family_of_images(names: Iterable[str]) -> Family:
    """The family of the first image that one of them makes."""
    for image in names:
        for family in FAMILIES:
            if family.makes(image):
                return family
    return generic.FAMILY


def known_fault(family: str, log: str, *, counts: bool = True) -> KnownFault | None:
    """The first fault in a log that no later line takes back; None if there is none.

    Faults of the family are looked for before those that all plugins share. An unknown family is
    judged as ``generic``. Without ``counts``, lines about the number and health of devices are
    passed over.
    """
    every = (*_faults(family), *generic.FAULTS)
    patterns = tuple(item for item in every if counts or not item.counts)
    lines = log.splitlines()
    for number, line in enumerate(lines):
        for pattern in patterns:
            if _found(pattern.regex, line) and not _cured(pattern, lines[number + 1 :]):
                return KnownFault(pattern, line)
    return None


def _faults(family: str) -> tuple[LogPattern, ...]:
    return next((item.faults for item in FAMILIES if item.name == family), ())


def _cured(pattern: LogPattern, later: list[str]) -> bool:
    return bool(pattern.cured_by) and any(_found(pattern.cured_by, line) for line in later)


def _found(regex: str, line: str) -> bool:
    return re.search(regex, line, re.IGNORECASE) is not None
