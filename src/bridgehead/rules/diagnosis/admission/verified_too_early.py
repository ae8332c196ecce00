"""A pod asked for devices in the first moments of a device plugin.

Finds: pods that failed with UnexpectedAdmissionError because no device was registered or healthy,
within two minutes after the plugin's pod on their node had been made, where the node offers healthy
devices now and neither node nor kubelet had just started.

Why: the first list of a plugin may come with devices that are not healthy yet, and what the
scheduler saw was the former plugin's. A check that starts at once condemns a good version.

Sure: the refusal came within seconds of the plugin's start, and the same pod made now runs.

Do: make the check again. Wait until allocatable has been the same for half a minute before devices
are tried, and try more than once before a version is blamed.
"""

from collections.abc import Iterable

from bridgehead.core.diagnose.admission_message import Refusal
from bridgehead.core.diagnose.cause import Action, Blame, Cause, Risk, RuledOut
from bridgehead.core.diagnose.free_devices import Room, room_on
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

_SORTS = (Refusal.UNREGISTERED, Refusal.NONE_HEALTHY, Refusal.STOPPED)


def _check(scene: Scene) -> Iterable[Cause]:
    starts = Starts(scene)
    for resource, found in by_resource(refused_pods(scene, *_SORTS)).items():
        early = []
        for refused in found:
            if refused.pod.node not in scene.nodes:
                continue
            why, room = starts.lateness(refused), room_on(scene, refused.pod.node, resource)
            fine = room is not None and room.offer.allocatable > 0
            if why is not None and room is not None and fine and why.late is Late.PLUGIN:
                early.append((refused, why, room))
        if early:
            yield _cause(resource, early)


def _cause(resource: str, early: list[tuple[Refused, Lateness, Room]]) -> Cause:
    found = tuple(refused for refused, _, _ in early)
    nodes = nodes_of(found)
    refused, why, room = early[0]
    seconds = f"{abs(why.since):.0f} s {'after' if why.since >= 0 else 'before'}"
    return refusal_cause(
        found,
        message=f"{counted(found)} asked for {resource} on {', '.join(nodes)} {seconds} the start "
        "of the device plugin, when its devices were not there yet; they are there now",
        blame=Blame.EXPECTED,
        evidence=(why.evidence, room.evidence),
        refuted_by="the same pod, made now, is refused again",
        ruled_out=(
            RuledOut("unhealthy devices", f"node {refused.pod.node} shows {room.offer} now"),
            RuledOut("a start of the kubelet", "none is known of in the ten minutes before"),
        ),
        actions=(
            Action(
                text="Look whether allocatable stays the same for half a minute, then try again",
                command=f"kubectl get node {nodes[0]} -o jsonpath='{{.status.allocatable}}'",
                risk=Risk.NONE,
                rung="R0",
            ),
            *clearing(found),
        ),
    )


RULE = DiagnosisRule(
    name="verified-too-early",
    severity=Severity.WARNING,
    level=4,
    cases=("ADMIT-5",),
    references=("intel/intel-device-plugins-for-kubernetes#2082",),
    needs=frozenset({Need.NODES, Need.PODS, Need.DAEMON_SETS}),
    helped_by=frozenset({Need.EVENTS}),
    check=_check,
)
