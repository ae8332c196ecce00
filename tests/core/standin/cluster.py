"""An in-memory cluster with one DaemonSet, small enough to step second by second."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import msgspec

from bridgehead.core.inventory.placement import misfit
from bridgehead.core.model.component import FORMER_STRATEGY, RUN, images
from bridgehead.core.model.device import Offer
from bridgehead.core.model.node import HELD_BY, SCHEDULABLE_BEFORE, Node
from bridgehead.core.model.pod import Pod
from bridgehead.core.rollout.commands import Role
from bridgehead.core.rollout.control import Request
from bridgehead.core.rollout.world import World
from bridgehead.core.verify.view import PodEvent
from tests.core.standin.controller import ROLLING, DaemonSet, hash_of, template_of
from tests.core.standin.pods import GRACE, NAMESPACE, OwnPod, PluginPod
from tests.core.standin.versions import GOOD, Version

GPU = "vendor.com/gpu"
START = 1_700_000_000.0
STEP = 0.5


@dataclass
class SimNode:
    """A node and its kubelet, which reports the node's status once a period."""

    name: str
    devices: int = 4
    ready: bool = True
    unschedulable: bool = False
    annotations: dict[str, str] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)
    offers: dict[str, Offer] = field(default_factory=dict)
    holds: tuple[str, ...] = ()
    reported: float = 0.0
    uid: str = ""

    def value(self) -> Node:
        return Node(
            name=self.name,
            uid=self.uid or f"node-{self.name}",
            labels=dict(self.labels),
            annotations=dict(self.annotations),
            unschedulable=self.unschedulable,
            ready=self.ready,
            offers=dict(self.offers),
            holds=self.holds,
            arch="amd64",
        )


@dataclass(frozen=True)
class Deletion:
    """A plugin pod that the run deleted, and what was known then."""

    at: float
    node: str
    uid: str
    revision: str
    observed: bool


