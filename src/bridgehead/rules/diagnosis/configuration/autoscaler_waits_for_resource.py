"""An autoscaler waits for a node to offer devices, and buys more nodes meanwhile.

Finds: nodes of which Karpenter says that an expected resource did not register, by an event or by
the Initialized condition of their NodeClaim, and that still do not offer it.

Why: the kubelet sets extended resources to 0 when a node starts, and only a plugin brings them. A
node without them never counts as initialised: its pods stay pending, more nodes are bought for
them, and none is given back. One broken plugin gets expensive.

Sure: the resource is absent or 0 on these nodes and there on older ones, or nowhere.

Do: bring the plugin onto new nodes: let it tolerate their start-up taints and select their labels.
Pause consolidation while a plugin is rolled out.
"""

import re
from collections.abc import Iterable

import msgspec

from bridgehead.core.diagnose.cause import Action, Blame, Cause, RollbackHelps, RuledOut
from bridgehead.core.diagnose.scene import Plugin, Scene
from bridgehead.core.diagnose.symptom import devices_key, resource_key
from bridgehead.core.findings.finding import ObjectRef, Severity
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.core.inventory.placement import misfit
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.json import children, text

_NOT_REGISTERED = re.compile(
    r"expected resource \\?\"(?P<one>[^\"\\]+)\\?\" didn't register on the node"
    r"|resource \\?\"(?P<other>[^\"\\]+)\\?\" was requested but not registered",
    re.IGNORECASE,
)


class _Said(msgspec.Struct, frozen=True):
    node: str
    resource: str
    evidence: Evidence


def _check(scene: Scene) -> Iterable[Cause]:
    said = [item for item in (*_events(scene), *_claims(scene)) if not _is_there(scene, item)]
    for resource in sorted({item.resource for item in said}):
        found = [item for item in said if item.resource == resource]
        yield _cause(scene, resource, found)


def _events(scene: Scene) -> Iterable[_Said]:
    nodes = {
        (kind, text(item, "metadata", "name")): text(item, "status", "nodeName")
        for kind in ("NodeClaim", "Machine")
        for item in scene.observed.of_kind(kind)
    }
    for event in sorted(scene.observed.events, key=lambda item: (item.last, item.name)):
        if found := _NOT_REGISTERED.search(event.message):
            resource, proof = found["one"] or found["other"], Evidence(event.source, event.message)
            known = event.name if event.kind == "Node" else nodes.get((event.kind, event.name))
            for node in [known] if known else _uninitialised(scene):
                yield _Said(node, resource, proof)


def _uninitialised(scene: Scene) -> list[str]:
    """Nodes that Karpenter has made and does not count as initialised yet."""
    return [
        node.name
        for node in scene.nodes.values()
        if any(key in node.labels for key in ("karpenter.sh/nodepool", "karpenter.sh/registered"))
        and node.labels.get("karpenter.sh/initialized") != "true"
    ]


def _claims(scene: Scene) -> Iterable[_Said]:
    for item in scene.observed.of_kind("NodeClaim"):
        name = text(item, "metadata", "name")
        for condition in children(item, "status", "conditions"):
            said = text(condition, "message")
            found = _NOT_REGISTERED.search(said)
            if found and text(condition, "status") != "True":
                node = text(item, "status", "nodeName") or name
                source = f"condition {text(condition, 'type')} of NodeClaim {name}"
                yield _Said(node, found["one"] or found["other"], Evidence(source, said))


def _is_there(scene: Scene, said: _Said) -> bool:
    """Whether the node offers it by now; a node that is gone can be judged no more."""
    node = scene.nodes.get(said.node)
    if node is None:
        return said.node not in _claimed(scene)
    offer = node.offer(said.resource)
    return offer is not None and offer.allocatable > 0


def _claimed(scene: Scene) -> frozenset[str]:
    return frozenset(text(it, "metadata", "name") for it in scene.observed.of_kind("NodeClaim"))


def _cause(scene: Scene, resource: str, found: list[_Said]) -> Cause:
    nodes = tuple(sorted({item.node for item in found}))
    plugin = _plugin(scene, resource)
    why, proof = _why(scene, plugin, nodes)
    others = [node.name for node in scene.nodes.values() if _offers(scene, node.name, resource)]
    return Cause(
        message=f"the autoscaler waits for {resource} on {', '.join(nodes)}, which the device "
        f"plugin has not brought there{why}",
        blame=Blame.PLACEMENT,
        object=ObjectRef("v1", "Node", "", nodes[0]),
        nodes=nodes,
        explains=(*(devices_key(node, resource) for node in nodes), resource_key(resource)),
        evidence=(*dict.fromkeys(item.evidence for item in found), *proof)[:5],
        refuted_by=f"the nodes show {resource} by now",
        ruled_out=(
            *(
                (RuledOut("a plugin that works nowhere", f"{others[0]} offers it"),)
                if others
                else ()
            ),
            *(
                (RuledOut("devices in use", f"{nodes[0]} has never shown {resource}"),)
                if nodes[0] in scene.nodes and scene.nodes[nodes[0]].offer(resource) is None
                else ()
            ),
        ),
        actions=_actions(plugin, nodes[0]),
        rollback_helps=RollbackHelps.UNKNOWN,
    )


def _offers(scene: Scene, node: str, resource: str) -> bool:
    offer = scene.nodes[node].offer(resource)
    return offer is not None and offer.allocatable > 0


def _plugin(scene: Scene, resource: str) -> Plugin | None:
    named = [it for it in scene.plugins if resource in it.resources]
    named += [it for it in scene.plugins if it.family.offers(resource)]
    return named[0] if named else None


def _why(scene: Scene, plugin: Plugin | None, nodes: Iterable[str]) -> tuple[str, list[Evidence]]:
    """What keeps the plugin from the first node, as far as its DaemonSet tells."""
    if plugin is None:
        return "; no plugin that offers it is in the cluster", []
    ref = plugin.component.ref
    for name in nodes:
        node = scene.nodes.get(name)
        if node is None:
            continue
        if why := misfit(plugin.component.template, node):
            return f": {ref} {why}", [Evidence(f"{ref} on node {name}", why)]
        pod = plugin.pod_on(name)
        if pod is None:
            return f": {ref} has no pod there", [Evidence(f"pods on node {name}", "none of it")]
        state = "ready" if pod.ready else f"{pod.phase}, not ready"
        return f": pod {pod.ref} is {state}", [Evidence(f"status of pod {pod.ref}", state)]
    return "", []


def _actions(plugin: Plugin | None, node: str) -> tuple[Action, ...]:
    look = Action(
        text="See which taints and labels the new node has", command=f"kubectl describe node {node}"
    )
    if plugin is None:
        return (look, Action(text="Install the device plugin for these nodes"))
    component = plugin.component
    return (
        look,
        Action(
            text="Let the plugin onto new nodes: tolerate their start-up taints, select their "
            "labels, mend its pod there",
            command=f"kubectl edit daemonset/{component.name} -n {component.namespace}",
        ),
    )


RULE = DiagnosisRule(
    name="autoscaler-waits-for-resource",
    severity=Severity.ERROR,
    level=4,
    cases=("CONF-6",),
    references=(
        "aws/karpenter-provider-aws#3794",
        "aws/karpenter-provider-aws#1459",
        "aws/karpenter-provider-aws#1914",
    ),
    needs=frozenset({Need.NODES, Need.EVENTS}),
    helped_by=frozenset({Need.DAEMON_SETS, Need.PODS}),
    check=_check,
)
