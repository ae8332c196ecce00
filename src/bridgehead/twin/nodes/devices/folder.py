"""The folder ``/var/lib/kubelet/device-plugins`` of a node, where plugins and the kubelet meet.

It outlives both. A kubelet that starts deletes all sockets in it and then opens its own, which is
how plugins notice.
"""

from collections.abc import Callable
from typing import Protocol

from bridgehead.twin.nodes.devices.plugin import Plugin, PluginError

PATH = "/var/lib/kubelet/device-plugins"
KUBELET_SOCKET = f"{PATH}/kubelet.sock"


class Registration(Protocol):
    """The kubelet's registration service."""

    def register(self, plugin: Plugin, version: str) -> None:
        """Take a plugin on. Raises PluginError where it is refused."""


class PluginFolder:
    """Who serves there."""

    def __init__(self) -> None:
        self._kubelet: Registration | None = None
        self._watchers: dict[int, Callable[[], None]] = {}
        self._last = 0

    def open(self, kubelet: Registration) -> None:
        """A kubelet has started: all who watch for its socket are told."""
        self._kubelet = kubelet
        for watcher in list(self._watchers.values()):
            watcher()

    def close(self) -> None:
        """The kubelet has stopped, and its socket is gone."""
        self._kubelet = None

    def watch(self, created: Callable[[], None]) -> Callable[[], None]:
        """Be told whenever a kubelet opens its socket; call what comes back to end that."""
        self._last += 1
        number = self._last
        self._watchers[number] = created
        return lambda: self._watchers.pop(number, None) and None

    def register(self, plugin: Plugin, version: str, *, socket: str = KUBELET_SOCKET) -> None:
        """Call Register of the kubelet behind a socket. Raises PluginError."""
        if self._kubelet is None or socket != KUBELET_SOCKET:
            raise PluginError(
                "rpc error: code = Unavailable desc = connection error: desc = "
                f'"transport: Error while dialing: dial unix {socket}: '
                'connect: no such file or directory"'
            )
        self._kubelet.register(plugin, version)
