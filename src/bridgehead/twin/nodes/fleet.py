"""What the twin's cluster is made of: machines with their hardware, and the images that run there.

The API knows nothing of it: a node's object says only what its kubelet has found out.
"""

import random
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from bridgehead.twin.nodes.images import Images
from bridgehead.twin.nodes.settings import KubeletSettings
from bridgehead.twin.nodes.stages import Stage, table


class Machine(msgspec.Struct, kw_only=True):
    """One node as a machine."""

    name: str
    hardware: Mapping[str, int] = {}
    """Devices that are physically there, by the name under which a sound plugin offers them."""
    labels: Mapping[str, str] = {}
    annotations: Mapping[str, str] = {}
    taints: tuple[Mapping[str, str], ...] = ()
    cpu: str = "16"
    memory: str = "65843032Ki"
    pods: int = 110
    kernel: str = "6.12.48"
    os_image: str = "Debian GNU/Linux 13 (trixie)"
    runtime: str = "containerd://2.1.4"
    kubelet: str = "v1.37.2"
    architecture: str = "amd64"
    address: str = ""
    """InternalIP; one is made up where it is empty."""
    files: set[str] = msgspec.field(default_factory=set)
    """Paths on the host that somebody may look for; create and remove them while it runs."""
    missing: set[str] = msgspec.field(default_factory=set)
    """Paths that volumes must find and do not; all others are taken to be there."""
    allocatable: Mapping[str, str] = {}
    """Where it is less than the capacity."""
    status: Mapping[str, Any] = {}
    """Further fields of ``Node.status`` that the kubelet reports as they are."""


class Fleet:
    """All machines, and how everything on them behaves."""

    def __init__(
        self,
        machines: Iterable[Machine] = (),
        *,
        images: Images | None = None,
        settings: KubeletSettings | None = None,
    ) -> None:
        self.machines = {machine.name: machine for machine in machines}
        self.images = images or Images()
        self.settings = settings or KubeletSettings()

    def delay(
        self, stage: str, machine: Machine, chance: random.Random, *, image: str = ""
    ) -> float:
        """How long a step takes this time, in seconds."""
        found: Stage | None = self.images.stage(stage, image, machine)
        return (found or table()[stage]).drawn(chance)
