"""The kernel refuses the driver.

Finds: a driver's pod that does not come up, and whose log says that the kernel does not load its
module, or that another driver holds the device.

Why: Secure Boot takes signed modules only; nouveau may own the card; SELinux may forbid loading; a
module may be built for another kernel. Plugins behind it wait in their init containers and offer
nothing.

Sure: the plugin's pod is Init:0/1 and healthy otherwise; the log of the driver's pod on the same
node has the kernel's answer. On the node: dmesg.

Do: sign and enrol the module or use precompiled signed drivers, blacklist nouveau, or mend the
policy. Nothing at the plugin helps.
"""

from collections.abc import Iterable, Sequence

from bridgehead.core.components.driver_installers import SIGNS
from bridgehead.core.diagnose.cause import Action, Blame, Cause, RollbackHelps, RuledOut
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

_KEYS = (
    "module-unsigned",
    "module-not-permitted",
    "module-of-another-kernel",
    "other-driver-loaded",
)
_MENDING = {
    "module-unsigned": "Sign the module and enrol its key, or use precompiled signed drivers.",
    "other-driver-loaded": "Blacklist nouveau on the node and reboot it.",
    "module-not-permitted": "Let the policy of the node allow loading of this module.",
    "module-of-another-kernel": "Use a driver that is built for the node's kernel.",
}


def _check(scene: Scene) -> Iterable[Cause]:
    found = [item for item in operand_faults(scene) if item.quote(*_KEYS)]
    for items in by_operand(found):
        yield _cause(scene, items)


def _cause(scene: Scene, items: Sequence[OperandFault]) -> Cause:
    first = items[0]
    quote = first.quote(*_KEYS)
    assert quote is not None
    nodes = nodes_of(items)
    return Cause(
        message=f"{first.component.ref} on {listed(nodes)}: {SIGNS[quote.key]}",
        blame=Blame.BELOW,
        evidence=(quote.evidence, *proof_of(first)),
        refuted_by="the module loaded on the node (lsmod), and the pod still not ready",
        object=first.object,
        nodes=nodes,
        explains=behind(scene, items),
        actions=(
            Action(
                text=_MENDING[quote.key],
                command=f"kubectl debug node/{nodes[0]} -it --image=busybox "
                "-- chroot /host dmesg --level=err,warn",
                rung="runbook",
            ),
        ),
        rollback_helps=RollbackHelps.NO,
        ruled_out=(RuledOut("the plugin", "its pod only waits for the driver"),),
    )


RULE = DiagnosisRule(
    name="kernel-refuses-driver",
    severity=Severity.ERROR,
    level=2,
    cases=("RUN-11",),
    references=("gpu-op#1726", "gpu-op#266", "NVIDIA/k8s-driver-manager#37", "gpu-op#553"),
    needs=frozenset({Need.PODS, Need.NODES, Need.DAEMON_SETS}),
    helped_by=frozenset({Need.LOGS}),
    supersedes=frozenset(
        {"plugin-crashes", "operand-fails", "driver-not-visible", "plugin-never-registers"}
    ),
    check=_check,
)
