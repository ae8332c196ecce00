"""A kubelet refused pods because their device plugin had not come back yet.

Finds: pods that failed with UnexpectedAdmissionError because no device was registered or healthy,
within ten minutes after their node had booted, their kubelet had started or their plugin's process
had started again, while the node offers healthy devices now.

Why: a kubelet takes pods up in any order. Since the fix of kubernetes#116376 a device pod that
comes before its plugin is refused by design, and a refusal is final for that pod. Controllers make
another; a pod without a controller stays failed.

Sure: the node's devices are there now, and the refusal came soon after a start: compare the pod's
event with the node's events Starting and Rebooted. Devices that are still missing are another
fault.

Do: let controllers make the pods, delete those that are left over, and keep the newest of each as
evidence. Pods without a controller have to be made anew by whoever made them.
"""

from collections.abc import Iterable

from bridgehead.core.diagnose.admission_message import Refusal
from bridgehead.core.diagnose.cause import Blame, Cause, RuledOut
from bridgehead.core.diagnose.free_devices import Room, room_on
from bridgehead.core.diagnose.lateness import EVENTS_KEPT, Late, Lateness, Starts
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
from bridgehead.core.model.confidence import Confidence

_SORTS = (Refusal.UNREGISTERED, Refusal.NONE_HEALTHY, Refusal.STOPPED)


def _check(scene: Scene) -> Iterable[Cause]:
    starts = Starts(scene)
    for resource, found in by_resource(refused_pods(scene, *_SORTS)).items():
        late, old = [], []
        again = {item.pod.node for item in found if scene.now - item.at < EVENTS_KEPT}
        for refused in found:
            room = _room(scene, refused, resource)
            if room is None:
                continue
            why = starts.lateness(refused)
            if why is not None and _is_this(refused, why):
                late.append((refused, why, room))
            elif why is None and refused.pod.node not in again and _is_lacking(refused):
                old.append((refused, room))
        if late:
            recent = any(scene.now - item.at < EVENTS_KEPT for item, _, _ in late)
            yield _cause(resource, late, recent)
        if old:
            yield _long_ago(resource, old)


def _is_lacking(refused: Refused) -> bool:
    """Whether devices were not there; a connection that has ended may refuse pods for ever."""
    return refused.said.refusal is not Refusal.STOPPED


def _room(scene: Scene, refused: Refused, resource: str) -> Room | None:
    """What the node has of it, if it is healthy now."""
    if refused.pod.node not in scene.nodes:
        return None
    room = room_on(scene, refused.pod.node, resource)
    return room if room is not None and room.offer.allocatable else None


def _is_this(refused: Refused, why: Lateness) -> bool:
    """A pod that ran before a kubelet began anew is that restart's, not a late plugin's."""
    if why.late is Late.KUBELET:
        return refused.at - why.since <= refused.pod.created + 5.0
    return why.late is not Late.PLUGIN


def _cause(resource: str, late: list[tuple[Refused, Lateness, Room]], recent: bool) -> Cause:
    found = tuple(refused for refused, _, _ in late)
    nodes = nodes_of(found)
    first, why, room = late[0]
    bare = [item for item in found if not item.pod.owner_kind]
    what = f"{counted(found)} asking for {resource} came before the device plugin"
    left = f"; {len(bare)} without a controller stay failed" if bare else ""
    return refusal_cause(
        found,
        message=f"{what} on {', '.join(nodes)}: {why.late.value}{left}",
        blame=Blame.KUBELET,
        evidence=(why.evidence, room.evidence),
        refuted_by=f"{resource} is 0 there still, or pods are refused again long after a start",
        ruled_out=(
            RuledOut("unhealthy devices", f"node {first.pod.node} shows {room.offer} now"),
            RuledOut("a bad version of the plugin", "the same plugin offers the devices since"),
        ),
        actions=clearing(found),
        severity=None if recent or bare else Severity.INFO,
    )


def _long_ago(resource: str, old: list[tuple[Refused, Room]]) -> Cause:
    found = tuple(refused for refused, _ in old)
    nodes = nodes_of(found)
    return refusal_cause(
        found,
        message=f"{counted(found)} asking for {resource} were refused on {', '.join(nodes)} before "
        "its devices were there; they are there now",
        blame=Blame.EXPECTED,
        evidence=(old[0][1].evidence,),
        refuted_by="pods are refused again",
        actions=clearing(found),
        severity=Severity.INFO,
        confidence=Confidence.MEDIUM,
    )


RULE = DiagnosisRule(
    name="plugin-later-than-pods",
    severity=Severity.WARNING,
    level=4,
    cases=("ADMIT-1",),
    references=("kubernetes#125579", "kubernetes#128043", "kubernetes#109595"),
    needs=frozenset({Need.NODES, Need.PODS}),
    helped_by=frozenset({Need.EVENTS, Need.DAEMON_SETS}),
    check=_check,
)
