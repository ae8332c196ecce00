"""A process in a container: it begins, writes lines, is told to stop, and ends with a code."""

import asyncio
from collections.abc import Callable, Mapping, Set
from typing import Protocol

from bridgehead.twin.clock import Clock
from bridgehead.twin.nodes.devices.folder import PluginFolder

SIGKILL_CODE = 137
"""Exit code of a process that was killed."""


class Surroundings(Protocol):
    """What a process sees of its container and its node."""

    clock: Clock
    environment: Mapping[str, str]
    node: str
    """Name of the node."""
    hardware: Mapping[str, int]
    """Devices that are physically there, by the name under which they are offered."""
    folder: PluginFolder
    """Where plugins and the kubelet meet."""
    sees_folder: bool
    """Whether that folder is mounted in the container."""

    def write(self, line: str) -> None:
        """A line to stdout."""

    def exit(self, code: int) -> None:
        """The process ends by itself."""

    def exists(self, path: str) -> bool:
        """Whether a file of the host is there."""

    def in_use(self, resource: str) -> Set[str]:
        """Ids of devices of a resource that belong to containers now."""

    def labels(self) -> Mapping[str, str]:
        """Labels of the node, as the API server knows them."""

    def refusal(self, verb: str, resource: str, name: str = "") -> str:
        """Why the API server refuses the pod's account a request; empty where it does not."""


class Process:
    """A program that does nothing until it is told to stop, and then ends well."""

    def __init__(self, around: Surroundings) -> None:
        self.around = around
        self.ended = False
        self._timers: list[asyncio.TimerHandle] = []

    def begin(self) -> None:
        """The first instruction."""

    def terminate(self) -> None:
        """SIGTERM."""
        self.exit(0)

    def end(self) -> None:
        """It is gone, by itself or killed: nothing of it happens any more."""
        self.ended = True
        for timer in self._timers:
            timer.cancel()
        self._timers.clear()

    def exit(self, code: int) -> None:
        """End by itself."""
        if not self.ended:
            self.end()
            self.around.exit(code)

    def after(self, seconds: float, call: Callable[[], object]) -> None:
        """Do something later, unless the process has ended by then."""
        self._timers = [item for item in self._timers if not item.cancelled()]
        self._timers.append(self.around.clock.after(seconds, call))


class Deaf(Process):
    """A program without a handler for SIGTERM as the first process of a container.

    The kernel spares such a process every signal that it does not handle, so it lives on until it
    is killed. Source: pid_namespaces(7).
    """

    def terminate(self) -> None:
        """Nothing happens."""


class Hold(Process):
    """The workload of the test bed: prints its devices and waits for its end."""

    def begin(self) -> None:
        """Print what Allocate has put into the environment."""
        self.around.write(f"FAKE_DEVICES={self.around.environment.get('FAKE_DEVICES', '')}")
