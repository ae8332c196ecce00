"""Mellanox's RDMA shared device plugin: many pods share one RDMA device.

Image, configuration, messages: https://github.com/Mellanox/k8s-rdma-shared-dev-plugin (README,
v1.5.3; ``deployment/k8s/base``, ``pkg/resources``). Names are ``PREFIX/NAME`` from its
configuration, with ``rdma`` as the default prefix. It scans again every 60 seconds, unless
``periodicUpdateInterval`` says otherwise, and 0 stops that.
"""

from bridgehead.core.components.generic import REGISTERED
from bridgehead.core.components.signature import Family, Hint, LogPattern, pci

FAULTS = (
    LogPattern(
        r"one or more invalid configuration|no resources configuration found"
        r"|configuration mis+match|resource name \"[^\"]*\" (contains invalid|already exists)",
        "the plugin refuses its configuration",
        REGISTERED,
        key="configuration-refused",
    ),
    LogPattern(
        r"(incorrect|can not get) RDMA subsystem network namespace",
        "the RDMA subsystem of the node is in exclusive network namespace mode, not in shared mode",
        key="driver-missing",
    ),
    LogPattern(
        r"warning: .*no PCI network device found|exposing \"0\" devices",
        "the plugin found no device",
        r"exposing \"[1-9]\d*\" devices",
        counts=True,
        key="no-device-found",
    ),
)

FAMILY = Family(
    name="rdma-shared",
    images=(r"(^|/)k8s-rdma-shared-dev(ice)?-plugin$",),
    resources=("rdma/",),
    faults=FAULTS,
    vendor_hints=(
        Hint(r"feature\.node\.kubernetes\.io/(custom-)?rdma\.(capable|available)"),
        pci("15b3", "02[0-9a-f]{2}"),
    ),
    discovers_once=False,
    uses={
        "hostNetwork": "scanning the node's network devices",
        "privileged": "reading the node's RDMA devices",
    },
    registry=True,
)
