"""What gives a reason to ask a cluster for kinds that few clusters have."""

from collections.abc import Iterable, Iterator

from bridgehead.core.components.family import family_of
from bridgehead.core.components.intel_fpga import DOMAIN, FUNCTION, OPERATED, REGION, mode_of
from bridgehead.core.components.kubevirt import FAMILY as KUBEVIRT
from bridgehead.core.components.kubevirt import asks_for_devices, section_of
from bridgehead.core.findings.device_requests import device_requests
from bridgehead.core.findings.manifest import Manifest
from bridgehead.core.findings.needs import Need

_MACHINES = frozenset({Need.VIRTUAL_MACHINES, Need.MACHINE_INSTANCES})
_FPGA = frozenset({Need.FPGA_FUNCTIONS, Need.FPGA_REGIONS})


def occasions(manifests: Iterable[Manifest]) -> frozenset[Need]:
    """What objects give a reason to read: what is linted, or the DaemonSets of a cluster."""
    return frozenset(need for item in manifests for need in _of(item))


def _of(item: Manifest) -> Iterator[Need]:
    if section_of(item.kind) is not None:
        yield Need.KUBEVIRT
        yield from _MACHINES
    elif asks_for_devices(item.kind):
        yield Need.KUBEVIRT
    elif item.kind in (FUNCTION, REGION, OPERATED) or _asks_for_fpga(item):
        yield from _FPGA
    elif item.kind == "DaemonSet":
        if family_of(item.template) is KUBEVIRT:
            yield Need.KUBEVIRT
            yield from _MACHINES
        elif mode_of(item.template) is not None:
            yield from _FPGA


def _asks_for_fpga(item: Manifest) -> bool:
    return any(request.resource.startswith(DOMAIN) for request in device_requests(item))
