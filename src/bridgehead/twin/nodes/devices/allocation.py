"""Gives devices to the containers of a pod that is admitted, one call of a plugin at a time.

A plugin that never answers keeps the whole admission waiting, and with it the node's.

Source: k8s.io/kubernetes/pkg/kubelet/cm/devicemanager/manager.go, Allocate to
allocateRemainingFrom, and cm/admission/errors.go (1.37).
"""

from collections.abc import Callable, Sequence

import msgspec

from bridgehead.twin.nodes.devices.endpoints import DeviceManager
from bridgehead.twin.nodes.devices.plugin import Allocated, PluginError
from bridgehead.twin.objects import Object, fields, items, text, uid_of

Done = Callable[[str], None]
"""Told why the pod is refused, or an empty string."""


class _Ask(msgspec.Struct, frozen=True):
    """One container's request for one resource."""

    container: str
    resource: str
    count: int
    init: bool


def asks_for_devices(pod: Object, manager: DeviceManager) -> bool:
    """Whether a pod wants something of a device plugin."""
    return any(manager.knows(ask.resource) for ask in _asks(pod))


def _asks(pod: Object) -> list[_Ask]:
    found = []
    for field in ("initContainers", "containers"):
        for container in items(pod, "spec", field):
            init = field == "initContainers" and container.get("restartPolicy") != "Always"
            for resource, count in fields(container, "resources", "limits").items():
                if "/" in resource:
                    found.append(_Ask(text(container, "name"), resource, int(count), init))
    return found


class Allocation:
    """The admission of one pod at the device manager."""

    def __init__(
        self,
        manager: DeviceManager,
        pod: Object,
        answers: dict[tuple[str, str], Allocated],
        done: Done,
        *,
        running: Sequence[str] = (),
    ) -> None:
        """``answers`` receives what plugins say, by container and resource.

        ``running``: containers that run already, which is so after a kubelet's restart.
        """
        self._manager = manager
        self._uid = uid_of(pod)
        self._left = _asks(pod)
        self._answers = answers
        self._done = done
        self._running = running
        self._reusable: dict[str, list[str]] = {}
        """Devices of init containers, which later containers get."""

    def go_on(self) -> None:
        """Work on the next request."""
        while self._left:
            ask = self._left.pop(0)
            if not self._manager.knows(ask.resource):
                continue
            try:
                ids = self._choose(ask)
            except PluginError as error:
                return self._refuse(str(error))
            if not ids:
                continue
            endpoint = self._manager.endpoints.get(ask.resource)
            if endpoint is None:
                return self._refuse(f"unknown Device Plugin {ask.resource}")
            if endpoint.plugin is None or endpoint.stopped is not None:
                # The real one prints its structure, with addresses in memory; here it is its name.
                return self._refuse(f"endpoint &{{{ask.resource}}} has been stopped")
            return endpoint.plugin.allocate(ids, lambda got: self._answered(ask, ids, got))  # noqa: B023 - called once for this request
        return self._done("")

    def _answered(self, ask: _Ask, ids: Sequence[str], got: Allocated | PluginError) -> None:
        if isinstance(got, PluginError):
            return self._refuse(str(got))
        self._manager.checkpoint.give(self._uid, ask.container, ask.resource, ids)
        self._answers[ask.container, ask.resource] = got
        reusable = self._reusable.setdefault(ask.resource, [])
        if ask.init:
            reusable.extend(item for item in ids if item not in reusable)
        else:
            self._reusable[ask.resource] = [item for item in reusable if item not in ids]
        return self.go_on()

    def _choose(self, ask: _Ask) -> list[str]:
        """Devices for a request; none where nothing is to be done. Raises PluginError."""
        manager, resource = self._manager, ask.resource
        has = manager.checkpoint.of(self._uid, ask.container, resource)
        if ask.container in self._running:
            return []
        healthy = manager.healthy.get(resource)
        if healthy is None:
            raise PluginError(f"cannot allocate unregistered device {resource}")
        if not healthy:
            raise PluginError(
                f"no healthy devices present; cannot allocate unhealthy devices {resource}"
            )
        if has is not None and not set(has) <= set(healthy):
            raise PluginError(
                "previously allocated devices are no longer healthy; "
                f"cannot allocate unhealthy devices {resource}"
            )
        needed = ask.count if has is None else 0
        if not needed:
            return []
        chosen = self._reusable.get(resource, [])[:needed]
        needed -= len(chosen)
        if not needed:
            return chosen
        in_use = manager.checkpoint.in_use(resource) | set(chosen)
        available = [item for item in healthy if item not in in_use]
        if len(available) < needed:
            raise PluginError(
                f"requested number of devices unavailable for {resource}. "
                f"Requested: {needed}, Available: {len(available)}"
            )
        return [*chosen, *self._preferred(resource, available, needed)]

    def _preferred(self, resource: str, available: list[str], needed: int) -> list[str]:
        endpoint = self._manager.endpoints.get(resource)
        first: Sequence[str] = ()
        if endpoint is not None and endpoint.plugin is not None and endpoint.options.preferred:
            try:
                first = endpoint.plugin.preferred(available, needed)
            except PluginError as error:
                raise PluginError(
                    f"device plugin GetPreferredAllocation rpc failed with err: {error}"
                ) from None
        ordered = dict.fromkeys((*first, *available))
        return list(ordered)[:needed]

    def _refuse(self, why: str) -> None:
        self._left = []
        self._done(f"Allocate failed due to {why}, which is unexpected")
