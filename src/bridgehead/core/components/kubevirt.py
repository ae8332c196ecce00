"""KubeVirt: ``virt-handler`` serves ``/dev/kvm`` and its like, and host devices for machines.

Image and messages: https://github.com/kubevirt/kubevirt (``pkg/virt-handler/device-manager``).
``devices.kubevirt.io/`` names are its own; those of permitted host devices are what the KubeVirt
object says, or another plugin's. A device that comes late is noticed, as its folder is watched.
"""

from bridgehead.core.components.generic import REGISTERED
from bridgehead.core.components.signature import Family, Hint, LogPattern

APPEARED = r"monitored device \S+ appeared"

FAMILY = Family(
    name="kubevirt",
    images=(r"(^|/)virt-handler(-rhel\d+)?$",),
    resources=("devices.kubevirt.io/",),
    faults=(
        LogPattern(
            r"device '[^']*' is not present, the device plugin can't expose it",
            "the device node is not on this node: virtualisation off, or the module not loaded",
            APPEARED,
            counts=True,
            key="driver-missing",
        ),
        LogPattern(
            r"monitored device \S+ disappeared|device '[^']*' is unhealthy",
            "a device node went away",
            APPEARED,
            counts=True,
            key="device-unhealthy",
        ),
        LogPattern(
            r"Error starting \S+ device plugin",
            "a plugin of virt-handler could not start and is tried again",
            rf"{REGISTERED}|\S+ device plugin started",
            key="start-failed",
        ),
    ),
    vendor_hints=(Hint(r"kubevirt\.io/schedulable"), Hint(r"cpu-vendor\.node\.kubevirt\.io/\S+")),
    discovers_once=False,
    uses={"privileged": "running virtual machines", "hostPID": "running virtual machines"},
)
