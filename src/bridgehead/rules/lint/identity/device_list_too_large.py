"""A plugin offers more entries of one resource than a message carries.

Finds: sharing that makes more than 10,000 entries of one resource on a node, or a list of them that
is estimated at more than 3 MiB: copies x devices x (length of an id + 30 bytes).

Why: the list travels as one gRPC message, which may have 4 MiB. Beyond that the kubelet gets no
list and the resource is gone; only its own log says why: "received message larger than max".

Sure: kubectl get node NODE -o jsonpath='{.status.capacity}' against the number of real devices.

Do: make fewer copies, or several resources.
"""

from collections.abc import Iterable, Iterator

import msgspec

from bridgehead.core.components.family import family_of, plugin_containers
from bridgehead.core.components.init import flag_value
from bridgehead.core.findings.configurations import configurations
from bridgehead.core.findings.eligible import eligible_nodes
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.manifest import Linted, Manifest, Path, Violation, containers
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import LintRule

_MANY = 10_000
_TOO_LARGE = 3 * 1024 * 1024
_FRAME = 30
_ID_LENGTHS = {"nvidia": 45, "intel": 12, "rdma-shared": 5}
"""``GPU-`` and a UUID with ``::`` and a number; ``card0-`` and a number; a number."""
_COUNT = "nvidia.com/gpu.count"


class _Copies(msgspec.Struct, frozen=True):
    manifest: Manifest
    path: Path
    name: str
    copies: int
    devices: int
    family: str


def _check(linted: Linted) -> Iterable[Violation]:
    for found in (*_configured(linted), *_told(linted)):
        entries = found.copies * found.devices
        size = entries * (_ID_LENGTHS.get(found.family, 0) + _FRAME)
        if entries <= _MANY and size <= _TOO_LARGE:
            continue
        yield Violation(
            manifest=found.manifest,
            path=found.path,
            message=f"{found.copies} copies of {found.devices} devices make {entries} entries of"
            f" {found.name} on a node, about {size / 1024 / 1024:.1f} MiB of the 4 that fit",
            severity=Severity.ERROR if size > _TOO_LARGE else Severity.WARNING,
        )


def _configured(linted: Linted) -> Iterator[_Copies]:
    for found in configurations(linted):
        family = found.form.family
        devices = _gpus(linted, found.plugin) if family == "nvidia" else 1
        for item in found.names:
            yield _Copies(found.manifest, found.path, item.name, item.copies, devices, family)


def _told(linted: Linted) -> Iterator[_Copies]:
    """Intel's plugins take the number of copies as an argument."""
    for plugin in linted.plugins:
        if family_of(plugin.template).name != "intel":
            continue
        known = plugin_containers(plugin.template)
        for path, container in containers(plugin):
            value = flag_value(container, "shared-dev-num") if container in known else None
            if value and value.isdecimal():
                yield _Copies(plugin, (*path, "args"), "each resource", int(value), 1, "intel")


def _gpus(linted: Linted, plugin: Manifest) -> int:
    """The most GPUs on one of its nodes, as feature discovery counts them; 1 where nobody does."""
    counts = (node.labels.get(_COUNT, "") for node in eligible_nodes(linted, plugin))
    return max((int(count) for count in counts if count.isdecimal()), default=1) or 1


RULE = LintRule(
    name="device-list-too-large",
    severity=Severity.WARNING,
    references=("Project-HAMi/volcano-vgpu-device-plugin#152",),
    helped_by=frozenset({Need.NODES}),
    check=_check,
)
