"""The plugin's priority class does not exist, or may not be used in its namespace.

Finds: a priorityClassName that neither the cluster nor the manifests have; or a dry run that was
refused for a quota of priority classes.

Why: the DaemonSet is accepted and its pods are refused when they are created. Clusters may allow
system-node-critical and system-cluster-critical only in namespaces with a ResourceQuota of that
scope; the same manifest then works in kube-system and nowhere else.

Sure: kubectl get priorityclass, and kubectl create --dry-run=server of a pod from the template in
that namespace.

Do: create the class, use another one, or add a ResourceQuota with the scope PriorityClass.
"""

from collections.abc import Iterable

from bridgehead.core.findings.dry_run import dry_run_of
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.manifest import Linted, Violation
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import LintRule
from bridgehead.core.findings.security_context import POD_SPEC
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.json import text
from bridgehead.core.model.priority_classes import BUILT_IN

_PATH = (*POD_SPEC, "priorityClassName")
_QUOTA = "insufficient quota to match these scopes"


def _check(linted: Linted) -> Iterable[Violation]:
    if linted.cluster is None:
        return
    known = {text(item, "metadata", "name") for item in linted.cluster.of_kind("PriorityClass")}
    known |= {item.ref.name for item in linted.of_kind("PriorityClass")} | BUILT_IN
    for plugin in linted.plugins:
        name = plugin.at(_PATH)
        if isinstance(name, str) and name and name not in known:
            yield Violation(
                manifest=plugin,
                path=_PATH,
                message=f"there is no priority class {name}: no pod of this plugin will be created",
            )
            continue
        said = text(dry_run_of(linted, plugin), "message")
        if _QUOTA in said:
            yield Violation(
                manifest=plugin,
                path=_PATH,
                message=f"namespace {plugin.ref.namespace} may not use the priority class {name}",
                evidence=(Evidence("server dry run", said),),
            )


RULE = LintRule(
    name="priority-class-refused",
    severity=Severity.ERROR,
    references=(
        "https://kubernetes.io/docs/concepts/policy/resource-quotas/#limit-priority-class-consumption-by-default",
    ),
    needs=frozenset({Need.PRIORITY_CLASSES}),
    helped_by=frozenset({Need.DRY_RUNS}),
    check=_check,
)
