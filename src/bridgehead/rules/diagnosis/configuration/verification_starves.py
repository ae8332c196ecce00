"""A check that needs a free device waits for one that is in use.

Finds: pods that try out devices (validators, probes, checks of a run) and that wait for a device,
or were refused one, on nodes whose devices are all in use.

Why: a check that asks for a device itself never passes on a busy node. What waits for the check, an
operand or a rollout, stands still although everything works.

Sure: the holders are workloads, and the devices are all in use and healthy.

Do: count free devices first; where none is, judge by what can be seen without one: the plugin is
ready and allocatable is as before. The GPU Operator's validator: WITH_WORKLOAD "false".
"""

from collections.abc import Iterable

from bridgehead.core.diagnose.admission_message import Refusal
from bridgehead.core.diagnose.cause import Action, Blame, Cause, Risk, RollbackHelps, RuledOut
from bridgehead.core.diagnose.free_devices import Room, holders_text, room_on
from bridgehead.core.diagnose.refusals import by_resource, refused_pods
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.shortage import Shortage, lacks
from bridgehead.core.diagnose.symptom import pod_key
from bridgehead.core.diagnose.verification import is_verification
from bridgehead.core.findings.finding import ObjectRef, Severity
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.pod import Pod


def _check(scene: Scene) -> Iterable[Cause]:
    for lack in lacks(scene, Shortage.IN_USE):
        waiting = lack.waiting
        pods = tuple(pod for pod in waiting.pods if is_verification(pod))
        rooms = tuple(item.room for item in lack.options)
        if pods:
            yield _cause(waiting.resource, pods, rooms, waiting.evidence)
    for resource, found in by_resource(
        refused_pods(scene, Refusal.TOO_FEW, Refusal.OUT_OF)
    ).items():
        for node in sorted({item.pod.node for item in found} & set(scene.nodes)):
            room = room_on(scene, node, resource)
            here = [it for it in found if it.pod.node == node and is_verification(it.pod)]
            if here and room is not None and room.holders and not room.free:
                pods = tuple(item.pod for item in here)
                yield _cause(resource, pods, (room,), tuple(item.evidence for item in here[:2]))


def _cause(
    resource: str, pods: tuple[Pod, ...], rooms: tuple[Room, ...], said: tuple[Evidence, ...]
) -> Cause:
    first = pods[0]
    more = f" and {len(pods) - 1} more" if len(pods) > 1 else ""
    nodes = tuple(room.node for room in rooms)
    waits = "was refused" if first.phase == "Failed" else "waits for"
    return Cause(
        message=f"pod {first.ref}{more}, which only verifies, {waits} a {resource} of its own, and "
        f"on {', '.join(nodes)} workloads hold them all",
        blame=Blame.CONFIGURATION,
        object=ObjectRef("v1", "Pod", first.namespace, first.name),
        nodes=nodes,
        explains=tuple(pod_key(pod) for pod in pods),
        evidence=(
            *said,
            *(room.evidence for room in rooms[:3]),
            Evidence(f"requests of {resource}", holders_text(rooms)),
        ),
        refuted_by="a device is free there and the check still does not pass",
        ruled_out=(
            RuledOut("a lost plugin", "the nodes offer all their devices"),
            RuledOut("a fault that the check has found", "it has not run"),
        ),
        actions=(
            Action(
                text="Verify without a device where none is free: plugin ready, allocatable as "
                "before, no pods refused",
                command=f"kubectl describe node {nodes[0]}" if nodes else "",
                risk=Risk.NONE,
            ),
        ),
        rollback_helps=RollbackHelps.NO,
    )


RULE = DiagnosisRule(
    name="verification-starves",
    severity=Severity.WARNING,
    level=4,
    supersedes=frozenset({"devices-in-use"}),
    cases=("CONF-5",),
    references=("NVIDIA/gpu-operator#480", "NVIDIA/gpu-operator#233"),
    needs=frozenset({Need.NODES, Need.PODS}),
    check=_check,
)
