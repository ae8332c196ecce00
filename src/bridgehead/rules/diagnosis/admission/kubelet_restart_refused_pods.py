"""A restart of the kubelet made pods with devices fail.

Finds: pods that existed before their kubelet started, on a node that did not boot, and that failed
with UnexpectedAdmissionError within ten minutes after that start.

Why: a kubelet that starts admits all its pods again, before plugins have registered. Versions
without the back-ported fix, and pods whose init containers ask for devices, then lose running pods.
A refusal is final for its pod.

Sure: the node has an event Starting and none of Rebooted, and the pods are older than that start.
Look whether other pods that held devices kept running: then the failed ones differ by their init
containers.

Do: let controllers make the pods anew. Empty a node of device pods before its kubelet is restarted
on purpose, and run a kubelet with the fix (1.25.14 and later). No version of the plugin helps.
"""

from collections.abc import Iterable

from bridgehead.core.diagnose.admission_message import Refusal
from bridgehead.core.diagnose.cause import Action, Blame, Cause, Risk, RuledOut
from bridgehead.core.diagnose.lateness import Late, Lateness, Starts
from bridgehead.core.diagnose.refusal_cause import refusal_cause
from bridgehead.core.diagnose.refusals import (
    Refused,
    by_resource,
    clearing,
    counted,
    nodes_of,
    refused_pods,
)
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.json import children

_SORTS = (
    Refusal.UNREGISTERED,
    Refusal.NONE_HEALTHY,
    Refusal.NO_LONGER_HEALTHY,
    Refusal.STOPPED,
)


def _check(scene: Scene) -> Iterable[Cause]:
    starts = Starts(scene)
    for resource, found in by_resource(refused_pods(scene, *_SORTS)).items():
        hit = []
        for refused in found:
            why = starts.lateness(refused)
            if why is not None and why.late is Late.KUBELET and _was_there(refused, why):
                hit.append((refused, why))
        if hit:
            yield _cause(scene, resource, hit)


def _was_there(refused: Refused, why: Lateness) -> bool:
    return refused.at - why.since > refused.pod.created + 5.0


def _cause(scene: Scene, resource: str, hit: list[tuple[Refused, Lateness]]) -> Cause:
    found = tuple(refused for refused, _ in hit)
    nodes = nodes_of(found)
    first = [item for item in found if _init_asks(scene, item, resource)]
    too = f"; the init containers of {counted(tuple(first))} ask for it as well" if first else ""
    kubelets = sorted({scene.nodes[name].kubelet for name in nodes if name in scene.nodes})
    return refusal_cause(
        found,
        message=f"the kubelet of {', '.join(nodes)} started anew and refused {counted(found)} that "
        f"had been there before, asking for {resource}{too}",
        blame=Blame.KUBELET,
        evidence=(
            hit[0][1].evidence,
            Evidence(f"status of node {nodes[0]}", f"kubelet {', '.join(kubelets)}"),
        ),
        refuted_by="the pods were made after the kubelet's start, or the node has booted",
        ruled_out=(
            RuledOut("a boot of the node", "no event Rebooted tells of one"),
            RuledOut("a bad version of the plugin", "pods fail at the kubelet's start, not at its"),
        ),
        actions=(
            *clearing(found),
            Action(
                text="Before the next planned restart of a kubelet, empty its node of device pods",
                command=f"kubectl drain {nodes[0]} --ignore-daemonsets --delete-emptydir-data",
                risk=Risk.WORKLOADS,
                rung="runbook",
            ),
        ),
    )


def _init_asks(scene: Scene, refused: Refused, resource: str) -> bool:
    return any(
        resource in str(item.get("resources", ""))
        for item in children(scene.raw(refused.pod), "spec", "initContainers")
    )


RULE = DiagnosisRule(
    name="kubelet-restart-refused-pods",
    severity=Severity.WARNING,
    level=4,
    cases=("ADMIT-2",),
    references=(
        "kubernetes#118559",
        "kubernetes#124345",
        "kubernetes#133382",
        "kubernetes#138446",
    ),
    needs=frozenset({Need.NODES, Need.PODS, Need.EVENTS}),
    check=_check,
)
