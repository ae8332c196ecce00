"""The plugin does not tolerate a taint of nodes that have its devices.

Finds: nodes with devices that meet everything that the plugin's DaemonSet asks of labels, and have
a taint that it does not tolerate: no toleration for the key, or Equal with another value.

Why: the controller wants no pod on a node with an untolerated taint and says nothing about it. The
node offers no devices, and pods that do tolerate the taint wait for them.

Sure: compare spec.taints of the node with spec.template.spec.tolerations. The former annotation
scheduler.alpha.kubernetes.io/critical-pod has no effect any more.

Do: add a toleration with operator Exists for the key, also for those of spot pools.
"""

from collections.abc import Iterable

from bridgehead.core.diagnose import remedies
from bridgehead.core.diagnose.cause import Blame, Cause, RollbackHelps, RuledOut
from bridgehead.core.diagnose.left_out import LeftOut, left_out
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.unserved import Reason
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.json import canonical, children


def _check(scene: Scene) -> Iterable[Cause]:
    for item in left_out(scene, Reason.TAINT):
        yield _cause(item)


def _cause(item: LeftOut) -> Cause:
    first = item.first
    taints = sorted({it.taint for each in item.items for it in each.misfits if it.taint}, key=str)
    named = ", ".join(map(str, taints))
    tolerations = list(children(item.component.template, "spec", "tolerations"))
    return Cause(
        message=f"{item.component.ref} leaves out {item.where}: it does not tolerate {named}",
        blame=Blame.PLACEMENT,
        evidence=(
            Evidence(f"taints of node {first.node.name}", ", ".join(map(str, first.node.taints))),
            Evidence(f"tolerations of {item.component.ref}", canonical(tolerations)),
            *first.signs[:2],
        ),
        refuted_by="the taint removed from one of the nodes, and still no pod there",
        object=item.object,
        nodes=item.nodes,
        explains=item.explains,
        actions=tuple(
            remedies.edit(
                item.component,
                f"Add a toleration {{key: {key}, operator: Exists, effect: {effect}}}.",
            )
            for key, effect in sorted({(taint.key, taint.effect) for taint in taints})
        ),
        rollback_helps=RollbackHelps.NO,
        ruled_out=(RuledOut("labels", f"{item.where} {item.meets} everything it asks of labels"),),
    )


RULE = DiagnosisRule(
    name="taint-not-tolerated",
    severity=Severity.ERROR,
    level=1,
    cases=("PLACE-4",),
    references=("NVIDIA#68", "nebari-dev/nebari#3074", "Azure/AKS#4418"),
    needs=frozenset({Need.NODES, Need.DAEMON_SETS}),
    helped_by=frozenset({Need.REVISIONS, Need.HISTORY, Need.PODS}),
    check=_check,
)
