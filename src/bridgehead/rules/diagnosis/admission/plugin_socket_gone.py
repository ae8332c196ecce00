"""A kubelet goes on with a device plugin whose socket is gone.

Finds: pods that failed with UnexpectedAdmissionError because the kubelet could not reach the
plugin's socket, on a node that goes on to show the plugin's devices.

Why: where a second plugin comes with the same socket name while the first one runs, a kubelet since
kubernetes PR#135437 refuses the newer one and then loses track of the older one's end. The node
goes on to offer devices, each pod that is sent there fails for good, and no plugin can register
under that socket name (measured on 1.37.2).

Sure: allocatable is as before, the message says "dial unix" of the plugin's socket, and the log of
the plugin that runs now may say "device plugin already connected".

Do: keep pods away from the node and restart its kubelet. Replace plugins one pod at a time, the old
one first: no surge, and no second DaemonSet with the same socket name.
"""

from collections.abc import Iterable

from bridgehead.core.diagnose.admission_message import Refusal
from bridgehead.core.diagnose.allocation_errors import Known, known
from bridgehead.core.diagnose.cause import Blame, Cause, RuledOut
from bridgehead.core.diagnose.free_devices import Room, room_on
from bridgehead.core.diagnose.refusal_cause import refusal_cause
from bridgehead.core.diagnose.refusals import (
    Refused,
    by_resource,
    clearing,
    counted,
    post_of,
    refused_pods,
)
from bridgehead.core.diagnose.remedies import cordon, restart_kubelet
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.confidence import Confidence

_KEPT_OUT = "device plugin already connected"


def _check(scene: Scene) -> Iterable[Cause]:
    refused = refused_pods(scene, Refusal.ALLOCATE, Refusal.PREFERRED)
    for resource, found in by_resource(refused).items():
        gone = tuple(item for item in found if known(item.said) is Known.SOCKET_GONE)
        for node in sorted({item.pod.node for item in gone} & set(scene.nodes)):
            room = room_on(scene, node, resource)
            if room is not None and room.offer.allocatable:
                yield _cause(scene, room, tuple(it for it in gone if it.pod.node == node))


def _cause(scene: Scene, room: Room, found: tuple[Refused, ...]) -> Cause:
    kept_out = _kept_out(scene, room)
    return refusal_cause(
        found,
        message=f"the kubelet of {room.node} offers {room.offer.allocatable} {room.resource} of a "
        f"plugin whose socket is gone: {counted(found)} failed",
        blame=Blame.KUBELET,
        evidence=(room.evidence, *kept_out),
        refuted_by="a pod that asks for the resource is admitted there now",
        ruled_out=(
            RuledOut("a plugin that failed in the call", "the kubelet did not reach it at all"),
            RuledOut(
                "a plugin that is only away", f"the node would show {room.resource} as 0 then"
            ),
        ),
        actions=(
            cordon((room.node,), "each pod that is sent there fails for good"),
            restart_kubelet(room.node),
            *clearing(found),
        ),
        confidence=Confidence.HIGH if kept_out or len(found) > 1 else Confidence.MEDIUM,
    )


def _kept_out(scene: Scene, room: Room) -> tuple[Evidence, ...]:
    """The line with which the kubelet keeps the plugin out that runs now, if its log was read."""
    post = post_of(scene, room.node, room.resource)
    lines = [
        Evidence(f"log {key}:{log.number_of(index)}", line)
        for key, log in (post.logs if post is not None else ())
        for index, line in enumerate(log.lines)
        if _KEPT_OUT in line
    ]
    return tuple(lines[-1:])


RULE = DiagnosisRule(
    name="plugin-socket-gone",
    severity=Severity.ERROR,
    level=4,
    references=("kubernetes PR#135437",),
    needs=frozenset({Need.NODES, Need.PODS}),
    helped_by=frozenset({Need.LOGS, Need.DAEMON_SETS}),
    check=_check,
)
