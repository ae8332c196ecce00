"""Pods that are already unavailable use up maxUnavailable.

Finds: a device plugin that stands in the cluster, is to be updated or is in the middle of it, and
has at least as many unavailable pods as maxUnavailable allows.

Why: the controller counts pods on dead nodes, too. It replaces nothing until one of them is
available again, so the update does not begin, or stands still, and reports no error.

Sure: kubectl get daemonset NAME shows AVAILABLE below DESIRED; kubectl get pods -o wide shows on
which nodes, and kubectl get nodes whether they are NotReady.

Do: remove or repair the dead nodes first, or raise maxUnavailable knowingly, or drive the update
under OnDelete and leave NotReady nodes out.
"""

from collections.abc import Iterable

from bridgehead.core.components.resources import pods_of
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.manifest import Linted, Manifest, Violation, component_of
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.observed import Observed
from bridgehead.core.findings.rule import LintRule
from bridgehead.core.findings.standing import few, standing, template_changes
from bridgehead.core.inventory.budget import budget_of
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.component import Component
from bridgehead.core.model.json import JsonObject, child


def _check(linted: Linted) -> Iterable[Violation]:
    assert linted.cluster is not None
    for plugin in linted.plugins:
        live = standing(linted, plugin)
        raw = linted.cluster.raw("DaemonSet", live.namespace, live.name) if live else None
        if live is None or raw is None:
            continue
        wanted, away = _count(raw, "desiredNumberScheduled"), _count(raw, "numberUnavailable")
        rolling = _count(raw, "updatedNumberScheduled") < wanted
        if not (rolling or template_changes(plugin, live.template)):
            continue
        budget = budget_of(component_of(plugin).strategy)
        most = budget.at_once(wanted) if budget else None
        if most and away >= most:
            yield _violation(linted.cluster, plugin, live, away, most)


def _violation(
    cluster: Observed, plugin: Manifest, live: Component, away: int, most: int
) -> Violation:
    unready = [pod for pod in pods_of(live, cluster.snapshot.pods) if not pod.ready]
    nodes = sorted({pod.node for pod in unready if pod.node and not pod.terminal})
    where = f" (on {few(nodes)})" if nodes else ""
    return Violation(
        manifest=plugin,
        path=("spec", "updateStrategy", "rollingUpdate", "maxUnavailable"),
        message=f"{away} of its pods are unavailable{where} and maxUnavailable allows {most}:"
        " no further pod will be replaced",
        evidence=(Evidence(live.ref, f"status.numberUnavailable: {away}"),),
    )


def _count(raw: JsonObject, field: str) -> int:
    value = child(raw, "status", field)
    return value if isinstance(value, int) else 0


RULE = LintRule(
    name="unavailability-budget-spent",
    severity=Severity.ERROR,
    references=(
        "kubernetes/test-infra#31706",
        "kubernetes#117204",
        "kubernetes#63465",
        "kubernetes#73011",
    ),
    needs=frozenset({Need.DAEMON_SETS}),
    helped_by=frozenset({Need.PODS}),
    check=_check,
)