class Cluster:
    """The world that a run changes; ``versions`` says what each image tag does."""

    def __init__(
        self,
        nodes: tuple[str, ...],
        versions: Mapping[str, Version],
        *,
        period: float = 1.0,
        devices: int = 4,
    ) -> None:
        self.now = START
        self.period = period
        self.versions = dict(versions)
        self.drifted: dict[str, Version] = {}
        """Nodes on which any pod made from now on behaves so, whatever its version."""
        self.nodes = {name: SimNode(name, devices) for name in nodes}
        self.daemonset: DaemonSet | None = DaemonSet(template_of("v1"), ROLLING)
        self.pods: dict[str, PluginPod] = {}
        self.own: dict[str, OwnPod] = {}
        self.workload: dict[str, Pod] = {}
        self.ending: dict[str, float] = {}
        """When workload pods that are on their way out will be gone, by uid."""
        self.workload_grace = 3.0
        self.budget_is_shut = False
        self.evictions: list[tuple[float, str]] = []
        """When the eviction of which pod was asked for."""
        self.pulls = "v2"
        self.pull_seconds = 1.0
        self.own_grace = GRACE
        self.namespace_refuses = ""
        self.stale = ""
        self.unreadable: set[str] = set()
        """Nodes whose kubelet gives out no logs."""
        self.refusals = 0
        """How many of the next effects meet another state than they expect, where a hand asks."""
        self.control: list[Request] = []
        """What people filed under the run's key, in order."""
        self.unread = ""
        """Which line of what was asked cannot be read."""
        self.record = ""
        """What somebody did to the run's record."""
        self.deletions: list[Deletion] = []
        self.rolled: list[str] = []
        """Nodes whose pod the controller replaced by itself, which nobody watched."""
        self.unobserved_writes: list[str] = []
        self._uids = 0
        self.advance(10.0)

    # --- time -----------------------------------------------------------------------------------
    def advance(self, seconds: float) -> None:
        """Let the controller and the kubelets work for so long."""
        end = self.now + seconds
        while self.now < end:
            self.now += STEP
            self._control()
            self._run_pods()
            for uid in [uid for uid, end in self.ending.items() if self.now >= end]:
                del self.workload[uid], self.ending[uid]
            for node in self.nodes.values():
                self._report(node)

    def _control(self) -> None:
        component = self.daemonset
        if component is None:
            return
        component.tick(self.now)
        wanted = hash_of(component.seen_template)
        for name, node in self.nodes.items():
            here = [pod for pod in self.pods.values() if pod.node == name]
            if misfit(component.seen_template, node.value()):
                for pod in here:
                    pod.deleting = self.now if pod.deleting is None else pod.deleting
                continue
            for pod in here:
                if pod.failed and pod.deleting is None and self.now >= pod.created + 3:
                    pod.deleting = self.now
            if not here:
                self._create(name, wanted)
        if component.seen_strategy.get("type") != "OnDelete":
            self._roll(wanted)

    def _roll(self, wanted: str) -> None:
        if any(pod.deleting is not None or not pod.ready for pod in self.pods.values()):
            return
        old = [pod for pod in self.pods.values() if pod.revision != wanted]
        if old:
            old[0].deleting = self.now
            self.rolled.append(old[0].node)

    def _create(self, node: str, revision: str) -> None:
        component = self.daemonset
        if component is None:
            return
        image = images(component.seen_template)["plugin"]
        version = self.drifted.get(node) or self.version(image).on(node)
        uid = self.uid("pod")
        self.pods[uid] = PluginPod(f"plugin-{uid}", uid, node, revision, image, version, self.now)

    def _run_pods(self) -> None:
        for pod in list(self.pods.values()):
            kubelet = self.nodes.get(pod.node)
            if kubelet is None:
                del self.pods[pod.uid]
            elif kubelet.ready:
                if pod.deleting is not None and self.now >= pod.deleting + GRACE:
                    del self.pods[pod.uid]
                else:
                    pod.tick(self.now)
        for key, own in list(self.own.items()):
            node = self.nodes.get(own.node)
            if node is None or (
                own.deleting is not None and self.now >= own.deleting + self.own_grace
            ):
                del self.own[key]
            elif node.ready and not own.outcome and self.now >= own.created + self._takes(own):
                own.outcome = self._outcome(own)

    def _takes(self, own: OwnPod) -> float:
        return self.pull_seconds if own.role is Role.PULL else 1.0

    def _outcome(self, own: OwnPod) -> str:
        if own.role is Role.PULL:
            pulled = self.versions[self.pulls].on(own.node)
            return "pull-error" if pulled.pull_error else "started"
        node = self.nodes[own.node]
        offer = node.offers.get(GPU)
        used = sum(p.requests.get(GPU, 0) for p in self.workload.values() if p.node == own.node)
        if offer is None or offer.allocatable - used < 1:
            return ""
        plugin = self._serving(own.node)
        return "refused" if plugin is None or plugin.version.allocate_fails else "started"

    def _serving(self, node: str) -> PluginPod | None:
        here = (pod for pod in self.pods.values() if pod.node == node)
        return next((pod for pod in here if pod.registered(self.now)), None)

    def _report(self, node: SimNode) -> None:
        if not node.ready or self.now < node.reported + self.period:
            return
        node.reported = self.now
        plugin = self._serving(node.name)
        for name, offer in node.offers.items():
            node.offers[name] = Offer(offer.capacity, 0)
        if plugin is not None:
            count = plugin.version.count(node.devices)
            bad = min(count, plugin.unhealthy(self.now))
            node.offers[GPU + plugin.version.suffix] = Offer(count, count - bad)

    # --- what others do -------------------------------------------------------------------------
    def uid(self, kind: str) -> str:
        self._uids += 1
        return f"{kind}-{self._uids}"

    def version(self, image: str) -> Version:
        return self.versions.get(image.rpartition(":")[2], GOOD)

    def hold_devices(self, node: str, count: int = 1, owner: str = "") -> str:
        """A workload pod that runs on the node and holds devices, with a controller of that kind.

        Its uid, which is its name, too.
        """
        uid = self.uid("work")
        self.workload[uid] = Pod(
            namespace="default",
            name=uid,
            uid=uid,
            node=node,
            bound=True,
            phase="Running",
            admitted=True,
            ready=True,
            created=self.now,
            owner_kind=owner,
            requests={GPU: count},
        )
        return uid

    def end_workload(self, uid: str) -> None:
        """The pod is asked to end, and takes its grace period for it."""
        pod = self.workload[uid]
        self.workload[uid] = msgspec.structs.replace(pod, deleting=True)
        self.ending[uid] = self.now + self.workload_grace

    def refuse_pod(self, node: str) -> None:
        """A pod asked for a device on the node and was refused for good."""
        uid = self.uid("refused")
        self.workload[uid] = Pod(
            namespace="default",
            name=uid,
            uid=uid,
            node=node,
            bound=True,
            phase="Failed",
            reason="UnexpectedAdmissionError",
            message="no healthy devices present",
            admitted=True,
            created=self.now,
            requests={GPU: 1},
        )

    def delete_by_hand(self, node: str) -> None:
        """Somebody deletes the plugin's pod of the node."""
        for pod in self.pods.values():
            if pod.node == node and pod.deleting is None:
                pod.deleting = self.now

    def join(self, name: str, devices: int = 4) -> None:
        """A new node."""
        self.nodes[name] = SimNode(name, devices, uid=self.uid("node"))

    def renew(self, name: str) -> None:
        """The Node object is deleted and made anew at once; the machine goes on with its pods."""
        old = self.nodes[name]
        self.nodes[name] = SimNode(
            name, old.devices, offers=old.offers, reported=old.reported, uid=self.uid("node")
        )

    def leave(self, name: str) -> None:
        """The node is deleted, and its pods with it."""
        del self.nodes[name]

    # --- what is seen ---------------------------------------------------------------------------
    def pod_of(self, node: str) -> PluginPod:
        """The plugin's pod that stays on the node."""
        return next(p for p in self.pods.values() if p.node == node and p.deleting is None)

    def away(self, name: str) -> bool:
        """Whether the node is without devices: it offers fewer, or its plugin ends."""
        node = self.nodes[name]
        ending = any(pod.deleting is not None for pod in self.pods.values() if pod.node == name)
        return ending or sum(offer.allocatable for offer in node.offers.values()) < node.devices

    def uids(self) -> dict[str, str]:
        """Uid of the plugin's pod by node."""
        return {pod.node: pod.uid for pod in self.pods.values() if pod.deleting is None}

    def tags(self) -> dict[str, str]:
        """Version of the plugin's pod by node."""
        return {
            pod.node: pod.image.rpartition(":")[2]
            for pod in self.pods.values()
            if pod.deleting is None
        }

    @property
    def leftovers(self) -> list[str]:
        """What a run has left behind: cordons, marks, pods of ours, annotations."""
        marks = {HELD_BY, SCHEDULABLE_BEFORE}
        found = [f"{n.name} cordoned" for n in self.nodes.values() if n.unschedulable]
        found += [f"{n.name} marked" for n in self.nodes.values() if marks & set(n.annotations)]
        found += [f"pod {key}" for key, own in self.own.items() if own.deleting is None]
        if self.daemonset is not None:
            found += [name for name in (RUN, FORMER_STRATEGY) if name in self.daemonset.annotations]
        return found

    def world(self) -> World:
        """Everything as a runner sees it now."""
        component = self.daemonset
        by_node: dict[str, tuple[Pod, ...]] = {}
        for pod in self.pods.values():
            by_node[pod.node] = (*by_node.get(pod.node, ()), pod.value())
        work = self.workload.values()
        target = f"{template_image(self.pulls)}"
        return World(
            component=component.value(component.annotations) if component else None,
            revisions=tuple(component.revisions) if component else (),
            nodes={name: node.value() for name, node in self.nodes.items()},
            pods=by_node,
            refused=_by_node(self.nodes, [pod for pod in work if pod.refused]),
            requesters=_by_node(self.nodes, list(work)),
            own={key: own.value(target) for key, own in self.own.items()},
            logs={pod.uid: pod.version.log for pod in self.pods.values() if pod.has_log},
            logs_unread={
                pod.uid: "connection refused"
                for pod in self.pods.values()
                if pod.node in self.unreadable
            },
            events={pod.uid: _events(pod) for pod in self.pods.values()},
            control=tuple(self.control),
            stale=self.stale,
            record=self.record,
            unread=self.unread,
        )


def template_image(tag: str) -> str:
    """The plugin's image of a version."""
    return images(template_of(tag))["plugin"]


def _by_node(nodes: Mapping[str, SimNode], pods: list[Pod]) -> dict[str, tuple[Pod, ...]]:
    return {name: tuple(pod for pod in pods if pod.node == name) for name in nodes}


def _events(pod: PluginPod) -> tuple[PodEvent, ...]:
    if not pod.version.pull_error:
        return ()
    return (PodEvent("Warning", "Failed", f'Failed to pull image "{pod.image}": not found'),)


__all__ = ["GPU", "NAMESPACE", "START", "Cluster", "Deletion", "SimNode"]
