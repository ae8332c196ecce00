"""A fault as a value: where it holds, and what it does there."""

from collections.abc import Mapping
from enum import Enum
from typing import Any

import msgspec


class Where(msgspec.Struct, frozen=True, kw_only=True):
    """What a fault holds for; what is empty narrows nothing."""

    image: str = ""
    """Pattern of image references, as file names are matched. Empty: the version that is new."""
    node: str = ""
    """Pattern of node names."""
    cohort: str = ""
    """Name of a cohort, whole or a part of it."""
    kernel: str = ""
    """Pattern of kernel versions."""


class NodeTrouble(Enum):
    """What can happen to a machine."""

    LOST = "lost"
    """It falls silent while it is being changed, and stays so."""
    DRIFT = "drift"
    """Its files were changed since its plugin started: no plugin that starts anew finds the driver,
    of whatever version."""
    KUBELET_RESTART = "kubeletRestart"
    """Its kubelet is restarted when it has been changed."""
    REBOOT = "reboot"
    """It reboots while it is being changed."""


class Share(msgspec.Struct, frozen=True):
    """A part of all requests that get an answer other than their own."""

    status: int
    share: float
    """Between 0 and 1."""


class ApiTrouble(msgspec.Struct, frozen=True, kw_only=True):
    """What can be wrong between a client and the API. Times are in seconds."""

    latency: float = 0.0
    """How much later each answer comes."""
    error: Share | None = None
    away: tuple[float, float] | None = None
    """How long nobody listens, and how long after the start."""
    watch_break: float = 0.0
    """Every watch breaks after so long."""
    watch_gone: bool = False
    """When a watch breaks, the changes before it are no longer known."""
    conflict: float = 0.0
    """For which part of the writes to nodes somebody else writes the node just before."""

    def __bool__(self) -> bool:
        return self != _NO_TROUBLE


_NO_TROUBLE = ApiTrouble()


class Fault(msgspec.Struct, frozen=True, kw_only=True):
    """One fault; several of its parts may be there at once."""

    text: str
    """As it is typed."""
    where: Where = Where()
    knobs: Mapping[str, Any] = {}
    """What a version of a device plugin does wrong: names of ``testbed/knobs.yaml``."""
    pull: str = ""
    """Why the image cannot be pulled."""
    pull_delay: float | None = None
    """Seconds that a pull takes."""
    start_delay: float = 0.0
    """Seconds that a container takes to start."""
    nodes: tuple[NodeTrouble, ...] = ()
    api: ApiTrouble = ApiTrouble()

    @property
    def of_version(self) -> bool:
        """Whether it is something that images do."""
        return bool(self.knobs or self.pull or self.pull_delay is not None or self.start_delay)
