"""A pod was refused because another one had not given its devices back yet.

Finds: pods that a kubelet refused because too few devices were free, where a pod that holds some is
still being deleted, or where it happened within half a minute, enough are free since, and nobody
was refused again.

Why: the scheduler counts a pod as gone as soon as its object is; the kubelet gives its devices away
only when the containers have ended. Between the two a pod can be refused. It clears by itself.

Sure: it does not come back once the old pod is gone. If it does, the kubelet's record is stale.

Do: nothing; controllers have made other pods. A pod without a controller has to be made anew.
"""

from collections.abc import Iterable

from bridgehead.core.diagnose.cause import Blame, Cause, RollbackHelps, RuledOut
from bridgehead.core.diagnose.free_devices import Room
from bridgehead.core.diagnose.full_node import Full, Fullness, refused_by_full_nodes
from bridgehead.core.diagnose.refusals import clearing, counted, object_of, told
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.core.journal.entry import Evidence


def _check(scene: Scene) -> Iterable[Cause]:
    for full in refused_by_full_nodes(scene):
        if full.fullness in (Fullness.LEAVING, Fullness.PASSED):
            yield _cause(full)


def _cause(full: Full) -> Cause:
    room = full.room
    leaving = [pod.ref for pod in room.holders if pod.deleting]
    why = (
        f"{', '.join(leaving)}, which holds some, is still being deleted"
        if leaving
        else "enough are free since"
    )
    return Cause(
        message=f"{counted(full.found)} asked for {room.resource} on {room.node} before the pods "
        f"that had them were gone: {why}",
        blame=Blame.EXPECTED,
        object=object_of(full.found),
        nodes=(room.node,),
        explains=tuple(item.key for item in full.found),
        evidence=(*told(full.found), room.evidence, *_leaving(room)),
        refuted_by="pods are refused again when nobody on the node is being deleted",
        ruled_out=(
            RuledOut("a stale record of the kubelet", "that stays, and refuses pod after pod"),
        ),
        actions=clearing(full.found),
        rollback_helps=RollbackHelps.NO,
    )


def _leaving(room: Room) -> tuple[Evidence, ...]:
    return tuple(
        Evidence(f"metadata of pod {pod.ref}", "deletionTimestamp is set")
        for pod in room.holders
        if pod.deleting
    )


RULE = DiagnosisRule(
    name="devices-not-given-back-yet",
    severity=Severity.INFO,
    level=4,
    references=("project-akri/akri#849",),
    needs=frozenset({Need.NODES, Need.PODS}),
    helped_by=frozenset({Need.EVENTS}),
    check=_check,
)
