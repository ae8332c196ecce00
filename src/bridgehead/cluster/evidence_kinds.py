"""Which resources of the API meet a need of rules, and how much of each is read."""

from typing import Any

import msgspec

from bridgehead.core.findings.needs import Need
from bridgehead.kube.objects.base import PartialObject
from bridgehead.kube.resources import (
    CONFIG_MAPS,
    CONTROLLER_REVISIONS,
    DAEMON_SETS,
    DEPLOYMENTS,
    JOBS,
    NAMESPACES,
    NODES,
    RESOURCE_QUOTAS,
    RUNTIME_CLASSES,
    SERVICE_ACCOUNTS,
    STATEFUL_SETS,
    Resource,
)


class Read(msgspec.Struct, frozen=True, kw_only=True):
    """A resource that is read for a need.

    ``near``: only in namespaces of plugins and of what they depend on, as there may be thousands
    elsewhere that say nothing about devices. ``bare``: only metadata is asked for.
    """

    resource: Resource[Any]
    near: bool = False
    bare: bool = False


def _of(
    group: str, version: str, plural: str, kind: str, *, namespaced: bool = True
) -> Resource[Any]:
    return Resource(group, version, plural, kind, namespaced, PartialObject)


_ADMISSION = "admissionregistration.k8s.io"
_KUBEVIRT = "kubevirt.io"
_FPGA = "fpga.intel.com"

READS: dict[Need, tuple[Read, ...]] = {
    Need.NODES: (Read(resource=NODES),),
    Need.DAEMON_SETS: (Read(resource=DAEMON_SETS),),
    Need.REVISIONS: (Read(resource=CONTROLLER_REVISIONS),),
    Need.NAMESPACES: (Read(resource=NAMESPACES),),
    Need.RESOURCE_QUOTAS: (Read(resource=RESOURCE_QUOTAS),),
    Need.PRIORITY_CLASSES: (
        Read(
            resource=_of(
                "scheduling.k8s.io", "v1", "priorityclasses", "PriorityClass", namespaced=False
            )
        ),
    ),
    Need.RUNTIME_CLASSES: (Read(resource=RUNTIME_CLASSES),),
    Need.CONFIG_MAPS: (Read(resource=CONFIG_MAPS, near=True),),
    Need.SECRETS: (Read(resource=_of("", "v1", "secrets", "Secret"), near=True, bare=True),),
    Need.SERVICE_ACCOUNTS: (Read(resource=SERVICE_ACCOUNTS, near=True),),
    Need.DEPLOYMENTS: (Read(resource=DEPLOYMENTS),),
    Need.STATEFUL_SETS: (Read(resource=STATEFUL_SETS),),
    Need.JOBS: (Read(resource=JOBS),),
    Need.SERVICES: (Read(resource=_of("", "v1", "services", "Service")),),
    Need.ENDPOINTS: (
        Read(resource=_of("discovery.k8s.io", "v1", "endpointslices", "EndpointSlice")),
    ),
    Need.WEBHOOKS: tuple(
        Read(resource=_of(_ADMISSION, "v1", f"{kind.lower()}s", kind, namespaced=False))
        for kind in ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration")
    ),
    Need.CSI_NODES: (
        Read(resource=_of("storage.k8s.io", "v1", "csinodes", "CSINode", namespaced=False)),
    ),
    Need.KUBEVIRT: (Read(resource=_of(_KUBEVIRT, "v1", "kubevirts", "KubeVirt")),),
    Need.VIRTUAL_MACHINES: (
        Read(resource=_of(_KUBEVIRT, "v1", "virtualmachines", "VirtualMachine")),
    ),
    Need.MACHINE_INSTANCES: (
        Read(resource=_of(_KUBEVIRT, "v1", "virtualmachineinstances", "VirtualMachineInstance")),
    ),
    Need.FPGA_FUNCTIONS: (
        Read(resource=_of(_FPGA, "v2", "acceleratorfunctions", "AcceleratorFunction")),
    ),
    Need.FPGA_REGIONS: (Read(resource=_of(_FPGA, "v2", "fpgaregions", "FpgaRegion")),),
}
"""Pods, events and logs are read each in a way of its own (``cluster.evidence``); the rest is not
read by listing."""
