"""Arguments and environment that versions of a plugin know, as far as their source was read.

An option stands with the first version in whose source it was found. Between the version read
before that and this one nobody knows, and of versions after the last one read only old options are
known for sure.
"""

import re
from collections.abc import Mapping
from enum import Enum

import msgspec

from bridgehead.core.model.image import ImageError, parse_image
from bridgehead.core.model.version import version_in

Version = tuple[int, int, int]


class Verdict(Enum):
    """Whether a version knows an option."""

    KNOWN = "known"
    ABSENT = "absent"
    NOT_KNOWN = "not known"


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """What the versions of one program know.

    ``program`` is the command whose arguments these are; a container without a command runs it.
    ``read`` are the versions whose source was read, in order. ``flags`` and ``env`` have the first
    of them that knows the option. Of variables only those are listed that the program reads.
    """

    images: tuple[str, ...]
    program: str
    source: str
    read: tuple[Version, ...]
    flags: Mapping[str, Version]
    env: Mapping[str, Version] = {}

    def flag(self, name: str, version: Version) -> Verdict:
        """Whether the version knows the flag; one that none of them knows is absent from all."""
        if name in self.flags:
            return self._since(self.flags[name], version)
        return Verdict.ABSENT if self.read[0] <= version <= self.read[-1] else Verdict.NOT_KNOWN

    def variable(self, name: str, version: Version) -> Verdict:
        """Whether the version reads the variable. One that none reads may be another program's."""
        return self._since(self.env[name], version) if name in self.env else Verdict.NOT_KNOWN

    def _since(self, first: Version, version: Version) -> Verdict:
        if version >= first:
            return Verdict.KNOWN
        before = [item for item in self.read if item < first]
        return Verdict.ABSENT if before and version <= before[-1] else Verdict.NOT_KNOWN


_12, _13, _14, _15 = (0, 12, 3), (0, 13, 0), (0, 14, 5), (0, 15, 0)
_17, _18 = (0, 17, 4), (0, 18, 0)

NVIDIA = Options(
    images=(r"(^|/)nvidia/(cloud-native/)?k8s-device-plugin$",),
    program="nvidia-device-plugin",
    source="https://github.com/NVIDIA/k8s-device-plugin (cmd/nvidia-device-plugin/main.go)",
    read=(_12, _13, _14, _15, _17, _18),
    flags={
        "help": _12,
        "h": _12,
        "version": _12,
        "v": _12,
        "mig-strategy": _12,
        "fail-on-init-error": _12,
        "nvidia-driver-root": _12,
        "pass-device-specs": _12,
        "device-list-strategy": _12,
        "device-id-strategy": _12,
        "config-file": _12,
        "gds-enabled": _13,
        "mofed-enabled": _13,
        "cdi-annotation-prefix": _14,
        "nvidia-ctk-path": _14,
        "container-driver-root": _14,
        "mps-root": _15,
        "driver-root": _17,
        "dev-root": _17,
        "nvidia-dev-root": _17,
        "kubelet-socket": _17,
        "nvidia-cdi-hook-path": _17,
        "driver-root-ctr-path": _17,
        "device-discovery-strategy": _17,
        "imex-channel-ids": _17,
        "imex-required": _17,
        "gdrcopy-enabled": _18,
    },
    env={
        "GDS_ENABLED": _13,
        "MOFED_ENABLED": _13,
        "CDI_ANNOTATION_PREFIX": _14,
        "NVIDIA_CTK_PATH": _14,
        "CONTAINER_DRIVER_ROOT": _14,
        "MPS_ROOT": _15,
        "NVIDIA_DEV_ROOT": _17,
        "KUBELET_SOCKET": _17,
        "NVIDIA_CDI_HOOK_PATH": _17,
        "DRIVER_ROOT_CTR_PATH": _17,
        "DEVICE_DISCOVERY_STRATEGY": _17,
        "IMEX_CHANNEL_IDS": _17,
        "IMEX_REQUIRED": _17,
        "GDRCOPY_ENABLED": _18,
    },
)

RDMA_SHARED = Options(
    images=(r"(^|/)k8s-rdma-shared-dev(ice)?-plugin$",),
    program="k8s-rdma-shared-dp",
    source="https://github.com/Mellanox/k8s-rdma-shared-dev-plugin (cmd/k8s-rdma-shared-dp)",
    read=((1, 5, 3),),
    flags=dict.fromkeys(("help", "h", "version", "v", "config-file", "use-cdi"), (1, 5, 3)),
)

ALL = (NVIDIA, RDMA_SHARED)


def options_of(image: str) -> tuple[Options, Version] | None:
    """What is known of the image's program, and its version; None where either is not known."""
    try:
        reference = parse_image(image)
    except ImageError:
        return None
    version = version_in(reference.tag or "")
    for item in ALL:
        if version and any(re.search(pattern, reference.repository) for pattern in item.images):
            return item, version
    return None
