"""HAMi: NVIDIA GPUs cut into shares, by a plugin made from NVIDIA's.

Image, labels, programs: https://github.com/Project-HAMi/HAMi (``charts/hami``). One image holds the
scheduler, the monitor and the plugin. The plugin's messages are NVIDIA's
(``pkg/device-plugin/nvidiadevice/nvinternal``), and so is what it offers: beside NVIDIA's own
plugin on one node it is a second claimant of ``nvidia.com/gpu``. Memory and cores are counted in
node annotations, not offered to the kubelet.
"""

from bridgehead.core.components.generic import REGISTERED
from bridgehead.core.components.nvidia import FAULTS, HINTS, INIT
from bridgehead.core.components.signature import Family, Hint, LogPattern

FAMILY = Family(
    name="hami",
    images=(r"(^|/)projecthami/hami$", r"(^|/)4pdosc/k8s-vdevice$"),
    resources=("nvidia.com/",),
    faults=(
        LogPattern(
            r"failed to load device config file|readFromConfigFile err:",
            "the plugin cannot read its configuration",
            REGISTERED,
            key="configuration-refused",
        ),
        *FAULTS,
    ),
    vendor_hints=(Hint("gpu", "on"), *HINTS),
    other_programs=("scheduler", "kube-scheduler", "vGPUmonitor"),
    discovers_once=True,
    latches_unhealthy=True,
    init=INIT,
    rights=(
        ("get", "nodes"),
        ("patch", "nodes"),
        ("get", "pods"),
        ("list", "pods"),
        ("patch", "pods"),
    ),
    uses={
        "hostPID": "telling the processes of a container",
        "privileged": "MIG, and the monitor",
        "SYS_ADMIN": "MIG",
    },
)
