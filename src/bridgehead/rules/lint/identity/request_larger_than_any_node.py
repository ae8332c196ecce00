"""A pod asks for more devices than any node has.

Finds: a pod whose containers together ask for more of an extended resource than the node with the
most of them has, broken ones included. On node pools that an autoscaler may empty it is a warning,
since a larger node may come. Nothing is said where the manifests change the plugin of the resource.

Why: all devices of a pod come from one node. The pod stays Pending however many are free elsewhere.

Sure: kubectl get nodes -o custom-columns=NAME:.metadata.name,CAPACITY:.status.capacity

Do: ask for fewer devices in one pod, and spread the work over several pods.
"""

from collections.abc import Iterable

from bridgehead.core.findings.device_requests import device_requests
from bridgehead.core.findings.eligible import nodes_of
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.manifest import Linted, Violation
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.offered_names import OfferedNames
from bridgehead.core.findings.quotas import asked_of_a_pod
from bridgehead.core.findings.rule import LintRule
from bridgehead.core.journal.entry import Evidence


def _check(linted: Linted) -> Iterable[Violation]:
    most = _most(linted)
    names: OfferedNames | None = None
    for manifest in linted.with_pods:
        asked = asked_of_a_pod(manifest)
        paths = {item.resource: item.path for item in reversed(list(device_requests(manifest)))}
        for name, path in sorted(paths.items()):
            count, node = most.get(name, (0, ""))
            if not 0 < count < asked.get(name, 0):
                continue
            names = names or OfferedNames(linted)
            if names.changes(name):
                continue
            pool = ", unless a pool brings a larger one" if names.pooled else ""
            yield Violation(
                manifest=manifest,
                path=path,
                message=f"a pod of it asks for {asked[name]:f} {name}, and no node has more than "
                f"{count}: it will wait for ever{pool}",
                severity=Severity.WARNING if names.pooled else None,
                evidence=(Evidence(f"status of node {node}", f"{name}: {count}"),),
            )


def _most(linted: Linted) -> dict[str, tuple[int, str]]:
    """By resource the most devices that a node has, and the first such node."""
    found: dict[str, tuple[int, str]] = {}
    for node in nodes_of(linted):
        for name, offer in node.offers.items():
            count = max(offer.capacity, offer.allocatable)
            if count > found.get(name, (0, ""))[0]:
                found[name] = (count, node.name)
    return found


RULE = LintRule(
    name="request-larger-than-any-node",
    severity=Severity.ERROR,
    references=("https://kubernetes.io/docs/tasks/administer-cluster/extended-resource-node/",),
    needs=frozenset({Need.NODES, Need.DAEMON_SETS}),
    check=_check,
)
