"""Labels of a node that say what a condition asks for, in another shape.

Node Feature Discovery composes ``pci-<fields>.present`` of class, vendor, device and subsystem, as
its ``deviceLabelFields`` say: https://nfd.sigs.k8s.io/usage/features (PCI). Others differ in the
domain before the slash, in letter case, or by a slip of the pen.
"""

import re
from collections.abc import Mapping
from difflib import SequenceMatcher

from bridgehead.core.inventory.placement import Expression

_PCI = re.compile(
    r"feature\.node\.kubernetes\.io/(?:pci|usb)-(?P<fields>[0-9a-f_]+)\.(?P<what>\w+)"
)
_ID = re.compile(r"[0-9a-f]{4}")
# Two keys of one domain that differ by a letter or two; "present" and "product" differ by more.
_SLIP = 0.93
_TRUTH = {"true": "yes", "yes": "yes", "1": "yes", "false": "no", "no": "no", "0": "no"}


def same_in_another_shape(asked: Expression, labels: Mapping[str, str]) -> tuple[str, ...]:
    """The node's labels, as ``key=value``, that mean what is asked; empty where none does."""
    if not asked.positive or not asked.key:
        return ()
    value = labels.get(asked.key)
    if value is not None:
        return (f"{asked.key}={value}",) if _same_value(asked, value) else ()
    return tuple(
        f"{key}={labels[key]}"
        for key in sorted(labels)
        if _same_key(asked.key, key) and _would_do(asked, labels[key])
    )


def pci_vendors(labels: Mapping[str, str]) -> frozenset[str]:
    """Vendor ids, four hexadecimal digits, of the PCI devices that NFD's labels say are present.

    A class id may look like a vendor's: all ids of a label are given.
    """
    found = (_PCI.fullmatch(key) for key, value in labels.items() if value == "true")
    return frozenset(number for match in found if match for number in _ID.findall(match["fields"]))


def _same_value(asked: Expression, value: str) -> bool:
    """Another way of writing what is asked: letter case, or another word for yes."""
    if asked.operator != "In":
        return False
    plain = value.strip().casefold()
    wanted = {item.strip().casefold() for item in asked.values}
    words = {_TRUTH[item] for item in wanted if item in _TRUTH}
    return plain in wanted or _TRUTH.get(plain) in words


def _would_do(asked: Expression, value: str) -> bool:
    if asked.operator == "In":
        return value in asked.values or _same_value(asked, value)
    return _TRUTH.get(value.casefold()) != "no"


def _same_key(one: str, other: str) -> bool:
    left, right = _PCI.fullmatch(one), _PCI.fullmatch(other)
    if left and right:
        shared = set(_ID.findall(left["fields"])) & set(_ID.findall(right["fields"]))
        return left["what"] == right["what"] and bool(shared - _CLASSES)
    domain, _, name = one.rpartition("/")
    other_domain, _, other_name = other.rpartition("/")
    if name.casefold() == other_name.casefold():
        return True
    if (
        domain != other_domain
        or left
        or right
        or re.sub(r"\D", "", one) != re.sub(r"\D", "", other)
    ):
        return False
    return SequenceMatcher(None, one, other, autojunk=False).ratio() >= _SLIP


# PCI classes that accelerators and network cards have; two labels that share only these are of
# different vendors. Source: https://pci-ids.ucw.cz/read/PD
_CLASSES = frozenset({"0200", "0207", "0300", "0302", "0380", "0b40", "1200"})
