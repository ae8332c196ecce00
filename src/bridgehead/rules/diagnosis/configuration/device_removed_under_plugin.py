"""A plugin hands out a device that is no longer there.

Finds: pods that failed with UnexpectedAdmissionError because the plugin did not find a device that
it had offered itself.

Why: the plugin made its list once, at its start, and the device was removed, renumbered or divided
since. The node goes on offering it, and every pod that is given it fails for good.

Sure: the vendor's own tool on the node shows fewer devices than the node's capacity, or others.

Do: drain the node of pods that hold its devices, then restart the plugin's pod there, so that it
looks again. No version of the plugin would find what is gone.
"""

from collections.abc import Iterable

from bridgehead.core.diagnose.admission_message import Refusal
from bridgehead.core.diagnose.allocation_errors import Known, known
from bridgehead.core.diagnose.cause import Action, Blame, Cause, Risk, RuledOut
from bridgehead.core.diagnose.free_devices import room_on
from bridgehead.core.diagnose.refusal_cause import refusal_cause
from bridgehead.core.diagnose.refusals import (
    Refused,
    by_resource,
    clearing,
    counted,
    post_of,
    refused_pods,
)
from bridgehead.core.diagnose.remedies import restart_plugin
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import DiagnosisRule


def _check(scene: Scene) -> Iterable[Cause]:
    for resource, found in by_resource(refused_pods(scene, Refusal.ALLOCATE)).items():
        gone = tuple(item for item in found if known(item.said) is Known.DEVICE_GONE)
        for node in sorted({item.pod.node for item in gone} & set(scene.nodes)):
            yield _cause(scene, resource, node, tuple(it for it in gone if it.pod.node == node))


def _cause(scene: Scene, resource: str, node: str, found: tuple[Refused, ...]) -> Cause:
    room, post = room_on(scene, node, resource), post_of(scene, node, resource)
    shown = (room.evidence,) if room is not None else ()
    return refusal_cause(
        found,
        message=f"the plugin of {resource} on {node} does not find a device that it offers "
        f"({found[0].said.said}): {counted(found)} failed",
        blame=Blame.BELOW,
        evidence=shown,
        refuted_by=f"the node's own tool shows as many devices as {resource} has on {node}",
        ruled_out=(
            RuledOut("a bad version", "the plugin answers, and names the device that it misses"),
        ),
        actions=(
            Action(
                text=f"Drain {node} of pods that hold its devices, as a plugin that looks again "
                "may miss those in use",
                command=f"kubectl drain {node} --ignore-daemonsets --delete-emptydir-data",
                risk=Risk.WORKLOADS,
                rung="runbook",
            ),
            restart_plugin(post.pod if post is not None else None, node, "once it is drained"),
            *clearing(found),
        ),
    )


RULE = DiagnosisRule(
    name="device-removed-under-plugin",
    severity=Severity.ERROR,
    level=4,
    supersedes=frozenset({"allocate-fails"}),
    cases=("CONF-7",),
    references=("NVIDIA/k8s-device-plugin#451", "volcano-sh/devices#17"),
    needs=frozenset({Need.NODES, Need.PODS}),
    helped_by=frozenset({Need.DAEMON_SETS}),
    check=_check,
)
