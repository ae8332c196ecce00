"""A kubelet could not read its record of allocations when it started.

Finds: the line "Continue after failing to read checkpoint file" in a kubelet's log.

Why: without its record the kubelet does not know which pods hold which devices. Pods have been
admitted without devices until plugins had registered again, and devices that are held may be given
out a second time. It follows a kubelet upgrade that changed the format (1.19 to 1.20) or a damaged
file.

Sure: the words are about failing to read. "checkpoint is not found" is the harmless first start of
a new node.

Do: look at pods with devices that started around that time, and make those anew that have none.
Drain a node before its kubelet is upgraded by a minor version; remove an unreadable checkpoint only
on a drained node.
"""

import re
from collections.abc import Iterable

from bridgehead.core.diagnose.cause import Action, Blame, Cause, Risk, RollbackHelps, RuledOut
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.symptom import pod_key
from bridgehead.core.findings.finding import ObjectRef, Severity
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.device import is_extended
from bridgehead.core.model.pod import Pod

_LINE = re.compile(r"continue after failing to read checkpoint file", re.IGNORECASE)
_NEW_NODE = "checkpoint is not found"


def _check(scene: Scene) -> Iterable[Cause]:
    for node, evidence in sorted(scene.observed.evidence.items()):
        log = evidence.kubelet_log
        lines = [] if log is None else list(enumerate(log.lines))
        hits = [
            Evidence(f"kubelet log of {node}:{log.number_of(index)}", line)
            for index, line in lines
            if log is not None and _LINE.search(line) and _NEW_NODE not in line
        ]
        if hits:
            yield _cause(scene, node, hits[-1])


def _cause(scene: Scene, node: str, line: Evidence) -> Cause:
    held = [
        pod
        for pod in scene.pods_on(node)
        if pod.bound and not pod.terminal and any(is_extended(name) for name in pod.requests)
    ]
    who = f": {_number(held)} for devices and may have none" if held else ""
    return Cause(
        message=f"the kubelet of node {node} could not read its record of allocations{who}",
        blame=Blame.KUBELET,
        object=ObjectRef("v1", "Node", "", node),
        nodes=(node,),
        explains=tuple(pod_key(pod) for pod in held),
        evidence=(line,),
        refuted_by="the pods that ask for devices see them",
        ruled_out=(RuledOut("a new node", f"the line does not say '{_NEW_NODE}'"),),
        actions=(
            Action(
                text="See which pods ask for devices there; one without its device has to be made "
                "anew",
                command="kubectl get pods -A -o wide --field-selector="
                f"spec.nodeName={node},status.phase=Running",
            ),
            Action(
                text="If the line comes back at each start, remove the checkpoint on the drained "
                "node while its kubelet is stopped",
                command=f"kubectl drain {node} --ignore-daemonsets --delete-emptydir-data",
                risk=Risk.WORKLOADS,
                rung="runbook",
            ),
        ),
        rollback_helps=RollbackHelps.NO,
    )


def _number(held: list[Pod]) -> str:
    return "1 pod there asks" if len(held) == 1 else f"{len(held)} pods there ask"


RULE = DiagnosisRule(
    name="checkpoint-not-restored",
    severity=Severity.WARNING,
    level=4,
    cases=("ADMIT-7",),
    references=("kubernetes#102880", "kubernetes/kubeadm#2685"),
    needs=frozenset({Need.PODS, Need.NODE_EVIDENCE}),
    check=_check,
)
