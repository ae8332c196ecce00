"""What plugins have given to the containers of a node, and how it fares."""

from collections.abc import Callable

from bridgehead.twin.nodes.devices.checkpoint import Checkpoint
from bridgehead.twin.nodes.devices.endpoints import DeviceManager
from bridgehead.twin.nodes.devices.plugin import Allocated, PluginError
from bridgehead.twin.objects import Object, fields, text

Answers = dict[tuple[str, str], Allocated]
"""By container and resource."""


class Grants:
    """The device manager's answers to those who start containers and report on them."""

    def __init__(
        self, devices: DeviceManager, checkpoint: Checkpoint, allocated: dict[str, Answers]
    ) -> None:
        """``allocated``: by the pod's uid."""
        self._devices = devices
        self._checkpoint = checkpoint
        self._allocated = allocated

    def health(self, uid: str) -> Callable[[str], list[Object]]:
        """``allocatedResourcesStatus`` of the containers of a pod.

        Source: UpdateAllocatedResourcesStatus of .../cm/devicemanager/manager.go (1.37).
        """

        def of(container: str) -> list[Object]:
            held = self._checkpoint.of_container(uid, container)
            return [
                {
                    "name": resource,
                    "resources": [
                        {"resourceID": item, "health": self._devices.health_of(resource, item)}
                        for item in ids
                    ],
                }
                for resource, ids in held.items()
            ]

        return of

    def granted(self, uid: str, container: str) -> Allocated:
        """What plugins have given to a container."""
        environment: dict[str, str] = {}
        cdi: tuple[str, ...] = ()
        for (name, _), answer in self._allocated.get(uid, {}).items():
            if name == container:
                environment |= answer.environment
                cdi += answer.cdi
        return Allocated(environment=environment, cdi=cdi)

    def prepare(self, uid: str, container: Object) -> None:
        """Ask plugins to prepare a container's devices. Raises PluginError.

        Source: callPreStartContainerIfNeeded of .../cm/devicemanager/manager.go (1.37).
        """
        for resource in fields(container, "resources", "limits"):
            if not self._devices.knows(resource):
                continue
            endpoint = self._devices.endpoints.get(resource)
            if endpoint is None:
                why = f"endpoint not found in cache for a registered resource: {resource}"
                raise PluginError(why)
            ids = self._checkpoint.of(uid, text(container, "name"), resource)
            if endpoint.plugin is None or not endpoint.options.pre_start or ids is None:
                continue
            try:
                endpoint.plugin.pre_start(ids)
            except PluginError as error:
                why = f"device plugin PreStartContainer rpc failed with err: {error}"
                raise PluginError(why) from None
