"""What a version of the plugin does on a node, as data."""

import msgspec


class Version(msgspec.Struct, frozen=True, kw_only=True):
    """A version's behaviour; the defaults are a good one. Seconds count from the container's start.

    Faults show only on the nodes in ``only_on``, where that is given.
    """

    start: float = 1.0
    crash_after: float | None = None
    registers_after: float | None = 0.5
    devices: int | None = None
    fewer: int = 0
    unhealthy_after: float | None = None
    unhealthy: int = 1
    unready_after: float | None = None
    flaps: float | None = None
    """Its devices are away for the last two of every so many seconds, without a restart."""
    suffix: str = ""
    pull_error: bool = False
    refused: str = ""
    allocate_fails: bool = False
    log: str = "Registered device plugin for 'vendor.com/gpu' with Kubelet"
    image_id: str = ""
    only_on: frozenset[str] | None = None

    def on(self, node: str) -> "Version":
        """The behaviour on one node."""
        return self if self.only_on is None or node in self.only_on else GOOD

    def count(self, devices: int) -> int:
        """How many of a node's devices it offers."""
        return devices - self.fewer if self.devices is None else self.devices


GOOD = Version()

BAD = {
    "crashes at start": Version(crash_after=0.0, log="cannot open /dev/gpu0"),
    "crashes after 20 s": Version(crash_after=20.0),
    "never registers": Version(registers_after=None),
    "offers zero devices": Version(devices=0),
    "offers one device fewer": Version(fewer=1),
    "devices turn unhealthy": Version(unhealthy_after=5.0),
    "all devices turn unhealthy": Version(unhealthy_after=5.0, unhealthy=4),
    "allocate fails": Version(allocate_fails=True),
    "another resource name": Version(suffix="-renamed"),
    "log names a fault": Version(log="panic: runtime error: invalid memory address"),
    "refused by the node": Version(refused="UnexpectedAdmissionError"),
}
