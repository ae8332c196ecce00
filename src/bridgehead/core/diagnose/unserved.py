"""Nodes that have devices of a plugin and on which its DaemonSet wants no pod, with the reason.

The node is judged predicate by predicate, as the DaemonSet controller does. Left out are nodes that
are not ready, that another plugin of the same devices serves, and those that are kept away on
purpose: by NotIn or DoesNotExist, by a label that says no, by a taint that goes by itself.
"""

from collections.abc import Iterable
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from bridgehead.core.components.accelerated_types import accelerated
from bridgehead.core.components.generic import FAMILY as GENERIC
from bridgehead.core.components.label_writers import OPERATOR_LABELS, writer_of, writes
from bridgehead.core.diagnose.device_signs import resources_of, signs_of
from bridgehead.core.diagnose.revisions import PastTemplate, former_of, templates_of
from bridgehead.core.inventory.nearest_label import same_in_another_shape
from bridgehead.core.inventory.placement import (
    Expression,
    Misfit,
    Predicate,
    label_conditions,
    misfit,
    misfits,
    placing,
)
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.component import Component
from bridgehead.core.model.json import JsonObject, canonical, child, text
from bridgehead.core.model.node import Node, Taint
from bridgehead.core.model.pod import Pod
from bridgehead.core.model.times import epoch

if TYPE_CHECKING:
    from bridgehead.core.diagnose.scene import Plugin, Scene

INSTANCE_TYPES = ("node.kubernetes.io/instance-type", "beta.kubernetes.io/instance-type")
RECENT = 3600.0
"""Seconds that events are kept by default; older readings say nothing about what just happened."""

_JOINING = 300.0
"""Seconds in which a node that joins is labelled and gets its pods."""

# Taints that their writers take away again: node lifecycle, cloud providers, autoscalers.
_PASSING = ("node.kubernetes.io/", "node.cloudprovider.kubernetes.io/", "karpenter.sh/disrupt")
_PASSING_NAMES = ("ToBeDeletedByClusterAutoscaler", "DeletionCandidateOfClusterAutoscaler")
_OTHER_SHAPE = "feature.node.kubernetes.io/pci-"
_COMMON = ("kubernetes.io/os", "kubernetes.io/arch", "beta.kubernetes.io/os")


class Reason(Enum):
    """Why the controller wants no pod there; of several the first."""

    REVISION = "the former template wanted the node"
    SHAPE = "the node has the label in another shape"
    WRITER_AWAY = "what writes the label does not run there"
    VANISHED = "the label was there until lately"
    INSTANCE_TYPE = "its instance type is not listed"
    TAINT = "only a taint keeps it away"
    OTHER = "another condition"


class Unserved(msgspec.Struct, frozen=True, kw_only=True):
    """A node with devices that its plugin leaves out."""

    plugin: "Plugin"
    node: Node
    misfits: tuple[Misfit, ...]
    signs: tuple[Evidence, ...]
    reason: Reason
    resources: tuple[str, ...]
    former: PastTemplate | None = None
    """The template that stood before, where it is known."""

    @property
    def failing(self) -> tuple[Expression, ...]:
        """Conditions on labels that the node does not meet."""
        return tuple(item for found in self.misfits for item in found.failing)


def unserved_nodes(scene: "Scene") -> tuple[Unserved, ...]:
    """All of them, by plugin and node."""
    found: list[Unserved] = []
    new = _new_nodes(scene)
    for plugin in scene.plugins:
        names = resources_of(scene, plugin)
        rivals = [item for item in scene.plugins if _same_devices(plugin, item)]
        _, former = former_of(templates_of(scene, plugin.component))
        question = _Question(scene, plugin, names, former, _askers(scene, names))
        for node in scene.nodes.values():
            if node.ready is not True or node.name in new or _alive(node, names):
                continue
            if _of_other_use(node):
                continue
            missed = tuple(misfits(plugin.component.template, node))
            if not missed or any(not misfit(it.component.template, node) for it in rivals):
                continue
            item = _judged(question, node, missed)
            if item:
                found.append(item)
    return tuple(found)


def _new_nodes(scene: "Scene") -> frozenset[str]:
    """Nodes so young that what labels and taints them may still be at work."""
    created = {
        text(item, "metadata", "name"): epoch(text(item, "metadata", "creationTimestamp"))
        for item in scene.observed.of_kind("Node")
    }
    return frozenset(
        name for name, at in created.items() if at is not None and scene.now - at < _JOINING
    )


