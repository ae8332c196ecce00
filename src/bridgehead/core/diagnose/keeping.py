"""Of which pods the whole object is kept: of a large cluster most say nothing about devices."""

from collections.abc import Iterable, Mapping

from bridgehead.core.components.label_writers import writes_labels
from bridgehead.core.components.registration import is_device_plugin
from bridgehead.core.diagnose.pod_state import unsound
from bridgehead.core.inventory.plugins import registers_devices
from bridgehead.core.model.component import Component
from bridgehead.core.model.json import JsonObject, child, text
from bridgehead.core.model.pod import Pod

_WRITERS_TELL = frozenset({"Node", "DaemonSet", "ConfigMap", "SriovNetworkNodeState"})
"""Kinds of which it matters who wrote which field, or when: whether a plugin is older than its
configuration or its devices. Elsewhere field managers are half of an object, and say nothing."""

MOST_ENDED = 500
"""Ended pods that are kept: a controller whose pods are refused makes new ones by the thousand."""


class Keeping:
    """Decides pod by pod, in the order of their names: the same for the same cluster.

    Kept are pods that ask for devices, that mount where devices register, of plugins and of
    DaemonSets that label nodes, and those that are not as they should be.
    """

    def __init__(self, components: Iterable[Component], now: float) -> None:
        self._now = now
        owners = [it for it in components if is_device_plugin(it) or writes_labels(it.template)]
        self._uids = {item.uid for item in owners if item.uid}
        self._names = {(item.namespace, item.name) for item in owners}
        self._ended = 0

    def keeps(self, pod: Pod) -> bool:
        """Whether the pod is kept whole."""
        if not (self._is_about_devices(pod) or unsound(pod, self._now, 0.0)):
            return False
        if not pod.terminal:
            return True
        self._ended += 1
        return self._ended <= MOST_ENDED

    def _is_about_devices(self, pod: Pod) -> bool:
        return bool(pod.requests) or self._owned(pod) or registers_devices(pod)

    def _owned(self, pod: Pod) -> bool:
        if pod.owner_uid and pod.owner_uid in self._uids:
            return True
        return pod.owner_kind == "DaemonSet" and (pod.namespace, pod.owner_name) in self._names


def trimmed(item: JsonObject) -> JsonObject:
    """The object without field managers, where nobody asks for them."""
    metadata = child(item, "metadata")
    if text(item, "kind") in _WRITERS_TELL or not isinstance(metadata, Mapping):
        return item
    kept = {key: value for key, value in metadata.items() if key != "managedFields"}
    return {**item, "metadata": kept}
