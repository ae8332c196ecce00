"""What prepares nodes for plugins that look for devices once, and what makes a plugin wait for it.

Virtual functions: SR-IOV's plugin finds those that are there as it starts, and none that come later
(https://github.com/k8snetworkplumbingwg/sriov-network-device-plugin/issues/276 and 178). They come
of a number that is written into ``sriov_numvfs`` (Documentation/PCI/pci-iov-howto.rst of Linux), or
of a SriovNetworkNodePolicy. NFD's label ``network-sriov.configured`` appears where there are some
(https://nfd.sigs.k8s.io/usage/features).

AMD's driver: a plugin that starts before it stays Running and never offers a device
(https://github.com/ROCm/k8s-device-plugin/issues/169); releases after pull request 170 of December
2025 end instead and are started again. The labels of the kernel module operator and of AMD's node
labeller appear with the driver.
"""

import re

import msgspec

from bridgehead.core.components.family import family_of, plugin_containers
from bridgehead.core.components.init import arguments
from bridgehead.core.components.operands import Operand, operand_of
from bridgehead.core.model.image import ImageError, parse_image
from bridgehead.core.model.json import JsonObject, child, children, text
from bridgehead.core.model.version import version_in


class Preparation(msgspec.Struct, frozen=True, kw_only=True):
    """Something that has to be done on a node before a family's plugin starts.

    ``labels`` are beginnings of labels that a node has only afterwards.
    """

    family: str
    does: str
    labels: tuple[str, ...]


VIRTUAL_FUNCTIONS = Preparation(
    family="sriov",
    does="makes virtual functions",
    labels=(
        "feature.node.kubernetes.io/network-sriov.configured",
        "sriovnetwork.openshift.io/",
    ),
)
AMD_DRIVER = Preparation(
    family="amd",
    does="installs AMD's driver",
    labels=("kmm.node.kubernetes.io/", "amd.com/gpu.", "beta.amd.com/gpu."),
)
_OF_FAMILY = {item.family: item for item in (VIRTUAL_FUNCTIONS, AMD_DRIVER)}

_WRITES = re.compile(r"(>\s*|\btee\s+(-\S+\s+)*)\S*sriov_numvfs\b")
_SHELL = re.compile(r"(^|/)(ba|da|a|z|k)?sh$")
_CLIENT = re.compile(r"\b(kubectl|oc)\s")
_AMD_ENDS_SINCE = (1, 31, 0)
"""The first release of which it is not known on which side of the change it is."""


def needed_by(template: JsonObject) -> Preparation | None:
    """What a plugin needs that looks once and does not wait; None: nothing that is known of."""
    found = _OF_FAMILY.get(family_of(template).name)
    return None if found is None or waits(template) else found


def waits(template: JsonObject) -> bool:
    """Whether something may hold the plugin back or start it again: an init container, a shell that
    starts it, or a probe by a command of its own."""
    if children(template, "spec", "initContainers"):
        return True
    return any(_held(container) for container in plugin_containers(template))


def _held(container: JsonObject) -> bool:
    words = child(container, "command")
    first = str(words[0]) if isinstance(words, list | tuple) and words else ""
    probes = (child(container, name, "exec") for name in ("startupProbe", "livenessProbe"))
    return _SHELL.search(first) is not None or any(item is not None for item in probes)


def may_end_instead(template: JsonObject) -> bool:
    """Whether this release may end where nothing is prepared, and so look again."""
    if family_of(template).name != AMD_DRIVER.family:
        return False
    return not all(_amd_stays(text(item, "image")) for item in plugin_containers(template))


def said_by(template: JsonObject) -> str:
    """Every word of commands and arguments, a line each."""
    return "\n".join(word for item in _containers(template) for word in arguments(item))


def prepares(what: Preparation, name: str, template: JsonObject, said: str) -> bool:
    """Whether a DaemonSet does it, by its images or by what its commands and scripts say.

    One that speaks to the API server may also see to the order, and does not count.
    """
    if _CLIENT.search(said):
        return False
    if what == VIRTUAL_FUNCTIONS:
        return _WRITES.search(said) is not None
    images = (text(item, "image") for item in _containers(template))
    of_amd = any("amd" in word or "rocm" in word for word in (name, *images))
    return of_amd and operand_of(name, template) is Operand.DRIVER


def _containers(template: JsonObject) -> tuple[JsonObject, ...]:
    spec = child(template, "spec")
    return (*children(spec, "initContainers"), *children(spec, "containers"))


def _amd_stays(image: str) -> bool:
    try:
        version = version_in(parse_image(image).tag or "")
    except ImageError:
        return False
    return version is not None and version < _AMD_ENDS_SINCE
