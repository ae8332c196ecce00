"""Running containers have lost access to their devices.

Finds: running pods whose log says that NVML or CUDA meets an unknown error or no longer may use the
device, on nodes whose devices are offered as before.

Why: with the systemd cgroup driver a daemon-reload (a package update, a restart of a service)
applies the device rules of running containers anew. Device nodes without symlinks in /dev/char are
then left out. Everything looks green in the API.

Sure: only pods that started before the trigger are hit; a pod that is made now works.

Do: make the pods anew. To prevent it: the toolkit's symlinks in /dev/char, CDI, or device specs
from the plugin (PASS_DEVICE_SPECS). Neither plugin nor version is at fault.
"""

from collections.abc import Iterable

from bridgehead.core.components.workload_logs import ACCESS_LOST
from bridgehead.core.diagnose.cause import Action, Blame, Cause, Risk, RollbackHelps, RuledOut
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.symptom import pod_key
from bridgehead.core.diagnose.users import User, users, users_by_node
from bridgehead.core.findings.finding import ObjectRef, Severity
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.core.journal.entry import Evidence, stamp
from bridgehead.core.model.confidence import Confidence


def _check(scene: Scene) -> Iterable[Cause]:
    short = frozenset((it.node, it.resource) for it in scene.symptoms_with("devices/"))
    for node, found in users_by_node(users(scene)).items():
        if node not in scene.nodes or _is_short(short, found):
            continue
        hit = [
            (user, line)
            for user in found
            if user.pod.phase == "Running" and (line := user.says(ACCESS_LOST)) is not None
        ]
        if not hit:
            continue
        well = [user for user in found if user.pod.ready and user not in [it for it, _ in hit]]
        newest = max(user.started for user, _ in hit)
        if any(user.logs and user.started < newest for user in well) and len(hit) == 1:
            continue  # an older pod works: it is this pod's own fault, not the node's
        yield _cause(scene, node, hit, [user for user in well if user.started > newest])


def _is_short(short: frozenset[tuple[str, str]], found: Iterable[User]) -> bool:
    """Whether the node itself shows too few of these devices: then it is no matter of the pods."""
    return any((user.pod.node, name) in short for user in found for name in user.resources)


def _cause(scene: Scene, node: str, hit: list[tuple[User, Evidence]], younger: list[User]) -> Cause:
    pods = [user.pod for user, _ in hit]
    first = pods[0]
    who = f"pod {first.ref}" if len(pods) == 1 else f"{len(pods)} pods"
    offers = ", ".join(
        f"{name} {scene.nodes[node].offers[name]}"
        for name in hit[0][0].resources
        if name in scene.nodes[node].offers
    )
    contrast = tuple(
        RuledOut("a driver that fails", f"pod {user.pod.ref}, younger, runs on the same node")
        for user in younger[:1]
    )
    return Cause(
        message=f"{who} on {node} lost access to the device while running: the container's device "
        "rules were applied anew without it",
        blame=Blame.BELOW,
        object=ObjectRef("v1", "Pod", first.namespace, first.name),
        nodes=(node,),
        explains=tuple(pod_key(pod) for pod in pods),
        evidence=(
            *(line for _, line in hit[:3]),
            Evidence(f"status of node {node}", offers or "no device"),
            Evidence(f"status of pod {first.ref}", f"running since {stamp(hit[0][0].started)}"),
        ),
        refuted_by="a pod that is made now on the node says the same",
        ruled_out=(
            *contrast,
            RuledOut("a lost plugin", f"node {node} offers {offers or 'its devices'}"),
        ),
        actions=(
            Action(
                text="Make the pods anew; whoever owns them decides when",
                command=f"kubectl delete pod -n {first.namespace} {first.name}",
                risk=Risk.WORKLOADS,
            ),
            Action(
                text="To prevent it, make the symlinks in /dev/char on the node, or use CDI or "
                "device specs",
                command=f"ssh {node} sudo nvidia-ctk system create-dev-char-symlinks --create-all",
                risk=Risk.NONE,
                rung="runbook",
            ),
        ),
        rollback_helps=RollbackHelps.NO,
        confidence=Confidence.HIGH if younger else Confidence.MEDIUM,
    )


RULE = DiagnosisRule(
    name="device-access-lost",
    severity=Severity.ERROR,
    level=5,
    cases=("USE-1",),
    references=(
        "NVIDIA/nvidia-container-toolkit#48",
        "NVIDIA/nvidia-container-toolkit#251",
        "NVIDIA/nvidia-container-toolkit#1227",
        "NVIDIA/gpu-operator#485",
    ),
    needs=frozenset({Need.NODES, Need.PODS, Need.LOGS}),
    check=_check,
)
