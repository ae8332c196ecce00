"""What the plugin waits for fails.

Finds: plugin pods that do not come past an init container, and the driver's or toolkit's pod on the
same node that is not as it should be.

Why: operators let a plugin wait until driver and toolkit are validated. The plugin is sound and has
nothing to start with; its own log is empty.

Sure: kubectl get pods -o wide shows Init:0/1 for the plugin, and which pod of the same node crashes
or is not ready.

Do: repair that operand first; the plugin goes on by itself.
"""

from collections.abc import Iterable, Sequence

from bridgehead.core.diagnose.cause import Action, Blame, Cause, RollbackHelps, RuledOut
from bridgehead.core.diagnose.operand_faults import (
    OperandFault,
    behind,
    by_operand,
    nodes_of,
    operand_faults,
    proof_of,
    waiting_in,
)
from bridgehead.core.diagnose.reach import listed
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.core.model.confidence import Confidence


def _check(scene: Scene) -> Iterable[Cause]:
    found = [
        item
        for item in operand_faults(scene)
        if not item.quotes and any(waiting_in(post) for post in item.posts)
    ]
    for items in by_operand(found):
        yield _cause(scene, items)


def _cause(scene: Scene, items: Sequence[OperandFault]) -> Cause:
    first, nodes = items[0], nodes_of(items)
    return Cause(
        message=(
            f"{first.component.ref} on {listed(nodes)} fails, and plugins there wait for the "
            f"{first.operand.value}: {first.why}"
        ),
        blame=Blame.BELOW,
        evidence=proof_of(first),
        refuted_by="its pod ready, and the plugin still in its init container",
        object=first.object,
        nodes=nodes,
        explains=behind(scene, items),
        actions=(
            Action(
                text=f"Find out why the {first.operand.value} fails; nothing at the plugin helps.",
                command=f"kubectl logs -n {first.pod.namespace} {first.pod.name} --all-containers "
                "--prefix --tail=100",
            ),
        ),
        rollback_helps=RollbackHelps.NO,
        ruled_out=(RuledOut("the plugin", "its pod only waits, and has not started"),),
    )


RULE = DiagnosisRule(
    name="operand-fails",
    severity=Severity.ERROR,
    confidence=Confidence.MEDIUM,
    level=2,
    references=("https://github.com/NVIDIA/gpu-operator/tree/main/validator",),
    needs=frozenset({Need.PODS, Need.NODES, Need.DAEMON_SETS}),
    helped_by=frozenset({Need.LOGS}),
    supersedes=frozenset({"plugin-never-registers"}),
    check=_check,
)
