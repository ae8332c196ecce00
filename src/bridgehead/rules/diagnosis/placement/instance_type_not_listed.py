"""The plugin lists the instance types it runs on, and the node's is not among them.

Finds: a device plugin's DaemonSet whose node affinity lists instance types and leaves out nodes of
other types that have devices too.

Why: such a list ends with the types of the day on which it was written. On newer ones there is no
pod, no event and no resource; workloads fall back to something slower, or wait for ever.

Sure: the node's label node.kubernetes.io/instance-type is not in the list; everything else of the
affinity it meets.

Do: add the type, or better select a label of capability that the node pool sets. A nodeSelector
beside the list helps nothing, as both must match.
"""

from collections.abc import Iterable

from bridgehead.core.diagnose import remedies
from bridgehead.core.diagnose.cause import Blame, Cause, RollbackHelps, RuledOut
from bridgehead.core.diagnose.left_out import LeftOut, left_out
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.unserved import INSTANCE_TYPES, Reason
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.core.journal.entry import Evidence


def _check(scene: Scene) -> Iterable[Cause]:
    for item in left_out(scene, Reason.INSTANCE_TYPE):
        yield _cause(item)


def _cause(item: LeftOut) -> Cause:
    first = item.first
    asked = next(it for it in first.failing if it.key in INSTANCE_TYPES)
    types = sorted({each.node.labels.get(asked.key, "none") for each in item.items})
    named = ", ".join(types)
    return Cause(
        message=(
            f"{item.component.ref} leaves out {item.where}: instance type {named} is not among the "
            f"{len(asked.values)} that its node affinity lists"
        ),
        blame=Blame.PLACEMENT,
        evidence=(
            Evidence(f"template of {item.component.ref}", str(asked)),
            Evidence(
                f"labels of node {first.node.name}",
                f"{asked.key}={first.node.labels.get(asked.key, '')}",
            ),
            *first.signs[:2],
        ),
        refuted_by="a node of a listed type that is left out as well",
        object=item.object,
        nodes=item.nodes,
        explains=item.explains,
        actions=(
            remedies.edit(
                item.component,
                f"Add {named} to the list, or select a label that the node pool sets.",
            ),
        ),
        rollback_helps=RollbackHelps.NO,
        ruled_out=(
            RuledOut("a label that is missing", f"{asked.key} is there, with another value"),
        ),
    )


RULE = DiagnosisRule(
    name="instance-type-not-listed",
    severity=Severity.ERROR,
    level=1,
    cases=("PLACE-3",),
    references=("aws/eks-charts#1348", "aws-samples/aws-do-eks#56"),
    needs=frozenset({Need.NODES, Need.DAEMON_SETS}),
    helped_by=frozenset({Need.REVISIONS, Need.HISTORY, Need.PODS}),
    check=_check,
)
