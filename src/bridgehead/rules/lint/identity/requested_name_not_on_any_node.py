"""A workload asks for a resource name that nothing in the cluster offers.

Finds: a container that asks for an extended resource which no node offers and no plugin, among the
manifests or in the cluster, is known to bring; with the name that differs by a slip of the pen, if
nodes offer one. Where a plugin's names are not known it is a doubt. On node pools that an
autoscaler may empty it is a warning, since a new node may bring the name.

Why: the scheduler compares names letter by letter. The pod stays Pending with "Insufficient", as if
all devices were in use.

Sure: kubectl get nodes -o custom-columns=NAME:.metadata.name,ALLOCATABLE:.status.allocatable

Do: ask for the name that is offered, or install or configure the plugin that offers this one.
"""

from collections.abc import Iterable

from bridgehead.core.components.intel_fpga import DOMAIN as FPGA
from bridgehead.core.findings.device_requests import device_requests
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.fpga import translated
from bridgehead.core.findings.manifest import Doubt, Linted, Violation
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.offered_names import OfferedNames, Standing
from bridgehead.core.findings.rule import LintRule
from bridgehead.core.model.confidence import Confidence
from bridgehead.core.model.quantity import amount


def _check(linted: Linted) -> Iterable[Violation | Doubt]:
    names: OfferedNames | None = None
    for manifest in linted.with_pods:
        for item in device_requests(manifest):
            written = item.request if item.limit is None else item.limit
            if amount(str(written)) == 0 or _is_translated(linted, item.resource):
                continue
            names = names or OfferedNames(linted)
            state = names.standing(item.resource)
            if state is Standing.OFFERED:
                continue
            near = names.near(item.resource)
            if state is Standing.POSSIBLE and not near:
                yield Doubt(
                    why=f"whether a plugin whose names are not known offers {item.resource}, "
                    "which no node has"
                )
                continue
            pool = ", unless a new node of a pool brings it" if names.pooled else ""
            instead = f"; nodes offer {near}" if near else ""
            yield Violation(
                manifest=manifest,
                path=item.path,
                message=f"container {item.container} asks for {item.resource}, which no node of "
                f"the cluster offers and no plugin is known to bring{instead}: "
                f"the pod will wait for ever{pool}",
                remedy=f"ask for {near}" if near else "",
                severity=Severity.WARNING if names.pooled else None,
            )


def _is_translated(linted: Linted, name: str) -> bool:
    """Whether a webhook may put another name in its place: fpga-mapping-mismatch judges those."""
    return name.startswith(FPGA) and translated(linted) is not False


RULE = LintRule(
    name="requested-name-not-on-any-node",
    severity=Severity.ERROR,
    confidence=Confidence.MEDIUM,
    references=("https://kubernetes.io/docs/tasks/administer-cluster/extended-resource-node/",),
    needs=frozenset({Need.NODES, Need.DAEMON_SETS, Need.PODS}),
    helped_by=frozenset({Need.WEBHOOKS}),
    check=_check,
)