def _of_other_use(node: Node) -> bool:
    """A node whose devices go to virtual machines, or from which operands are sent away.

    Source: https://docs.nvidia.com/datacenter/cloud-native/gpu-operator (KubeVirt; node labels)
    """
    use = node.labels.get("nvidia.com/gpu.workload.config", "")
    return use.startswith("vm-") or node.labels.get("nvidia.com/gpu.deploy.operands") == "false"


class _Question(NamedTuple):
    """Which plugin is looked at."""

    scene: "Scene"
    plugin: "Plugin"
    names: tuple[str, ...]
    former: PastTemplate | None
    askers: tuple[Pod, ...]
    """Waiting pods that ask for its devices and choose nodes by labels, one of each sort."""


def _judged(ask: _Question, node: Node, missed: tuple[Misfit, ...]) -> Unserved | None:
    former = ask.former
    wanted_before = bool(former and former.template and not misfit(former.template, node))
    if not wanted_before and any(_on_purpose(item, node) for item in missed):
        return None
    signs = (
        *signs_of(ask.plugin, ask.names, node),
        *_history(ask.scene, node, ask.names),
        *_kind_of_machine(missed, node),
        *_asked_there(ask, node),
        *(_chosen(ask.plugin, node) if _only_taints(missed) else ()),
    )
    if not signs:
        return None
    return Unserved(
        plugin=ask.plugin,
        node=node,
        misfits=missed,
        signs=signs,
        reason=Reason.REVISION if wanted_before else _reason(ask, node, missed),
        resources=ask.names,
        former=former,
    )


def _reason(ask: _Question, node: Node, missed: tuple[Misfit, ...]) -> Reason:
    failing = [item for found in missed for item in found.failing]
    if shapes(ask.plugin, node):
        return Reason.SHAPE
    absent = [item.key for item in failing if item.key not in node.labels]
    if any(writers_kept_away(ask.scene, key, node) for key in absent):
        return Reason.WRITER_AWAY
    if absent and _lately(ask.scene, node, ask.names):
        return Reason.VANISHED
    if failing and all(item.key in INSTANCE_TYPES for item in failing):
        return Reason.INSTANCE_TYPE
    return Reason.TAINT if _only_taints(missed) else Reason.OTHER


def shapes(plugin: "Plugin", node: Node) -> tuple[tuple[Expression, str], ...]:
    """What the plugin asks for in vain, with the label that the node has instead.

    The GPU Operator's own labels follow a label of PCI devices: where they are missing and the card
    is labelled in another shape, the operator has not recognised it.
    """
    found: list[tuple[Expression, str]] = []
    for asked in label_conditions(plugin.component.template):
        if asked.matches(node.labels):
            continue
        near = same_in_another_shape(asked, node.labels)
        if not near and asked.key.startswith(OPERATOR_LABELS) and not _recognised(node):
            near = tuple(it for it in plugin.family.hints_in(node.labels) if _OTHER_SHAPE in it)
        found.extend((asked, label) for label in near)
    return tuple(found)


def _recognised(node: Node) -> bool:
    """Whether the GPU Operator has labelled the node, for whatever use."""
    return any(key.startswith(OPERATOR_LABELS) for key in node.labels)


def writers_kept_away(scene: "Scene", label: str, node: Node) -> tuple[tuple[Component, str], ...]:
    """DaemonSets that write the label, and why they have no pod on the node; empty if one has."""
    writer = writer_of(label)
    if writer is None:
        return ()
    components = sorted(scene.observed.snapshot.components, key=lambda item: item.ref)
    found = [item for item in components if writes(item.template, writer)]
    reasons = [(item, misfit(item.template, node)) for item in found]
    return tuple(reasons) if reasons and all(why for _, why in reasons) else ()


def _same_devices(plugin: "Plugin", other: "Plugin") -> bool:
    if other.component.ref == plugin.component.ref:
        return False
    if plugin.family.name != GENERIC.name and other.family.name == plugin.family.name:
        return True
    return bool(set(plugin.resources) & set(other.resources))


