"""The driver is in use and cannot be replaced.

Finds: a driver's pod that does not come up, because the loaded driver cannot be unloaded: pods of
the node use it.

Why: pods with devices hold the module, and so do pods that use the runtime class without asking for
a device, and DaemonSets, which a drain leaves. The upgrade stops with the node half done.

Sure: the log of the driver's pod says that the driver is in use; the node's label
nvidia.com/gpu-driver-upgrade-state stays where it is.

Do: free the node first: drain it, and stop DaemonSets that use the devices; then let the driver's
pod try again.
"""

from collections.abc import Iterable, Sequence

from bridgehead.core.diagnose.cause import Action, Blame, Cause, Risk, RollbackHelps, RuledOut
from bridgehead.core.diagnose.operand_faults import (
    OperandFault,
    behind,
    by_operand,
    nodes_of,
    operand_faults,
    proof_of,
)
from bridgehead.core.diagnose.reach import listed
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.json import text
from bridgehead.core.model.pod import Pod

_STATE = "nvidia.com/gpu-driver-upgrade-state"


def _check(scene: Scene) -> Iterable[Cause]:
    found = [item for item in operand_faults(scene) if item.quote("driver-busy")]
    for items in by_operand(found):
        yield _cause(scene, items)


def _cause(scene: Scene, items: Sequence[OperandFault]) -> Cause:
    first = items[0]
    quote = first.quote("driver-busy")
    assert quote is not None
    nodes = nodes_of(items)
    holders = [pod.ref for pod in scene.pods_on(first.pod.node) if _holds(scene, pod)]
    labels = scene.nodes[first.pod.node].labels if first.pod.node in scene.nodes else {}
    state = Evidence(f"labels of node {first.pod.node}", f"{_STATE}={labels.get(_STATE)}")
    return Cause(
        message=(
            f"{first.component.ref} on {listed(nodes)}: the loaded driver is in use and cannot be "
            f"replaced{f'; held by {listed(holders)}' if holders else ''}"
        ),
        blame=Blame.BELOW,
        evidence=(
            quote.evidence,
            *proof_of(first),
            *((state,) if _STATE in labels else ()),
        ),
        refuted_by="a node without any pod that uses devices, and the same line",
        object=first.object,
        nodes=nodes,
        explains=behind(scene, items),
        actions=(
            Action(
                text=f"Free {nodes[0]} of everything that uses its devices, then let the pod of "
                "the driver try again; one node after the other.",
                command=f"kubectl drain {nodes[0]} --ignore-daemonsets --delete-emptydir-data",
                risk=Risk.WORKLOADS,
                rung="runbook",
            ),
        ),
        rollback_helps=RollbackHelps.NO,
        ruled_out=(RuledOut("the plugin", "its pod only waits for the driver"),),
    )


def _holds(scene: Scene, pod: Pod) -> bool:
    """It has devices, or runs on the vendor's runtime without asking for any."""
    if pod.terminal or not pod.bound:
        return False
    return bool(pod.requests) or "nvidia" in text(scene.raw(pod), "spec", "runtimeClassName")


RULE = DiagnosisRule(
    name="driver-in-use",
    severity=Severity.ERROR,
    level=2,
    cases=("RUN-12",),
    references=("gpu-op#2509", "gpu-op#2166", "gpu-op#2570"),
    needs=frozenset({Need.PODS, Need.NODES, Need.DAEMON_SETS}),
    helped_by=frozenset({Need.LOGS}),
    supersedes=frozenset(
        {"plugin-crashes", "operand-fails", "driver-not-visible", "plugin-never-registers"}
    ),
    check=_check,
)
