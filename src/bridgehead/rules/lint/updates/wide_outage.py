"""An update may take the devices of several nodes away at once.

Finds: a device plugin with RollingUpdate whose maxUnavailable is above 1 or a percentage; with a
cluster only where that comes to more than one of the nodes it runs on.

Why: every pod that is replaced takes its node's devices away until the new one has registered, as
long as image pull and start take, and a bad version takes that many nodes before it shows.

Sure: count the nodes: kubectl get daemonset NAME -o jsonpath='{.status.desiredNumberScheduled}'.

Do: set maxUnavailable to 1, or let cohorts go one after the other under OnDelete.
"""

from collections.abc import Iterable, Mapping

from bridgehead.core.findings.eligible import eligible_nodes
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.manifest import Linted, Manifest, Violation
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import LintRule
from bridgehead.core.inventory.budget import Budget, budget_of
from bridgehead.core.model.confidence import Confidence


def _check(linted: Linted) -> Iterable[Violation]:
    for plugin in linted.plugins:
        strategy = plugin.at(("spec", "updateStrategy"))
        budget = budget_of(strategy) if isinstance(strategy, Mapping) else None
        if budget is None or budget.unavailable in (None, 0, 1, "0%"):
            continue
        width, sure = _width(linted, plugin, budget)
        if width:
            yield Violation(
                manifest=plugin,
                path=("spec", "updateStrategy", "rollingUpdate", "maxUnavailable"),
                message=f"maxUnavailable is {budget.unavailable}: up to {width} offer no devices"
                " at a time while it is updated",
                confidence=sure,
            )


def _width(linted: Linted, plugin: Manifest, budget: Budget) -> tuple[str, Confidence]:
    """How many nodes in words; empty where it is only one."""
    if linted.cluster is None or not linted.cluster.has(Need.NODES):
        percent = isinstance(budget.unavailable, str)
        of = f"{budget.unavailable} of its nodes" if percent else f"{budget.unavailable} nodes"
        return of, Confidence.MEDIUM
    nodes = len(eligible_nodes(linted, plugin))
    wide = min(budget.at_once(nodes) or 0, nodes)
    return (f"{wide} of {nodes} nodes" if wide > 1 else ""), Confidence.HIGH


RULE = LintRule(
    name="wide-outage",
    severity=Severity.WARNING,
    references=(
        "https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/daemon-set-v1/",
    ),
    helped_by=frozenset({Need.NODES}),
    check=_check,
)