def _alive(node: Node, names: Iterable[str]) -> bool:
    return any(name in node.offers and node.offers[name].allocatable for name in names)


def _only_taints(missed: Iterable[Misfit]) -> bool:
    return all(item.predicate is Predicate.TAINT for item in missed)


def passes(taint: Taint) -> bool:
    """Whether the writer of the taint takes it away again."""
    return taint.key.startswith(_PASSING) or taint.key in _PASSING_NAMES


def _on_purpose(missed: Misfit, node: Node) -> bool:
    if missed.taint is not None:
        return passes(missed.taint)
    if missed.predicate is Predicate.NODE_NAME or not missed.failing:
        return True
    return any(not item.positive or _says_no(item, node) for item in missed.failing)


def _says_no(asked: Expression, node: Node) -> bool:
    """The GPU Operator writes ``false`` and ``paused-for-driver-upgrade`` to send operands away."""
    value = node.labels.get(asked.key, "").casefold()
    return value in ("false", "disabled", "no") or value.startswith("paused")


def _history(scene: "Scene", node: Node, names: Iterable[str]) -> Iterable[Evidence]:
    for name in names:
        trajectory = scene.trajectory(node.name, name)
        if trajectory.best:
            yield trajectory.evidence


def _kind_of_machine(missed: Iterable[Misfit], node: Node) -> Iterable[Evidence]:
    """Its instance type, if the plugin lists others that come with accelerators, too."""
    for item in missed:
        for asked in item.failing:
            kind = node.labels.get(asked.key, "")
            listed = asked.key in INSTANCE_TYPES and any(map(accelerated, asked.values))
            if listed and accelerated(kind):
                yield Evidence(f"labels of node {node.name}", f"{asked.key}={kind}")


def _askers(scene: "Scene", names: Iterable[str]) -> tuple[Pod, ...]:
    wanted = frozenset(names)
    found: dict[str, Pod] = {}
    for pod in scene.waiting_pods:
        if not wanted.isdisjoint(pod.requests):
            template: JsonObject = {"spec": child(scene.raw(pod), "spec")}
            if any(item.key not in _COMMON for item in label_conditions(template)):
                found.setdefault(canonical(placing(template)), pod)
    return tuple(found.values())


def _asked_there(ask: _Question, node: Node) -> Iterable[Evidence]:
    """A waiting pod that asks for such a device and chooses this node by its labels."""
    for pod in ask.askers:
        template: JsonObject = {"spec": child(ask.scene.raw(pod), "spec")}
        if _only_taints(misfits(template, node)):
            chosen = [it for it in label_conditions(template) if it.key not in _COMMON]
            yield Evidence(f"spec of pod {pod.ref}", ", ".join(map(str, chosen)))
            return


def _chosen(plugin: "Plugin", node: Node) -> Iterable[Evidence]:
    """What the plugin itself asks of labels and the node has."""
    for asked in label_conditions(plugin.component.template):
        if asked.positive and asked.key not in _COMMON and asked.matches(node.labels):
            yield Evidence(f"labels of node {node.name}", f"{asked.key}={node.labels[asked.key]}")


def _lately(scene: "Scene", node: Node, names: Iterable[str]) -> bool:
    """Whether the plugin served the node until a short while ago."""
    for name in names:
        if name in node.offers and node.offers[name].capacity:
            return True
        seen = [it.end for it in scene.trajectory(node.name, name).stretches if it.allocatable]
        if seen and scene.now - max(seen) <= RECENT:
            return True
    return False


def left_behind(scene: "Scene", items: Iterable[Unserved]) -> tuple[str, ...]:
    """Keys of the symptoms that follow from these nodes being left out."""
    every = list(items)
    names = {name for item in every for name in item.resources}
    wanted = {
        f"daemonset/{it.plugin.component.namespace}/{it.plugin.component.name}" for it in every
    }
    wanted |= {f"devices/{item.node.name}/{name}" for item in every for name in item.resources}
    wanted |= {f"resource/{name}" for name in names}
    wanted |= {f"pod/{pod.ref}" for pod in _waiting(scene.waiting_pods, names)}
    return tuple(item.key for item in scene.symptoms if item.key in wanted)


def _waiting(pods: Iterable[Pod], names: set[str]) -> Iterable[Pod]:
    return (pod for pod in pods if not names.isdisjoint(pod.requests))
