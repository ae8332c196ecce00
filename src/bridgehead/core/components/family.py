"""Which family a component is of, and which of the family's known faults its log speaks of."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

import msgspec

from bridgehead.core.components import (
    amd,
    ascend,
    generic,
    hami,
    intel,
    kubevirt,
    nvidia,
    rdma_shared,
    sriov,
)
from bridgehead.core.components.signature import Family, LogPattern
from bridgehead.core.model.json import JsonObject, child, children, text

FAMILIES = (
    nvidia.FAMILY,
    amd.FAMILY,
    intel.FAMILY,
    sriov.FAMILY,
    rdma_shared.FAMILY,
    kubevirt.FAMILY,
    hami.FAMILY,
    ascend.FAMILY,
)
"""Known families, most common first. What is none of them is ``generic``."""


class KnownFault(msgspec.Struct, frozen=True):
    """A log line that shows a known fault; ``number`` is the line's, from 1."""

    pattern: LogPattern
    line: str
    number: int = 0

    @property
    def cause(self) -> str:
        """What the line means."""
        return self.pattern.cause

    @property
    def key(self) -> str:
        """What it shows, one of the signs."""
        return self.pattern.key


def family_of(template: JsonObject) -> Family:
    """The family of a pod template: that of the first container that runs a family's plugin.

    A container of a family's image that is told to run another program of it does not count.
    """
    return next((family for family, _ in _plugins_in(template)), generic.FAMILY)


def plugin_containers(template: JsonObject) -> tuple[JsonObject, ...]:
    """The containers that run the plugin of a known family; init containers do not."""
    found = (item for _, item in _plugins_in(template))
    started = children(template, "spec", "containers")
    return tuple(item for item in found if item in started)


def family_named(name: str) -> Family:
    """The family of that name; ``generic`` for an unknown one."""
    return next((item for item in FAMILIES if item.name == name), generic.FAMILY)


def shrinks_when_busy(template: JsonObject) -> bool:
    """Whether a restart of this plugin costs a node the devices that are in use."""
    return family_of(template).shrinks_when_busy


def family_of_images(names: Iterable[str]) -> Family:
    """The family of the first image that one of them makes."""
    return next((family for image in names if (family := _maker(image))), generic.FAMILY)


def known_fault(family: str, log: str, *, counts: bool = True) -> KnownFault | None:
    """The first fault in a log that no later line takes back; None if there is none.

    Faults of the family are looked for before those that all plugins share. An unknown family is
    judged as ``generic``. Without ``counts``, lines about the number and health of devices are
    passed over.
    """
    found = _faults(family_named(family), log.splitlines(), counts=counts)
    return next(iter(found), None)


def faults_in(family: Family, lines: Sequence[str], *, first_line: int = 1) -> list[KnownFault]:
    """All faults in a log that no later line takes back, in the order of their lines.

    A line shows one fault, the most telling one. ``first_line`` is the number of the first line,
    where a log was read from its middle.
    """
    found = _faults(family, lines, counts=True)
    return [KnownFault(it.pattern, it.line, it.number + first_line - 1) for it in found]


def _faults(family: Family, lines: Sequence[str], *, counts: bool) -> Iterator[KnownFault]:
    every = dict.fromkeys((*family.faults, *generic.FAULTS))
    patterns = tuple(item for item in every if counts or not item.counts)
    cures = _last_lines({item.cured_by for item in patterns if item.cured_by}, lines)
    for number, line in enumerate(lines, 1):
        for pattern in patterns:
            if number > cures.get(pattern.cured_by, 0) and _expression(pattern.regex).search(line):
                yield KnownFault(pattern, line, number)
                break


def _last_lines(expressions: Iterable[str], lines: Sequence[str]) -> Mapping[str, int]:
    """For each expression the number of the last line that it matches, where there is one."""
    found = {}
    for regex in expressions:
        search = _expression(regex).search
        for number in range(len(lines), 0, -1):
            if search(lines[number - 1]):
                found[regex] = number
                break
    return found


def _plugins_in(template: JsonObject) -> Iterator[tuple[Family, JsonObject]]:
    spec = child(template, "spec")
    for container in (*children(spec, "initContainers"), *children(spec, "containers")):
        family = _maker(text(container, "image"))
        if family and not _runs_other(family, container):
            yield family, container


def _runs_other(family: Family, container: JsonObject) -> bool:
    """Whether it is told to run a program that is not the plugin, by command or first argument."""
    command = child(container, "command") or child(container, "args")
    if isinstance(command, str) or not isinstance(command, Sequence) or not command:
        return False
    return str(command[0]).rpartition("/")[2] in family.other_programs


@lru_cache(maxsize=4096)
def _maker(image: str) -> Family | None:
    """Asked again and again for few images: each rule looks at each template."""
    return next((family for family in FAMILIES if family.makes(image)), None)


@lru_cache(maxsize=512)
def _expression(regex: str) -> re.Pattern[str]:
    return re.compile(regex, re.IGNORECASE)
