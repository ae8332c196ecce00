"""What the words of a failed call to a plugin are known to mean.

Sources: internal/plugin/server.go of NVIDIA/k8s-device-plugin (v0.17), volcano-sh/devices#17,
kubernetes#97131, Project-HAMi/volcano-vgpu-device-plugin#152, and gRPC's own words.
"""

import re
from enum import Enum

from bridgehead.core.diagnose.admission_message import AdmissionMessage


class Known(Enum):
    """Meanings that have a rule of their own."""

    TOO_LARGE = "the message is larger than gRPC takes"
    DEVICE_GONE = "the plugin does not find the device that it had listed"
    DEVICE_LOST = "the driver has lost a device"
    SHARED = "more than one share was asked for"
    SOCKET_GONE = "the kubelet calls a socket behind which nobody is"
    NOTHING = "none of these"


_WORDS = (
    (
        re.compile(r"dial unix \S+: connect: (no such file|connection refused)", re.IGNORECASE),
        Known.SOCKET_GONE,
    ),
    (re.compile(r"message larger than max", re.IGNORECASE), Known.TOO_LARGE),
    (re.compile(r"GPU is lost|GPU_IS_LOST|fallen off the bus", re.IGNORECASE), Known.DEVICE_LOST),
    (re.compile(r"maximum request size for shared resources", re.IGNORECASE), Known.SHARED),
    (
        re.compile(
            r"failed to find (gpu|device|card)|unknown device:?|non-?existing device"
            r"|device \S+ (does not exist|is not found|not found)"
            r"|can(not|'t) (allocate|find) (unhealthy |non-existing )?device \S*"
            r"|(stat|open) /dev/\S+: no such (file|device)",
            re.IGNORECASE,
        ),
        Known.DEVICE_GONE,
    ),
)


def known(said: AdmissionMessage) -> Known:
    """The meaning of a plugin's answer."""
    return next((it for pattern, it in _WORDS if pattern.search(said.said)), Known.NOTHING)
