"""What a kubelet tells the API of pods: their status, events, and that nothing of one is left."""

from contextlib import suppress

from bridgehead.twin.controllers.events import Type
from bridgehead.twin.errors import ApiError
from bridgehead.twin.nodes.host import Host
from bridgehead.twin.objects import Object, items, name_of, namespace_of, text, uid_of
from bridgehead.twin.registry import DeleteOptions


class Reports:
    """Writes for one node; while that cannot reach the API, nothing is written."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._context = host.context

    def current(self, pod: Object) -> Object | None:
        """The pod as the API has it; None where it has none, or another one of that name."""
        store, stored = self._context.registry.store, self._context.pods.stored
        found = store.get(stored, namespace_of(pod), name_of(pod))
        return found if found is not None and uid_of(found) == uid_of(pod) else None

    def status(self, pod: Object) -> None:
        """Write a pod's status, where it is another one than before."""
        found = self.current(pod)
        if self._host.connected and found is not None and found.get("status") != pod["status"]:
            new = {**found, "status": pod["status"]}
            with suppress(ApiError):  # as of any request of a kubelet, which tries again later
                self._context.registry.update(self._context.pods, new, subresource="status")

    def event(
        self, pod: Object, kind: Type, reason: str, message: str, *, container: str = ""
    ) -> None:
        """An event of a pod, or of one of its containers."""
        if not self._host.connected:
            return
        path = ""
        if container:
            listed = items(pod, "spec", "initContainers")
            init = any(text(item, "name") == container for item in listed)
            path = f"spec.{'initContainers' if init else 'containers'}{{{container}}}"
        name = self._host.machine.name
        self._context.event(pod, kind, reason, message, host=name, field_path=path)

    def gone(self, pod: Object) -> None:
        """Let the API forget a pod that is being deleted."""
        if self._host.connected and self.current(pod) is not None:
            options = DeleteOptions(grace=0, uid=uid_of(pod))
            registry, kind = self._context.registry, self._context.pods
            with suppress(ApiError):
                registry.delete(kind, namespace_of(pod), name_of(pod), options)
