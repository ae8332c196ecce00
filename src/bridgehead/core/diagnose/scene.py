"""What diagnosis rules look at: the observed cluster, sorted by plugin and node.

Everything here is worked out once and shared by all rules.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cached_property

import msgspec

from bridgehead.core.components.family import family_of
from bridgehead.core.components.registration import is_device_plugin
from bridgehead.core.components.resources import Offered, offered_by, pods_of
from bridgehead.core.components.signature import Family
from bridgehead.core.diagnose.expectation import (
    Expectation,
    Key,
    expected_from_history,
    expected_from_likes,
    merged,
)
from bridgehead.core.diagnose.node_states import expected_from_node_states
from bridgehead.core.diagnose.node_times import Start, starts_of
from bridgehead.core.diagnose.post import Post, posts_of
from bridgehead.core.diagnose.symptom import Symptom
from bridgehead.core.diagnose.trajectory import Trajectory, trajectories
from bridgehead.core.diagnose.unserved import Unserved, unserved_nodes
from bridgehead.core.findings.observed import Event, Observed
from bridgehead.core.inventory.placement import misfit
from bridgehead.core.model.component import Component
from bridgehead.core.model.json import JsonObject, text
from bridgehead.core.model.node import Node
from bridgehead.core.model.pod import Pod


class Plugin(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """A device plugin's DaemonSet with everything of it."""

    component: Component
    family: Family
    offered: Offered
    pods: tuple[Pod, ...]

    @property
    def resources(self) -> tuple[str, ...]:
        """Names of resources that it offers, as far as they could be inferred."""
        return self.offered.resources

    @cached_property
    def _by_node(self) -> Mapping[str, tuple[Pod, ...]]:
        found: dict[str, list[Pod]] = defaultdict(list)
        for pod in self.pods:
            found[pod.node].append(pod)
        return {node: tuple(pods) for node, pods in found.items()}

    @cached_property
    def revisions(self) -> Mapping[str, str]:
        """The revision of its pod on each node, where it carries one."""
        return {pod.node: pod.revision for pod in self.pods if pod.revision and not pod.terminal}

    def pods_on(self, node: str) -> tuple[Pod, ...]:
        """Its pods on a node, ended ones included."""
        return self._by_node.get(node, ())

    def pod_on(self, node: str) -> Pod | None:
        """Its newest pod on a node that has not ended; None where there is none."""
        found = [pod for pod in self.pods_on(node) if not pod.terminal]
        return max(found, key=lambda pod: pod.created, default=None)


