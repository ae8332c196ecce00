"""The device manager of one life of a kubelet: registration, lists of devices, their capacity.

Source: k8s.io/kubernetes/pkg/kubelet/cm/devicemanager/manager.go, endpoint.go and
plugin/v1beta1/{server,handler,client}.go (1.37).
"""

import re
from collections.abc import Callable, Sequence

import msgspec

from bridgehead.twin.clock import Clock
from bridgehead.twin.nodes.devices.checkpoint import Checkpoint
from bridgehead.twin.nodes.devices.plugin import Device, Options, Plugin, PluginError

STOP_GRACE_PERIOD = 300.0
"""Seconds for which a resource without a plugin keeps its capacity. ``endpointStopGracePeriod``."""

_NAME = re.compile(r"([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]")
_DOMAIN = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")


class Endpoint(msgspec.Struct):
    """A plugin as the kubelet knows it; without one, a name from the checkpoint."""

    plugin: Plugin | None
    options: Options
    stopped: float | None = None
    """When it went, in seconds since the epoch."""


class Offered(msgspec.Struct, frozen=True):
    """What a node's status says of one resource."""

    capacity: int
    allocatable: int


class DeviceManager:
    """Who offers what, and how healthy it is."""

    def __init__(
        self,
        clock: Clock,
        checkpoint: Checkpoint,
        *,
        changed: Callable[[float], None],
        health_changed: Callable[[Sequence[str]], None],
    ) -> None:
        """``changed``: called when the node's status has to be looked at so many seconds from now.

        ``health_changed``: called with the uids of pods some of whose devices turned.
        """
        self.clock = clock
        self.checkpoint = checkpoint
        self.healthy: dict[str, list[str]] = {}
        self.unhealthy: dict[str, list[str]] = {}
        self.endpoints: dict[str, Endpoint] = {}
        """The endpoint that answers for a resource: the last that registered."""
        self._connected: dict[str, dict[str, Endpoint]] = {}
        """By resource and path of the socket."""
        self._changed = changed
        self._health_changed = health_changed
        for resource in checkpoint.registered:
            self.healthy[resource] = []
            self.unhealthy[resource] = []
            self.endpoints[resource] = Endpoint(None, Options(), clock.now())
            changed(STOP_GRACE_PERIOD)

    def knows(self, resource: str) -> bool:
        """Whether it is a resource of a plugin, or one that somebody has devices of."""
        return resource in self.healthy or resource in self.checkpoint.resources_in_use()

    def register(self, plugin: Plugin, version: str) -> None:
        """Take a plugin on. Raises PluginError, worded as the plugin hears it."""
        if version != "v1beta1":
            raise PluginError.unknown(
                f'requested API version "{version}" is not supported by kubelet. '
                'Supported version is ["v1beta1"]'
            )
        if not is_extended_resource(plugin.resource):
            raise PluginError.unknown(f'the ResourceName "{plugin.resource}" is invalid')
        if not plugin.socket.startswith("/var/lib/kubelet/device-plugins/"):
            raise PluginError.unknown(
                "failed to dial device plugin: context deadline exceeded: connection error: desc ="
                ' "transport: error while dialing: dial unix '
                f"/var/lib/kubelet/device-plugins/{plugin.socket.rpartition('/')[2]}: "
                'connect: no such file or directory"'
            )
        try:
            options = plugin.options()
        except PluginError as error:
            raise PluginError.unknown(f"failed to get device plugin options: {error}") from None
        connected = self._connected.setdefault(plugin.resource, {})
        if plugin.socket in connected:
            raise PluginError.unknown(f"device plugin already connected: {plugin.socket}")
        endpoint = Endpoint(plugin, options)
        self.endpoints[plugin.resource] = connected[plugin.socket] = endpoint
        self.clock.soon(lambda: plugin.watch(_Stream(self, endpoint)))

    def listed(self, endpoint: Endpoint, devices: Sequence[Device]) -> None:
        """A plugin has sent its list."""
        if endpoint.stopped is not None or endpoint.plugin is None:
            return
        resource = endpoint.plugin.resource
        before = dict.fromkeys(self.healthy.get(resource, ()), True)
        before.update(dict.fromkeys(self.unhealthy.get(resource, ()), False))
        turned = [item.id for item in devices if before.get(item.id) != item.healthy]
        self.healthy[resource] = [item.id for item in devices if item.healthy]
        self.unhealthy[resource] = [item.id for item in devices if not item.healthy]
        self.checkpoint.registered[resource] = None
        self._changed(0.0)
        self._tell(resource, turned)

    def disconnected(self, endpoint: Endpoint) -> None:
        """The stream of a plugin has ended; it is not asked again."""
        if endpoint.stopped is not None or endpoint.plugin is None:
            return
        endpoint.stopped = self.clock.now()
        resource = endpoint.plugin.resource
        connected = self._connected.get(resource, {})
        connected.pop(endpoint.plugin.socket, None)
        if connected:
            self.endpoints[resource] = next(iter(connected.values()))
            return
        self.unhealthy.setdefault(resource, []).extend(self.healthy.get(resource, ()))
        if resource in self.healthy:
            self.healthy[resource] = []
        self._changed(0.0)
        self._changed(STOP_GRACE_PERIOD)

    def stop(self) -> None:
        """The kubelet ends: it hangs up on all plugins, who need not notice."""
        for connected in self._connected.values():
            for endpoint in connected.values():
                endpoint.stopped = self.clock.now()
        self._connected.clear()

    def offered(self) -> dict[str, Offered]:
        """What the node's status has to say now; a resource whose grace is over is forgotten."""
        found: dict[str, Offered] = {}
        for resource in dict.fromkeys((*self.healthy, *self.unhealthy)):
            endpoint = self.endpoints.get(resource)
            if endpoint is None or self._expired(endpoint):
                found[resource] = Offered(0, 0)
                for known in (self.healthy, self.unhealthy, self.endpoints):
                    known.pop(resource, None)
                self.checkpoint.registered.pop(resource, None)
                continue
            good = len(self.healthy.get(resource, ()))
            found[resource] = Offered(good + len(self.unhealthy.get(resource, ())), good)
        return found

    def health_of(self, resource: str, device: str) -> str:
        """As ``allocatedResourcesStatus`` says it.

        Source: ManagerImpl.UpdateAllocatedResourcesStatus.
        """
        if device in self.healthy.get(resource, ()):
            return "Healthy"
        return "Unhealthy" if device in self.unhealthy.get(resource, ()) else "Unknown"

    def _expired(self, endpoint: Endpoint) -> bool:
        stopped = endpoint.stopped
        return stopped is not None and self.clock.now() - stopped > STOP_GRACE_PERIOD

    def _tell(self, resource: str, devices: Sequence[str]) -> None:
        holders = self.checkpoint.holders(resource, devices) if devices else []
        if holders:
            self._health_changed(holders)


class _Stream:
    """The kubelet's end of one ListAndWatch."""

    def __init__(self, manager: DeviceManager, endpoint: Endpoint) -> None:
        self._manager = manager
        self._endpoint = endpoint

    def send(self, devices: Sequence[Device]) -> None:
        """The whole list as it is now."""
        self._manager.listed(self._endpoint, devices)

    def end(self) -> None:
        """There will be no further list."""
        self._manager.disconnected(self._endpoint)


def is_extended_resource(name: str) -> bool:
    """Whether a plugin may offer a resource of that name.

    Source: IsExtendedResourceName of k8s.io/kubernetes/pkg/apis/core/v1/helper/helpers.go.
    """
    domain, slash, own = name.partition("/")
    if not slash or "kubernetes.io/" in name or name.startswith("requests."):
        return False
    if len(domain) > 243 or not _DOMAIN.fullmatch(domain):
        return False
    return len(own) <= 63 and _NAME.fullmatch(own) is not None
