"""The plugin's priority class is not allowed in its namespace.

Finds: a DaemonSet about devices whose pods the API server refuses, because no ResourceQuota of the
namespace covers their priority class.

Why: a cluster can be set up so that system-node-critical and system-cluster-critical are taken only
in namespaces with a ResourceQuota of that scope. The same DaemonSet works in kube-system, which has
one, and gets no pod elsewhere.

Sure: the FailedCreate event says insufficient quota to match these scopes, and names PriorityClass.

Do: create a ResourceQuota with that scope in the namespace, or use another priority class.
"""

from collections.abc import Iterable

from bridgehead.core.diagnose import remedies
from bridgehead.core.diagnose.cause import Action, Blame, Cause, RollbackHelps, RuledOut
from bridgehead.core.diagnose.creation_refusals import Check, Refused, refused_components
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.core.model.json import text


def _check(scene: Scene) -> Iterable[Cause]:
    for item in refused_components(scene, Check.PRIORITY_QUOTA):
        yield _cause(item)


def _cause(item: Refused) -> Cause:
    component = item.component
    name = text(component.template, "spec", "priorityClassName") or "its priority class"
    return Cause(
        message=(
            f"the API server refuses pods of {component.ref}: no ResourceQuota in namespace "
            f"{component.namespace} covers {name}"
        ),
        blame=Blame.CONFIGURATION,
        evidence=item.evidence,
        refuted_by=f"a ResourceQuota with the scope of {name} in {component.namespace}",
        object=item.object,
        nodes=item.nodes,
        explains=(item.key,),
        actions=(
            Action(
                text=f"Create a ResourceQuota in {component.namespace} whose scopeSelector names "
                f"PriorityClass In [{name}].",
                command=f"kubectl create quota device-plugins -n {component.namespace} "
                "--hard=pods=1000 --dry-run=client -o yaml",
            ),
            remedies.edit(component, "Or give the template another priorityClassName."),
        ),
        rollback_helps=RollbackHelps.UNKNOWN,
        ruled_out=(RuledOut("Pod Security", "the refusal names a scope of quotas"),),
    )


RULE = DiagnosisRule(
    name="priority-class-refused-pod",
    severity=Severity.ERROR,
    level=1,
    references=("https://kubernetes.io/docs/concepts/policy/resource-quotas/",),
    needs=frozenset({Need.DAEMON_SETS, Need.EVENTS}),
    helped_by=frozenset({Need.RESOURCE_QUOTAS, Need.DRY_RUNS}),
    check=_check,
)
