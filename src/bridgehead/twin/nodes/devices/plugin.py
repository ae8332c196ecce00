"""The device plugin API v1beta1: what a kubelet asks of a plugin.

Source: k8s.io/kubelet/pkg/apis/deviceplugin/v1beta1/api.proto (1.37).
"""

from collections.abc import Callable, Sequence
from typing import Protocol

import msgspec


class Device(msgspec.Struct, frozen=True):
    """One device of a list."""

    id: str
    healthy: bool = True


class Options(msgspec.Struct, frozen=True):
    """What else the kubelet shall ask."""

    pre_start: bool = False
    preferred: bool = False


class Allocated(msgspec.Struct, frozen=True):
    """The answer to Allocate."""

    environment: dict[str, str] = {}
    cdi: tuple[str, ...] = ()
    """Qualified names of CDI devices."""


class PluginError(Exception):
    """An error of a call, as gRPC words it: ``rpc error: code = Unknown desc = ...``."""

    @classmethod
    def unknown(cls, text: str) -> "PluginError":
        """What a plugin in Go has returned as a plain error."""
        return cls(f"rpc error: code = Unknown desc = {text}")

    @classmethod
    def gone(cls) -> "PluginError":
        """The plugin's process has ended within the call."""
        return cls("rpc error: code = Unavailable desc = error reading from server: EOF")


Answer = Callable[[Allocated | PluginError], None]


class Stream(Protocol):
    """The kubelet's end of ListAndWatch."""

    def send(self, devices: Sequence[Device]) -> None:
        """The whole list as it is now."""

    def end(self) -> None:
        """There will be no further list: closed, or the plugin's process is gone."""


class Plugin(Protocol):
    """One resource that a plugin's process serves on one socket."""

    resource: str
    socket: str
    """Its path."""

    def options(self) -> Options:
        """GetDevicePluginOptions. Raises PluginError."""

    def watch(self, stream: Stream) -> None:
        """ListAndWatch."""

    def preferred(self, available: Sequence[str], size: int) -> Sequence[str]:
        """GetPreferredAllocation. Raises PluginError."""

    def allocate(self, ids: Sequence[str], answer: Answer) -> None:
        """Allocate; the answer may come later or never."""

    def pre_start(self, ids: Sequence[str]) -> None:
        """PreStartContainer. Raises PluginError."""
