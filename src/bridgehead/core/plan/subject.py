"""What a plan is about: the component as it stands, what it is to become, and its nodes."""

from collections.abc import Mapping

import msgspec

from bridgehead.core.components.family import family_of
from bridgehead.core.components.resources import offered_by, pods_of
from bridgehead.core.inventory.placement import misfit, placing
from bridgehead.core.model.component import Component, Revision, with_images
from bridgehead.core.model.json import JsonObject
from bridgehead.core.model.node import Node
from bridgehead.core.model.pod import Pod
from bridgehead.core.model.snapshot import Snapshot
from bridgehead.core.plan.foreign_holds import foreign_hold
from bridgehead.core.plan.plan import Refusal, SetAside
from bridgehead.core.plan.settings import ManifestChange, RolloutSpec


class Subject(msgspec.Struct, frozen=True, kw_only=True):
    """The component of a spec in one reading of a cluster."""

    spec: RolloutSpec
    component: Component
    target: JsonObject
    """The template as the API server would store it, or as rendered here where it was not asked."""
    snapshot: Snapshot
    pods: Mapping[str, tuple[Pod, ...]]
    """The component's live pods by node."""
    nodes: tuple[Node, ...]
    """Nodes that the component runs on, stays on, and the spec selects, by name."""
    left_out: tuple[str, ...]
    """Nodes that the component runs on and the spec does not select."""
    set_aside: tuple[SetAside, ...]
    resources: tuple[str, ...]
    resources_source: str
    moves: bool = False
    """Whether the target template places the component otherwise, on these nodes or on others."""
    gains: tuple[Node, ...] = ()
    """Nodes that only the target template fits, by name."""
    loses: tuple[Node, ...] = ()
    """Nodes that only the standing template fits, by name."""

    @property
    def usable(self) -> tuple[Node, ...]:
        """Nodes that the plan may change."""
        aside = {item.node for item in self.set_aside}
        return tuple(node for node in self.nodes if node.name not in aside)

    @property
    def former(self) -> Revision | None:
        """The revision whose content is the standing template."""
        found = [
            item
            for item in self.snapshot.revisions_of(self.component)
            if item.template_digest == self.component.template_digest
        ]
        return found[-1] if found else None

    @property
    def family(self) -> str:
        """Family of the component, by the images that stand now."""
        return family_of(self.component.template).name

    def refusal(self, rule: str, message: str, remedy: str) -> Refusal:
        """A reason against the change, which is about the component."""
        return Refusal(rule, message, remedy, self.component.ref)


def find_component(spec: RolloutSpec, snapshot: Snapshot) -> Component | None:
    """The component that the spec names."""
    wanted = spec.component
    return next(
        (
            item
            for item in snapshot.components
            if (item.namespace, item.name) == (wanted.namespace, wanted.name)
        ),
        None,
    )


def changed_template(spec: RolloutSpec, component: Component) -> JsonObject:
    """The template that the spec asks for, as far as it can be told without the API server.

    Raises KeyError for a missing container.
    """
    if isinstance(spec.change, ManifestChange):
        return spec.change.template
    return with_images(component.template, spec.change.by_container())


def subject_of(
    spec: RolloutSpec, snapshot: Snapshot, component: Component, target: JsonObject
) -> Subject:
    """Everything that the plan needs to know of the component."""
    moves = placing(component.template) != placing(target)
    eligible = _fitting(snapshot, component.template)
    wanted = _fitting(snapshot, target) if moves else eligible
    stays = [node for node in eligible if node in wanted] if moves else eligible
    nodes = tuple(node for node in stays if spec.nodes.selects(node.labels))
    left_out = tuple(node.name for node in stays if not spec.nodes.selects(node.labels))
    pods: dict[str, tuple[Pod, ...]] = {}
    for pod in pods_of(component, snapshot.pods):
        if not pod.terminal:
            pods[pod.node] = (*pods.get(pod.node, ()), pod)
    aside = tuple(
        SetAside(node.name, reason) for node in nodes if (reason := _why_aside(node, pods))
    )
    resources, source = _resources(spec, snapshot, component)
    return Subject(
        spec=spec,
        component=component,
        target=target,
        snapshot=snapshot,
        pods=pods,
        nodes=nodes,
        left_out=left_out,
        set_aside=aside,
        resources=resources,
        resources_source=source,
        moves=moves,
        gains=tuple(node for node in wanted if node not in eligible) if moves else (),
        loses=tuple(node for node in eligible if node not in wanted) if moves else (),
    )


def _fitting(snapshot: Snapshot, template: JsonObject) -> list[Node]:
    fitting = (node for node in snapshot.nodes if not misfit(template, node))
    return sorted(fitting, key=lambda node: node.name)


def why_not_judged(node: Node) -> str:
    """Why nothing can be told of a node now; empty where it can."""
    if node.ready is not True:
        return "NotReady" if node.ready is False else "its readiness is not known"
    return foreign_hold(node)


def _why_aside(node: Node, pods: Mapping[str, tuple[Pod, ...]]) -> str:
    if hold := why_not_judged(node):
        return hold
    return "" if pods.get(node.name) else "it has no pod of the component"


def _resources(
    spec: RolloutSpec, snapshot: Snapshot, component: Component
) -> tuple[tuple[str, ...], str]:
    if spec.resources:
        return spec.resources, "named in the spec"
    offered = offered_by(snapshot.components, snapshot.nodes, snapshot.pods).get(component.ref)
    if offered is None:
        return (), "it mounts no directory where a device plugin registers"
    return offered.resources, f"inferred, confidence {offered.confidence.value}: {offered.how}"
