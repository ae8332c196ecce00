"""The kubelet counts devices as taken that no pod holds any more.

Finds: pods that failed with UnexpectedAdmissionError because fewer devices were available than they
asked for, on a node where enough are free by what the API shows and no pod that holds devices is
being deleted: several of them over more than half a minute within the last hour, or one where the
kubelet's checkpoint names a pod that is gone. Pods that a verification binds past the scheduler do
not count: they come to nodes that are full.

Why: the kubelet keeps its own record of who has which device, in memory and in its checkpoint. In a
corner case after force-deletes an entry stays. The scheduler sends pod after pod there, and each
fails for good.

Sure: it stays. A race with a pod that is being deleted clears within seconds.

Do: cordon the node, empty it, and restart or upgrade its kubelet. Neither a restart of the plugin
nor a rollback clears the record.
"""

from collections.abc import Iterable

from bridgehead.core.diagnose.cause import Action, Blame, Cause, Risk, RollbackHelps, RuledOut
from bridgehead.core.diagnose.free_devices import Room
from bridgehead.core.diagnose.full_node import Fullness, refused_by_full_nodes
from bridgehead.core.diagnose.lateness import EVENTS_KEPT
from bridgehead.core.diagnose.refusals import (
    Refused,
    clearing,
    counted,
    object_of,
    told,
)
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.manifest import Doubt
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.confidence import Confidence
from bridgehead.core.model.json import children, text


def _check(scene: Scene) -> Iterable[Cause | Doubt]:
    for full in refused_by_full_nodes(scene):
        if full.fullness in (Fullness.LEAVING, Fullness.FULL):
            continue
        gone = _of_the_gone(scene, full.room)
        recent = scene.now - full.last < EVENTS_KEPT
        if gone or (full.fullness is Fullness.REPEATED and recent):
            yield _cause(full.room, full.found, gone)
        elif full.fullness is Fullness.FRESH:
            yield Doubt(
                why=f"the kubelet of node {full.room.node} has refused {counted(full.found)} a "
                "moment ago; whether it keeps on shows only later"
            )


def _of_the_gone(scene: Scene, room: Room) -> tuple[Evidence, ...]:
    """Entries of the kubelet's checkpoint whose pods are no more."""
    evidence = scene.observed.evidence.get(room.node)
    if evidence is None or evidence.checkpoint is None:
        return ()
    alive = {pod.uid for pod in scene.pods_on(room.node) if not pod.terminal}
    return tuple(
        Evidence(
            f"checkpoint of node {room.node}",
            f"PodUID {text(entry, 'PodUID')} has {room.resource}",
        )
        for entry in children(evidence.checkpoint, "Data", "PodDeviceEntries")
        if text(entry, "ResourceName") == room.resource and text(entry, "PodUID") not in alive
    )


def _cause(room: Room, here: tuple[Refused, ...], gone: tuple[Evidence, ...]) -> Cause:
    said = here[-1].said
    return Cause(
        message=f"the kubelet of node {room.node} says that {said.available} {room.resource} are "
        f"available, and {room.free} are free: its record of allocations is stale, "
        f"{counted(here)} failed",
        blame=Blame.KUBELET,
        object=object_of(here),
        nodes=(room.node,),
        explains=tuple(item.key for item in here),
        evidence=(*told(here), room.evidence, *gone[:3]),
        refuted_by="a pod that asks for as many is admitted there now",
        ruled_out=(
            RuledOut("devices in use", f"{room.in_use} of {room.offer.allocatable} are held"),
            RuledOut("a pod on its way out", "no holder is being deleted"),
            RuledOut("a late plugin", f"the node shows {room.offer} and names a count"),
        ),
        actions=(
            Action(
                text="Keep further pods away from the node",
                command=f"kubectl cordon {room.node}",
                risk=Risk.NODE,
                rung="R4",
            ),
            Action(
                text="Empty the node, then restart or upgrade its kubelet; a restart of the plugin "
                "does not clear the record",
                command=f"kubectl drain {room.node} --ignore-daemonsets --delete-emptydir-data"
                f" && ssh {room.node} sudo systemctl restart kubelet",
                risk=Risk.WORKLOADS,
                rung="runbook",
            ),
            *clearing(here),
        ),
        rollback_helps=RollbackHelps.NO,
        confidence=Confidence.HIGH if gone else Confidence.MEDIUM,
    )


RULE = DiagnosisRule(
    name="stale-allocation-record",
    severity=Severity.ERROR,
    level=4,
    supersedes=frozenset({"devices-not-given-back-yet"}),
    needs=frozenset({Need.NODES, Need.PODS}),
    helped_by=frozenset({Need.NODE_EVIDENCE, Need.EVENTS}),
    check=_check,
)
