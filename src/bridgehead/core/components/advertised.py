"""The resource names that follow from a plugin's configuration.

NVIDIA: a shared resource with ``renameByDefault`` is offered as ``NAME.shared`` instead of
``NAME``; ``rename`` and the section ``resources`` are read and set aside (api/config/v1, 0.12.3
to 0.18.0: "not yet supported in the config. Ignoring"). A MIG strategy ``mixed`` offers
``nvidia.com/mig-PROFILE``, which depends on the cards. SR-IOV and RDMA shared: prefix and name of
each entry.
"""

import re
from collections.abc import Iterator

import msgspec

from bridgehead.core.components.configuration import Format
from bridgehead.core.model.json import JsonValue, child, children, text

_LABEL = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_DOMAIN = re.compile(rf"{_LABEL}(\.{_LABEL})*")
_NAME = re.compile(r"[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?")
_LONGEST_NAME, _LONGEST_DOMAIN = 63, 253
_NVIDIA = "nvidia.com"
_SHARED = ".shared"


class Advertised(msgspec.Struct, frozen=True):
    """A name that a configuration leads to.

    ``path`` is where it comes from; ``instead_of`` the name that is not offered for it; ``copies``
    how many devices each real one is offered as.
    """

    name: str
    path: str
    instead_of: str = ""
    copies: int = 1


def advertised(form: Format, value: JsonValue, *, prefix: str = "") -> tuple[Advertised, ...]:
    """The names in the order of the file. ``prefix`` is what the command line says, if anything."""
    if form.family == "nvidia":
        return tuple(_shared(value))
    return tuple(_entries(form, value, prefix))


def refused_name(name: str) -> str:
    """Why the kubelet refuses a resource name; empty where it takes it.

    Source: IsExtendedResourceName in k8s.io/kubernetes/pkg/apis/core/v1/helper (1.37): with the
    prefix ``requests.`` it must be a qualified name as well.
    """
    domain, slash, last = name.rpartition("/")
    if not slash or not domain:
        return "it has no domain before a slash"
    if "kubernetes.io/" in f"{domain}/":
        return "its domain is Kubernetes' own"
    if name.startswith("requests."):
        return "it begins with requests."
    if "/" in domain or not _DOMAIN.fullmatch(domain):
        return f"{domain} is no domain"
    if len(domain) + len("requests.") > _LONGEST_DOMAIN:
        return f"its domain is longer than {_LONGEST_DOMAIN - len('requests.')} characters"
    if len(last) > _LONGEST_NAME:
        return f"{last} is longer than {_LONGEST_NAME} characters"
    if not _NAME.fullmatch(last):
        return f"{last or 'the empty name'} is no name: letters, digits, '-', '_' and '.'"
    return ""


def _shared(value: JsonValue) -> Iterator[Advertised]:
    """With MPS configured, time-slicing is not looked at."""
    kind = "mps" if child(value, "sharing", "mps") else "timeSlicing"
    section = child(value, "sharing", kind)
    renames = child(section, "renameByDefault") is True
    for number, entry in enumerate(children(section, "resources")):
        name = text(entry, "name")
        full = name if name.startswith(f"{_NVIDIA}/") else f"{_NVIDIA}/{name}"
        copies = child(entry, "replicas")
        yield Advertised(
            f"{full}{_SHARED}" if renames else full,
            f"sharing.{kind}.resources[{number}].name",
            full if renames else "",
            copies if isinstance(copies, int) else 1,
        )


def _entries(form: Format, value: JsonValue, prefix: str) -> Iterator[Advertised]:
    for number, entry in enumerate(children(value, form.entries)):
        domain = text(entry, "resourcePrefix") or prefix or form.prefix
        copies = child(entry, "rdmaHcaMax")
        yield Advertised(
            f"{domain}/{text(entry, 'resourceName')}",
            f"{form.entries}[{number}].resourceName",
            copies=copies if isinstance(copies, int) else 1,
        )
