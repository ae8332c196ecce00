"""The cluster as a runner sees it at one moment."""

from collections.abc import Mapping
from functools import cached_property

import msgspec

from bridgehead.core.model.component import Component, Revision
from bridgehead.core.model.node import Node
from bridgehead.core.model.pod import Pod
from bridgehead.core.rollout.commands import Role
from bridgehead.core.rollout.control import Request
from bridgehead.core.verify.view import NodeView, PodEvent, successor


class World(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """What is watched all the time, and what is read only of nodes in flight."""

    component: Component | None
    """None where it does not exist (any more)."""
    revisions: tuple[Revision, ...] = ()
    nodes: Mapping[str, Node] = {}
    pods: Mapping[str, tuple[Pod, ...]] = {}
    """The component's pods by node."""
    refused: Mapping[str, tuple[Pod, ...]] = {}
    """Pods by node that asked for the component's resources and were refused for good."""
    requesters: Mapping[str, tuple[Pod, ...]] = {}
    """Pods that ask for these devices, of nodes in flight; a node that is missing was not read."""
    own: Mapping[str, Pod] = {}
    """Our own pods by ``node/role``."""
    own_logs: Mapping[str, str] = {}
    """Their output by uid, once they have ended."""
    logs: Mapping[str, str] = {}
    """Log ends of the component's pods in flight by uid."""
    last_words: Mapping[str, str] = {}
    """Last log line by uid of the container instance that ended last."""
    logs_unread: Mapping[str, str] = {}
    """Why a log could not be read, by uid."""
    events: Mapping[str, tuple[PodEvent, ...]] = {}
    """Events by the uid of the object that they are about."""
    control: tuple[Request, ...] = ()
    """Everything that people asked of this run, in order; those noted before are among them."""
    record: str = ""
    """What is wrong with the run's record in the cluster, in words; empty while it is as it was."""
    unread: str = ""
    """Which line among the requests cannot be read, in words; empty where all can."""
    stale: str = ""
    """What is not up to date, if anything: no gate may pass on old data."""

    seen_since: float = 0.0
    """Since when this runner has seen it as it is, in seconds since the epoch; 0 for ever.

    What did not happen while nobody could look is no sign of anything.
    """

    def view(self, name: str, deleted: frozenset[str] = frozenset()) -> NodeView:
        """Everything about one node that its gates look at.

        Log and events are those of the pod that stands after ``deleted`` are gone: the log of a pod
        on its way out says nothing about the new version.
        """
        pods = self.pods.get(name, ())
        pod = successor(pods, deleted)
        component = self.component.uid if self.component is not None else ""
        return NodeView(
            name=name,
            node=self.nodes.get(name),
            pods=pods,
            refused=self.refused.get(name, ()),
            log=self.logs.get(pod.uid) if pod else None,
            last_words=self.last_words.get(pod.uid, "") if pod else "",
            log_unread=self.logs_unread.get(pod.uid, "") if pod else "",
            events=self.events.get(pod.uid if pod else component, ()),
        )

    def own_pod(self, node: str, role: Role) -> Pod | None:
        """Our pod of that role on that node."""
        return self.own.get(f"{node}/{role.value}")

    def hash_of(self, template_digest: str) -> str:
        """The hash that pods of a template carry; empty where no revision holds that template."""
        return self._hashes.get(template_digest, "")

    @cached_property
    def _hashes(self) -> dict[str, str]:
        """Of revisions that hold the same template, the newest."""
        ordered = sorted(self.revisions, key=lambda item: item.number)
        return {item.template_digest: item.hash for item in ordered}
