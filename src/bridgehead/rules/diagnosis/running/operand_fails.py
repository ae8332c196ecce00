"""What the plugin waits for fails.

Finds: plugin pods that do not come past an init container, and the driver's or toolkit's pod on the
same node that is not as it should be. One that has just begun and has not failed yet is told as
information: a driver may build its module for many minutes.

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

_BUILDING = 1800.0
"""Seconds in which a driver may be built and installed; the timeout for drivers in a rollout."""


def _check(scene: Scene) -> Iterable[Cause]:
    found = [
        item
        for item in operand_faults(scene)
        if not item.quotes and any(waiting_in(post) for post in item.posts)
    ]
    for items in by_operand(item for item in found if not _at_work(scene, item)):
        yield _cause(scene, items)
    for items in by_operand(item for item in found if _at_work(scene, item)):
        yield _patience(scene, items)


def _at_work(scene: Scene, item: OperandFault) -> bool:
    """It runs for the first time, and not for long."""
    containers = (*item.pod.init_containers, *item.pod.containers)
    failed = item.pod.restarts or any(
        it.state == "terminated" and it.exit_code for it in containers
    )
    running = any(it.state == "running" for it in containers)
    return running and not failed and scene.now - item.pod.created < _BUILDING


def _patience(scene: Scene, items: Sequence[OperandFault]) -> Cause:
    first, nodes = items[0], nodes_of(items)
    return Cause(
        message=(
            f"plugins on {listed(nodes)} wait for the {first.operand.value}, which "
            f"{first.component.ref} is still setting up"
        ),
        blame=Blame.EXPECTED,
        severity=Severity.INFO,
        evidence=proof_of(first),
        refuted_by=f"no progress in its log within {_BUILDING / 60:.0f} minutes of its start",
        object=first.object,
        nodes=nodes,
        explains=behind(scene, items),
        actions=(
            Action(
                text="Wait, and look at its log if it takes long.",
                command=f"kubectl logs -n {first.pod.namespace} {first.pod.name} --all-containers "
                "--tail=20",
                rung="R0",
            ),
        ),
        rollback_helps=RollbackHelps.NO,
    )


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
