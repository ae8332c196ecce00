"""Everything about one node that its gates look at, and what they expect to find."""

from collections.abc import Mapping

import msgspec

from bridgehead.core.model.device import Offer
from bridgehead.core.model.node import Node
from bridgehead.core.model.pod import Pod


class PodEvent(msgspec.Struct, frozen=True):
    """An event about a pod or its DaemonSet."""

    type: str
    reason: str
    message: str
    at: float = 0.0


class Expected(msgspec.Struct, frozen=True, kw_only=True):
    """What the node's new pod must be and what the node must offer again."""

    revision: str
    """Controller revision hash; empty while the controller has not made the revision yet."""
    images: Mapping[str, str]
    offers: Mapping[str, Offer]
    others: Mapping[str, Offer] = {}
    """What the node offered beside them, to notice devices that come back under another name."""
    refused: frozenset[str] = frozenset()
    """Uids of pods that were refused before this pass."""
    deleted: frozenset[str] = frozenset()
    """Uids of the component's pods that this pass has deleted."""
    image_ids: Mapping[str, str] = {}
    """Image id of each container where the same reference ran before on this architecture."""
    family: str = "generic"
    """Family of the component: its log patterns."""


class NodeView(msgspec.Struct, frozen=True, kw_only=True):
    """One node as it is seen now."""

    name: str
    node: Node | None
    pods: tuple[Pod, ...] = ()
    """The component's pods here, in any state."""
    refused: tuple[Pod, ...] = ()
    """Pods here that asked for the component's resources and were refused for good."""
    log: str | None = None
    """The end of the new pod's log, the previous container's first; None where it was not read."""
    last_words: str = ""
    """Last log line of the instance that ended last, if one has."""
    log_unread: str = ""
    """Why the log could not be read, where that was tried."""
    events: tuple[PodEvent, ...] = ()
    """Events about the new pod, or about the DaemonSet while there is none."""

    def successor(self, deleted: frozenset[str]) -> Pod | None:
        """The pod that stands after those in ``deleted`` are gone: the newest that is staying."""
        return successor(self.pods, deleted)

    def gone(self, deleted: frozenset[str]) -> bool:
        """Whether none of the deleted pods is left."""
        return not any(pod.uid in deleted for pod in self.pods)


def successor(pods: tuple[Pod, ...], deleted: frozenset[str] = frozenset()) -> Pod | None:
    """Of a node's pods, the one that stands after those in ``deleted`` are gone."""
    staying = [pod for pod in pods if pod.uid not in deleted and not pod.deleting]
    if len(staying) < 2:  # as on nearly every node
        return staying[0] if staying else None
    live = [pod for pod in staying if not pod.terminal]
    return max(live or staying, key=lambda pod: pod.created)
