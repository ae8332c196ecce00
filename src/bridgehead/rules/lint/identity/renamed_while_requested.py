"""A plugin's configuration takes away a resource name that is still asked for.

Finds: a configuration under which a resource is offered by another name than now, while pods,
workloads or quotas ask for the present one and no other node is left that offers it.

Why: pods that ask for the old name stay Pending beside free devices. The old name stays in the
node's status with 0, so that it looks like a broken plugin.

Sure: kubectl get nodes -o custom-columns=NAME:.metadata.name,CAPACITY:.status.capacity, and
kubectl get pods -A -o yaml for the name.

Do: change configuration and workloads together, quotas and limit ranges included, or keep the name.
"""

from collections.abc import Iterable, Iterator

from bridgehead.core.components.resources import offered_by
from bridgehead.core.findings.configurations import Configuration, configurations
from bridgehead.core.findings.eligible import eligible_nodes
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.manifest import Linted, Violation, containers
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import LintRule
from bridgehead.core.findings.standing import few, standing
from bridgehead.core.model.json import child, text, texts


def _check(linted: Linted) -> Iterable[Violation]:
    every = configurations(linted)
    kept = {item.name for found in every for item in found.names}
    for found in every:
        for old, new in _lost(linted, found):
            askers = sorted(set(_askers(linted, old)))
            if askers and old not in kept and not _plain_sibling(every, found):
                yield Violation(
                    manifest=found.manifest,
                    path=found.path,
                    message=f"{found.key} leads to {new} instead of {old}, which {few(askers, 3)}"
                    " ask for",
                )


def _lost(linted: Linted, found: Configuration) -> Iterator[tuple[str, str]]:
    """Names that go, each with what comes."""
    outside = _outside(linted, found)
    for item in found.names:
        if item.instead_of and item.instead_of not in outside:
            yield item.instead_of, item.name
    live = standing(linted, found.plugin)
    if live is None or linted.cluster is None or found.form.family == "nvidia":
        return
    snapshot = linted.cluster.snapshot
    offered = offered_by(snapshot.components, snapshot.nodes, snapshot.pods).get(live.ref)
    names = sorted(item.name for item in found.names)
    # A name of another domain may be another plugin's: what this one offers is only inferred.
    domains = {name.partition("/")[0] for name in names}
    for old in offered.resources if offered else ():
        if old not in names and old not in outside and old.partition("/")[0] in domains:
            yield old, few(names, 3)


def _outside(linted: Linted, found: Configuration) -> frozenset[str]:
    """Names that nodes offer on which the plugin does not run."""
    if linted.cluster is None:
        return frozenset()
    inside = {node.name for node in eligible_nodes(linted, found.plugin)}
    return frozenset(
        name
        for node in linted.cluster.snapshot.nodes
        if node.name not in inside
        for name, offer in node.offers.items()
        if offer.allocatable
    )


def _plain_sibling(every: Iterable[Configuration], found: Configuration) -> bool:
    """Whether the same plugin has another file, which its nodes may use instead."""
    return any(
        other.plugin is found.plugin and (other.manifest, other.key) != (found.manifest, found.key)
        for other in every
    )


def _askers(linted: Linted, name: str) -> Iterator[str]:
    for manifest in linted.with_pods:
        for _, container in containers(manifest):
            if name in texts(container, "resources", "limits") or child(
                container, "resources", "limits", name
            ):
                yield str(manifest.ref)
    if linted.cluster is None:
        return
    for pod in linted.cluster.snapshot.pods:
        if pod.requests.get(name) and not pod.terminal:
            yield f"pod {pod.ref}"
    for quota in linted.cluster.of_kind("ResourceQuota"):
        if child(quota, "spec", "hard", f"requests.{name}") is not None:
            where = f"{text(quota, 'metadata', 'namespace')}/{text(quota, 'metadata', 'name')}"
            yield f"quota {where}"


RULE = LintRule(
    name="renamed-while-requested",
    severity=Severity.ERROR,
    references=("NVIDIA#240", "intel#205", "gpu-operator#551", "kubernetes#92396"),
    helped_by=frozenset({Need.NODES, Need.PODS, Need.RESOURCE_QUOTAS, Need.DAEMON_SETS}),
    check=_check,
)
