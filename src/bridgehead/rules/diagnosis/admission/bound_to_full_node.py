"""Pods come to a node whose devices are all in use.

Finds: pods that a kubelet refused because too few devices were free, on a node where too few are
free by what the API shows as well, and where no holder is on its way out.

Why: the scheduler does not send a pod to a full node. Whoever did has passed it over: spec.nodeName
in a template, a second scheduler, or two schedulers that decide at once. Each such pod fails for
good, and its controller makes the next.

Sure: allocatable less the requests of pods that have not ended is below the request, and the pod
has no event Scheduled of the default scheduler.

Do: let the scheduler place these pods: take spec.nodeName out, and leave each node to one
scheduler.
"""

from collections.abc import Iterable

from bridgehead.core.diagnose.cause import Action, Blame, Cause, RollbackHelps, RuledOut
from bridgehead.core.diagnose.free_devices import holders_text
from bridgehead.core.diagnose.full_node import Full, Fullness, refused_by_full_nodes
from bridgehead.core.diagnose.refusals import clearing, counted, object_of, told
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.confidence import Confidence
from bridgehead.core.model.json import text


def _check(scene: Scene) -> Iterable[Cause]:
    for full in refused_by_full_nodes(scene):
        if full.fullness is Fullness.FULL:
            yield _cause(scene, full)


def _cause(scene: Scene, full: Full) -> Cause:
    room, first = full.room, full.found[0].pod
    bound = [event for event in scene.events(first) if event.reason == "Scheduled"]
    by = text(scene.raw(first), "spec", "schedulerName")
    other = f", by {by}" if by and by != "default-scheduler" else ""
    passed = not bound and scene.observed.has(Need.EVENTS)
    return Cause(
        message=f"{counted(full.found)} asking for {room.resource} came to {room.node}{other}, "
        f"where {room.in_use} of {room.offer.allocatable} are in use",
        blame=Blame.SCHEDULING,
        object=object_of(full.found),
        nodes=(room.node,),
        explains=tuple(item.key for item in full.found),
        evidence=(
            *told(full.found),
            room.evidence,
            Evidence(f"requests of {room.resource}", holders_text((room,))),
            *(Evidence(event.source, event.message) for event in bound[-1:]),
        ),
        refuted_by="the node had enough free devices when the pod was bound",
        ruled_out=(
            RuledOut("a stale record of the kubelet", "the API shows the devices in use, too"),
            RuledOut("a pod on its way out", "no holder is being deleted"),
        ),
        actions=(
            Action(
                text="See who binds these pods: nodeName or another scheduler in their template",
                command=f"kubectl get pod -n {first.namespace} {first.name} -o yaml",
            ),
            *clearing(full.found),
        ),
        rollback_helps=RollbackHelps.NO,
        confidence=Confidence.HIGH if passed or other else Confidence.LOW,
    )


RULE = DiagnosisRule(
    name="bound-to-full-node",
    severity=Severity.WARNING,
    level=4,
    references=("Project-HAMi/HAMi#71",),
    needs=frozenset({Need.NODES, Need.PODS}),
    helped_by=frozenset({Need.EVENTS}),
    check=_check,
)
