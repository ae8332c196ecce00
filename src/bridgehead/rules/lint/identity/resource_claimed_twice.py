"""Two plugins offer one resource on the same nodes.

Finds: two device plugins that claim the same resource name and can have pods on one node: among the
manifests, beside one that stands in the cluster, or beside the one that is built into Bottlerocket.

Why: the list of the one that registered last counts, so counts change at every restart of either,
and devices are handed out twice. A kubelet of 1.30 loses the resource when either ends; one of 1.37
keeps it, but refuses the second under an equal socket name and then offers what nobody serves.

Sure: kubectl get pods -A -o wide --field-selector spec.nodeName=NODE: two plugins of one vendor.

Do: leave one claimant a node: keep one of them away by affinity, or switch off the one that an
operator, an add-on or the node image brings.
"""

from collections.abc import Iterable, Iterator

from bridgehead.core.components.family import family_of
from bridgehead.core.components.registration import is_device_plugin
from bridgehead.core.components.resources import offered_by
from bridgehead.core.findings.claimants import (
    Claimant,
    claimed_by,
    names_of,
    share_nodes,
    standing_names,
)
from bridgehead.core.findings.configurations import configurations
from bridgehead.core.findings.eligible import eligible_nodes
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.manifest import Doubt, Linted, Manifest, Violation, component_of
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import LintRule
from bridgehead.core.findings.standing import few
from bridgehead.core.model.confidence import Confidence
from bridgehead.core.model.node import Node


def _check(linted: Linted) -> Iterable[Violation | Doubt]:
    every = configurations(linted)
    plugins = linted.plugins
    claims = [claimed_by(plugin, component_of(plugin), every) for plugin in plugins]
    standing = list(_standing(linted, plugins))
    nodes = _nodes(linted)
    for number, (plugin, own) in enumerate(zip(plugins, claims, strict=True)):
        rivals: dict[str, list[str]] = {}
        for other in (*claims[number + 1 :], *standing):
            names = few(sorted(own.names & other.names))
            if not names or other.component.ref == own.component.ref:
                continue
            meet = share_nodes(own.component.template, other.component.template, nodes)
            if meet:
                rivals.setdefault(names, []).append(other.component.ref)
            elif meet is None:
                yield Doubt(
                    why=f"whether {own.component.ref} and {other.component.ref}, which both offer"
                    f" {names}, can be on one node"
                )
        for names, refs in rivals.items():
            yield Violation(
                manifest=plugin,
                path=("metadata", "name"),
                message=f"{own.component.ref} and {few(refs)} both offer {names} on the same nodes",
            )
        yield from _built_in(linted, plugin)


def _nodes(linted: Linted) -> tuple[Node, ...] | None:
    if linted.cluster is None or not linted.cluster.has(Need.NODES):
        return None
    return linted.cluster.snapshot.nodes


def _standing(linted: Linted, plugins: tuple[Manifest, ...]) -> Iterator[Claimant]:
    """Plugins of the cluster that are not among the manifests, with what they offer for sure."""
    if linted.cluster is None:
        return
    written = {(item.ref.namespace, item.ref.name) for item in plugins}
    left_open = {name for namespace, name in written if not namespace}
    snapshot = linted.cluster.snapshot
    offered = offered_by(snapshot.components, snapshot.nodes, snapshot.pods)
    for live in snapshot.components:
        if (live.namespace, live.name) in written or live.name in left_open:
            continue
        if not is_device_plugin(live):
            continue
        found = offered.get(live.ref)
        sure = found is not None and found.confidence is not Confidence.LOW
        offers = found.resources if found and sure else names_of(live.template)
        yield Claimant(live, standing_names(live.template, offers))


def _built_in(linted: Linted, plugin: Manifest) -> Iterator[Violation]:
    """Bottlerocket's variants for NVIDIA run the plugin as a service of the host."""
    if family_of(plugin.template).name not in ("nvidia", "hami"):
        return
    hosts = [
        node.name
        for node in eligible_nodes(linted, plugin)
        if "Bottlerocket" in node.os_image and "nvidia" in node.os_image
    ]
    if hosts:
        yield Violation(
            manifest=plugin,
            path=("metadata", "name"),
            message=f"Bottlerocket's image on {few(hosts)} has NVIDIA's plugin built in, and this"
            " is a second one",
        )


RULE = LintRule(
    name="resource-claimed-twice",
    severity=Severity.ERROR,
    references=(
        "bottlerocket-os/bottlerocket#4309",
        "bottlerocket-os/bottlerocket#3849",
        "kubernetes#127803",
    ),
    helped_by=frozenset({Need.NODES, Need.DAEMON_SETS, Need.PODS}),
    check=_check,
)
