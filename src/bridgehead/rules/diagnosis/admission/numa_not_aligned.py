"""The kubelet cannot give a pod devices and processors that lie together.

Finds: pods that failed with TopologyAffinityError.

Why: the Topology Manager of the kubelet refuses what it cannot align under its policy (restricted
or single-numa-node). The scheduler knows nothing of NUMA and sends the next pod there as well.

Sure: the reason is TopologyAffinityError, and enough devices are free on the node.

Do: ask for what one NUMA node can give, leave a resource out of alignment (SR-IOV:
excludeTopology), or choose another policy for the kubelet. Neither a restart nor another version of
the plugin helps.
"""

from collections.abc import Iterable

from bridgehead.core.diagnose.admission_message import Refusal
from bridgehead.core.diagnose.cause import Action, Blame, Cause, RuledOut
from bridgehead.core.diagnose.free_devices import room_on
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


def _check(scene: Scene) -> Iterable[Cause]:
    for resource, found in by_resource(refused_pods(scene, Refusal.TOPOLOGY)).items():
        if resource:
            yield _cause(scene, resource, found)


def _cause(scene: Scene, resource: str, found: tuple[Refused, ...]) -> Cause:
    nodes, pod = nodes_of(found), found[0].pod
    asked = ", ".join(f"{count} {name}" for name, count in pod.requests.items())
    rooms = [
        room for name in nodes if name in scene.nodes for room in [room_on(scene, name, resource)]
    ]
    free = tuple(room for room in rooms if room is not None)
    enough = [room.node for room in free if room.free >= pod.requests.get(resource, 0)]
    ruled_out = (
        (RuledOut("devices in use", f"enough are free on {', '.join(enough)}"),) if enough else ()
    )
    return refusal_cause(
        found,
        message=f"the kubelet of {', '.join(nodes)} cannot align {asked} with processors of one "
        f"NUMA node, as its policy asks: {counted(found)} failed",
        blame=Blame.CONFIGURATION,
        evidence=[room.evidence for room in free[:3]],
        refuted_by="the kubelet's topologyManagerPolicy is none or best-effort",
        ruled_out=(
            *ruled_out,
            RuledOut("a fault of the plugin", "the kubelet refuses before it calls the plugin"),
        ),
        actions=(
            Action(
                text="Read the kubelet's policy; then change the request, or leave the resource "
                "out of alignment",
                command=f"kubectl get --raw /api/v1/nodes/{nodes[0]}/proxy/configz",
            ),
            *clearing(found),
        ),
    )


RULE = DiagnosisRule(
    name="numa-not-aligned",
    severity=Severity.ERROR,
    level=4,
    cases=("ADMIT-6",),
    references=(
        "kubernetes#84597",
        "k8snetworkplumbingwg/sriov-network-device-plugin#262",
    ),
    needs=frozenset({Need.NODES, Need.PODS}),
    check=_check,
)
