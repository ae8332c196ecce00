"""From a snapshot to its inventory: pure, sorted, the same for the same cluster in any order."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from bridgehead.core.components.registration import is_device_plugin
from bridgehead.core.components.resources import offered_by
from bridgehead.core.inventory.claims import Claims, claims, conflicts, dead_names
from bridgehead.core.inventory.cohort import Cohort, cohort_of, cohorts_of, splitting_key
from bridgehead.core.inventory.labels import telling
from bridgehead.core.inventory.placement import labels_asked_for
from bridgehead.core.inventory.plugins import component_row, other_rows
from bridgehead.core.inventory.skew import skew
from bridgehead.core.inventory.use import pods_by_node, pods_unread, resources_on
from bridgehead.core.inventory.view import (
    CohortView,
    ComponentRow,
    Inventory,
    NodeRow,
    VersionCount,
)
from bridgehead.core.model.node import Node
from bridgehead.core.model.snapshot import Snapshot
from bridgehead.core.plan.settings import CohortKey

MANY_COHORTS = 8
"""Above this many cohorts, one canary each is more than anybody means: name the key that splits."""

_ROLE = "node-role.kubernetes.io/"


def build_inventory(snapshot: Snapshot, keys: Sequence[CohortKey] = tuple(CohortKey)) -> Inventory:
    """The inventory of a snapshot, with cohorts by these keys."""
    nodes = sorted(snapshot.nodes, key=lambda item: item.name)
    pods = sorted(snapshot.pods, key=lambda item: item.ref)
    plugins = sorted(filter(is_device_plugin, snapshot.components), key=lambda item: item.ref)
    offered = offered_by(plugins, nodes, pods)
    daemons = [pod for pod in pods if pod.owner_kind == "DaemonSet"]
    components = tuple(
        component_row(item, snapshot, daemons, offered[item.ref]) for item in plugins
    )
    claimed = claims(components)
    asked_for = frozenset[str]().union(*(labels_asked_for(item.template) for item in plugins))
    rows = _node_rows(snapshot, nodes, keys, claimed, asked_for)
    cohorts = cohorts_of(_with_devices(nodes, components), keys)
    key = splitting_key(cohorts) if len(cohorts) > MANY_COHORTS else None
    return Inventory(
        at=snapshot.at,
        server=snapshot.server,
        kubelets=_kubelets(snapshot.server, nodes),
        cohorts=tuple(_cohort(cohort, members) for cohort, members in cohorts.items()),
        splitting_key=key.value if key else "",
        components=components,
        others=other_rows(pods),
        nodes=rows,
        conflicts=conflicts(claimed),
        dead_names=dead_names(rows),
        unread=tuple(sorted(snapshot.unread, key=lambda item: (item.what, item.why))),
    )


def _with_devices(nodes: Sequence[Node], components: Iterable[ComponentRow]) -> list[Node]:
    """Nodes that have devices or that a plugin may run on, as others need no canary.

    All nodes where none is such a node: before the first installation.
    """
    eligible = {name for row in components for name in row.eligible}
    return [node for node in nodes if node.offers or node.name in eligible] or list(nodes)


def _node_rows(
    snapshot: Snapshot,
    nodes: Iterable[Node],
    keys: Sequence[CohortKey],
    claimed: Claims,
    asked_for: frozenset[str],
) -> tuple[NodeRow, ...]:
    placed = pods_by_node(snapshot.pods)
    known = not pods_unread(snapshot)
    nothing: Mapping[str, tuple[str, ...]] = {}
    return tuple(
        NodeRow(
            name=node.name,
            cohort=cohort_of(node, keys).name,
            ready=node.ready,
            schedulable=not node.unschedulable,
            held_by=node.held_by,
            roles=_roles(node),
            taints=tuple(sorted(map(str, node.taints))),
            os_image=node.os_image,
            kernel=node.kernel,
            runtime=node.runtime,
            arch=node.arch,
            kubelet=node.kubelet,
            boot_id=node.boot_id,
            labels=telling(node.labels, asked_for),
            resources=resources_on(
                node,
                placed.get(node.name, ()),
                claimed.get(node.name, nothing),
                use_known=known,
            ),
        )
        for node in nodes
    )


def _roles(node: Node) -> tuple[str, ...]:
    return tuple(sorted(key.removeprefix(_ROLE) for key in node.labels if key.startswith(_ROLE)))


def _cohort(cohort: Cohort, members: Iterable[Node]) -> CohortView:
    return CohortView(
        name=cohort.name, keys=dict(cohort.values), nodes=tuple(node.name for node in members)
    )


def _kubelets(server: str, nodes: Iterable[Node]) -> tuple[VersionCount, ...]:
    counts = Counter(node.kubelet for node in nodes)
    return tuple(
        VersionCount(kubelet=version, nodes=count, skew=skew(server, version))
        for version, count in sorted(counts.items())
    )
