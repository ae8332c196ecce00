"""A device plugin has no priority class.

Finds: a device plugin without priorityClassName.

Why: under pressure its pod is preempted or evicted like any other, and the node has no devices
until it is back.

Sure: kubectl get pod -o yaml shows the priority that was given; a cluster-wide default class may
have given one.

Do: set a class that the namespace may use, such as system-node-critical.
"""

from collections.abc import Iterable

from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.manifest import Linted, Violation
from bridgehead.core.findings.rule import LintRule
from bridgehead.core.findings.security_context import POD_SPEC


def _check(linted: Linted) -> Iterable[Violation]:
    if linted.cluster and any(
        item.get("globalDefault") is True for item in linted.cluster.of_kind("PriorityClass")
    ):
        return
    for plugin in linted.plugins:
        if not plugin.at((*POD_SPEC, "priorityClassName")):
            yield Violation(
                manifest=plugin,
                path=POD_SPEC,
                message="no priorityClassName: the plugin can be preempted, its devices too",
            )


RULE = LintRule(
    name="no-priority-class",
    severity=Severity.WARNING,
    references=(
        "https://kubernetes.io/docs/concepts/scheduling-eviction/pod-priority-preemption/",
    ),
    check=_check,
)