class Scene:
    """Observed state with indexes. ``symptoms`` are what the causes have to explain."""

    def __init__(self, observed: Observed, symptoms: Iterable[Symptom] = ()) -> None:
        self.observed = observed
        self.symptoms = tuple(symptoms)
        self._wanted: dict[str, tuple[Node, ...]] = {}

    @property
    def now(self) -> float:
        """When the cluster was read."""
        return self.observed.now

    @cached_property
    def nodes(self) -> Mapping[str, Node]:
        """Nodes by name, in order."""
        found = sorted(self.observed.snapshot.nodes, key=lambda node: node.name)
        return {node.name: node for node in found}

    @cached_property
    def plugins(self) -> tuple[Plugin, ...]:
        """All device plugins, in the order of their names."""
        snapshot = self.observed.snapshot
        components = sorted(filter(is_device_plugin, snapshot.components), key=lambda it: it.ref)
        offered = offered_by(components, snapshot.nodes, snapshot.pods)
        return tuple(
            Plugin(
                component=component,
                family=family_of(component.template),
                offered=offered[component.ref],
                pods=pods_of(component, snapshot.pods),
            )
            for component in components
        )

    @cached_property
    def _pods_by_node(self) -> Mapping[str, tuple[Pod, ...]]:
        found: dict[str, list[Pod]] = defaultdict(list)
        for pod in sorted(self.observed.snapshot.pods, key=lambda item: item.ref):
            found[pod.node].append(pod)
        return {node: tuple(pods) for node, pods in found.items()}

    @cached_property
    def raw_pods(self) -> Mapping[tuple[str, str], JsonObject]:
        """Raw pods by namespace and name, as far as they were kept."""
        return {
            (text(item, "metadata", "namespace"), text(item, "metadata", "name")): item
            for item in self.observed.of_kind("Pod")
        }

    @cached_property
    def pod_events(self) -> Mapping[tuple[str, str], tuple[Event, ...]]:
        """Events about pods by namespace and name, oldest first."""
        found: dict[tuple[str, str], list[Event]] = defaultdict(list)
        for event in sorted(self.observed.events, key=lambda item: item.last):
            if event.kind == "Pod":
                found[event.namespace, event.name].append(event)
        return {key: tuple(events) for key, events in found.items()}

    def raw(self, pod: Pod) -> JsonObject:
        """The pod with all its fields; empty where it was not kept."""
        return self.raw_pods.get((pod.namespace, pod.name), {})

    def events(self, pod: Pod) -> tuple[Event, ...]:
        """Events about the pod, oldest first; not those of a former pod of the same name.

        A kubelet's events about a static pod carry another uid than the pod's object has.
        """
        found = self.pod_events.get((pod.namespace, pod.name), ())
        if not pod.uid or pod.owner_kind == "Node":
            return found
        return tuple(event for event in found if event.uid in ("", pod.uid))

    def pods_on(self, node: str) -> tuple[Pod, ...]:
        """Pods that are on a node or meant for it, ended ones included."""
        return self._pods_by_node.get(node, ())

    def holders(self, node: str, resource: str) -> tuple[Pod, ...]:
        """Pods on the node that hold devices of the resource: admitted or bound, not ended."""
        return tuple(
            pod
            for pod in self.pods_on(node)
            if pod.bound and not pod.terminal and pod.requests.get(resource)
        )

    def in_use(self, node: str, resource: str) -> int:
        """Devices that pods on the node hold."""
        return sum(pod.requests[resource] for pod in self.holders(node, resource))

    def wanted_on(self, plugin: Plugin) -> tuple[Node, ...]:
        """Nodes on which the plugin's DaemonSet wants a pod, by its own template."""
        ref = plugin.component.ref
        if ref not in self._wanted:
            template = plugin.component.template
            self._wanted[ref] = tuple(
                node for node in self.nodes.values() if not misfit(template, node)
            )
        return self._wanted[ref]

    @cached_property
    def _expected(self) -> Mapping[Key, Expectation]:
        likes = [
            expected_from_likes(
                self.wanted_on(plugin), name, plugin.family.hints_in, plugin.revisions
            )
            for plugin in self.plugins
            for name in plugin.resources
        ]
        before = [(it.node, it.resource, it.allocatable or 0) for it in self.observed.history]
        names = {name for plugin in self.plugins for name in plugin.resources}
        states = expected_from_node_states(self.observed.of_kind("SriovNetworkNodeState"), names)
        return merged([*likes, states, expected_from_history(before)])

    def expected(self, node: str, resource: str) -> Expectation | None:
        """What the node should offer, and by what; None where nothing tells."""
        return self._expected.get((node, resource))

    def symptoms_with(self, prefix: str) -> tuple[Symptom, ...]:
        """Symptoms whose key begins so: ``devices/``, ``pod/``, ``daemonset/``, ``resource/``."""
        return tuple(item for item in self.symptoms if item.key.startswith(prefix))

    @cached_property
    def posts(self) -> tuple[Post, ...]:
        """Each plugin on each node that has or should have its pod, by plugin and node."""
        wanted = {plugin.component.ref: self.wanted_on(plugin) for plugin in self.plugins}
        return posts_of(
            self.plugins,
            wanted,
            self.nodes,
            observed=self.observed,
            raw=self.raw_pods,
            symptoms=self.symptoms,
        )

    @cached_property
    def posts_by_node(self) -> Mapping[str, tuple[Post, ...]]:
        """The same by node."""
        found: dict[str, list[Post]] = defaultdict(list)
        for post in self.posts:
            found[post.node.name].append(post)
        return {node: tuple(posts) for node, posts in found.items()}

    @cached_property
    def posts_by_plugin(self) -> Mapping[str, tuple[Post, ...]]:
        """The same by the plugin's ``ref``."""
        found: dict[str, list[Post]] = defaultdict(list)
        for post in self.posts:
            found[post.plugin.component.ref].append(post)
        return {ref: tuple(posts) for ref, posts in found.items()}

    @cached_property
    def unserved(self) -> tuple[Unserved, ...]:
        """Nodes that have devices of a plugin and are left out by it, by plugin and node."""
        return unserved_nodes(self)

    @cached_property
    def waiting_pods(self) -> tuple[Pod, ...]:
        """Pods that ask for something and that no node has yet."""
        pods = self.observed.snapshot.pods
        return tuple(
            pod for pod in pods if pod.phase == "Pending" and not pod.bound and pod.requests
        )

    @cached_property
    def kubelet_starts(self) -> Mapping[str, Start]:
        """The last start of each node's kubelet, where anything tells of it."""
        return starts_of(self.observed.events, self.observed.of_kind("Node"))

    @cached_property
    def _trajectories(self) -> Mapping[Key, Trajectory]:
        return trajectories(self.observed.history)

    def trajectory(self, node: str, resource: str) -> Trajectory:
        """Earlier readings of a resource on a node; an empty one where there are none."""
        return self._trajectories.get((node, resource), Trajectory(node, resource))
