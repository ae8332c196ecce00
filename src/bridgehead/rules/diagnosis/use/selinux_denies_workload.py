"""SELinux keeps a workload from the device that it was given.

Finds: pods with devices whose log says that opening a device file was denied, on nodes of a
distribution that enforces SELinux, and on no node of another.

Why: the policy for containers allows some types of device files and not others (device_t, and not
dri_device_t). Allocation is fine, and the open fails with EACCES.

Sure: the audit log of the node has a denial (`ausearch -m avc`). Plain file rights deny on every
distribution alike.

Do: a newer container-selinux on the nodes, or the boolean container_use_devices where that is
acceptable. No version of the plugin helps.
"""

import re
from collections.abc import Iterable

from bridgehead.core.components.workload_logs import DENIED
from bridgehead.core.diagnose.cause import Action, Blame, Cause, Risk, RollbackHelps, RuledOut
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.symptom import pod_key
from bridgehead.core.diagnose.users import User, users
from bridgehead.core.findings.finding import ObjectRef, Severity
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.confidence import Confidence

_ENFORCING = re.compile(
    r"Red Hat|RHEL|Fedora|CentOS|Rocky|AlmaLinux|Oracle Linux|Bottlerocket|MicroOS|Linux Micro",
    re.IGNORECASE,
)
"""Distributions that enforce SELinux as they come (Bottlerocket cannot do without)."""


def _check(scene: Scene) -> Iterable[Cause]:
    denied = [(user, line) for user in users(scene) if (line := user.says(DENIED)) is not None]
    here = [it for it in denied if _enforces(scene, it[0].pod.node)]
    if here and len(here) == len(denied):
        yield _cause(scene, here)


def _enforces(scene: Scene, node: str) -> bool:
    return node in scene.nodes and _ENFORCING.search(scene.nodes[node].os_image) is not None


def _cause(scene: Scene, here: list[tuple[User, Evidence]]) -> Cause:
    pods = [user.pod for user, _ in here]
    first = pods[0]
    nodes = tuple(sorted({pod.node for pod in pods}))
    who = f"pod {first.ref}" if len(pods) == 1 else f"{len(pods)} pods"
    audit = any("avc:" in line.text for _, line in here)
    others = _well_elsewhere(scene, {user.resources for user, _ in here})
    return Cause(
        message=f"{who} on {', '.join(nodes)} may not open a device that was allocated: SELinux "
        "denies it",
        blame=Blame.BELOW,
        object=ObjectRef("v1", "Pod", first.namespace, first.name),
        nodes=nodes,
        explains=tuple(pod_key(pod) for pod in pods),
        evidence=(
            *(line for _, line in here[:3]),
            Evidence(f"status of node {nodes[0]}", scene.nodes[nodes[0]].os_image),
        ),
        refuted_by="`ausearch -m avc` on the node has no denial, or a node without SELinux denies "
        "as well",
        ruled_out=(
            RuledOut("a device that was not allocated", "the kubelet started the container"),
            *(
                RuledOut(
                    "plain file rights", f"pod {user.pod.ref} opens its device on {user.pod.node}"
                )
                for user in others[:1]
            ),
        ),
        actions=(
            Action(
                text="Look for the denial on the node",
                command=f"ssh {nodes[0]} sudo ausearch -m avc -ts recent",
                rung="runbook",
            ),
            Action(
                text="Update container-selinux on the nodes, or allow devices to containers",
                command=f"ssh {nodes[0]} sudo setsebool -P container_use_devices on",
                risk=Risk.NODE,
                rung="runbook",
            ),
        ),
        rollback_helps=RollbackHelps.NO,
        confidence=Confidence.HIGH if audit else Confidence.MEDIUM if others else Confidence.LOW,
    )


def _well_elsewhere(scene: Scene, resources: set[tuple[str, ...]]) -> list[User]:
    """Users of the same resources that are well on nodes that do not enforce SELinux."""
    return [
        user
        for user in users(scene)
        if user.resources in resources and user.pod.ready and not _enforces(scene, user.pod.node)
    ]


RULE = DiagnosisRule(
    name="selinux-denies-workload",
    severity=Severity.ERROR,
    level=5,
    cases=("USE-5",),
    references=("containers/container-selinux#269",),
    needs=frozenset({Need.NODES, Need.PODS, Need.LOGS}),
    check=_check,
)
