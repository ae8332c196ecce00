"""A hook of the container toolkit fails.

Finds: containers that are not started, because a hook of the runtime fails before their program
begins: ldconfig, missing libraries, or the toolkit's own tool.

Why: the hook prepares the container with files of the host. After an upgrade of the system or of
its extension, ldconfig, glibc or a library no longer fit, and every container with devices on that
node fails; its log is empty.

Sure: the start error names a hook; the same image starts on nodes of another osImage or runtime.

Do: repair the toolkit's package on the node, or let the toolkit work with CDI. A rollback of the
plugin does not help.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence

from bridgehead.core.diagnose import remedies
from bridgehead.core.diagnose.cause import Action, Blame, Cause, RollbackHelps, RuledOut
from bridgehead.core.diagnose.reach import by_plugin, explained, listed, reach_of
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.symptom import pod_key
from bridgehead.core.findings.finding import ObjectRef, Severity
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.pod import Pod

# runc (libcontainer) and libnvidia-container.
_HOOK = re.compile(
    r"error running (\w+ )?hook #?\d+|hook #\d+:|ldcache error|ldconfig(\.real)? terminated"
    r"|nvidia-container-cli: |nvidia-c(ontainer-runtime-hook|tk-hook)"
    r"|(OCI runtime|runc).*error while loading shared libraries",
    re.IGNORECASE,
)
# The same hook tells of other faults in words of their own, which have rules of their own.
_OTHERS = re.compile(
    r"driver/library version mismatch|unresolvable CDI|unknown device|driver not loaded", re.I
)

_NOT_STARTED = frozenset(
    {"RunContainerError", "CreateContainerError", "StartError", "CrashLoopBackOff"}
)


def _check(scene: Scene) -> Iterable[Cause]:
    found: dict[str, list[tuple[Pod, Evidence]]] = defaultdict(list)
    for pod in sorted(scene.observed.snapshot.pods, key=lambda item: (item.node, item.ref)):
        proof = _proof(scene, pod)
        node = scene.nodes.get(pod.node)
        if proof and node:
            found[node.os_image].append((pod, proof))
    for failed in found.values():
        yield _cause(scene, failed)


def _proof(scene: Scene, pod: Pod) -> Evidence | None:
    """A start error that names a hook, of a container that does not run, or its event."""
    if pod.deleting or pod.terminal:
        return None
    for item in (*pod.init_containers, *pod.containers):
        if item.state == "running":
            continue
        for message in (item.message, item.last_message):
            if _tells(message):
                return Evidence(f"status of pod {pod.ref}, container {item.name}", message)
        if item.reason in _NOT_STARTED or item.last_reason in _NOT_STARTED:
            for event in reversed(scene.events(pod)):
                if event.reason == "Failed" and _tells(event.message):
                    return Evidence(event.source, event.message)
    return None


def _tells(message: str) -> bool:
    return bool(_HOOK.search(message)) and not _OTHERS.search(message)


def _cause(scene: Scene, failed: Sequence[tuple[Pod, Evidence]]) -> Cause:
    nodes = tuple(sorted({pod.node for pod, _ in failed}))
    first, proof = failed[0]
    node = scene.nodes[first.node]
    keys = {pod_key(pod) for pod, _ in failed}
    posts = [post for name in nodes for post in scene.posts_by_node.get(name, ()) if post.failing]
    keys |= set(explained(scene, posts))
    reaches = [reach_of(scene, group) for group in by_plugin(posts)]
    drifted = [reach for reach in reaches if reach.blame is Blame.DRIFT]
    return Cause(
        message=(
            f"containers on {listed(nodes)} are not started: a hook of the container toolkit fails "
            f"on {node.os_image or 'their system'}"
        ),
        blame=Blame.DRIFT if drifted else Blame.BELOW,
        evidence=(
            proof,
            Evidence(
                f"nodeInfo of node {node.name}", f"{node.os_image}, {node.kernel}, {node.runtime}"
            ),
        ),
        refuted_by="a container with devices that starts on one of these nodes",
        object=ObjectRef("v1", "Node", "", nodes[0]),
        nodes=nodes,
        explains=tuple(it.key for it in scene.symptoms if it.key in keys),
        actions=(
            Action(
                text="Repair the toolkit on the node, or let it work with CDI.",
                command=f"kubectl debug node/{nodes[0]} -it --image=busybox "
                "-- chroot /host nvidia-ctk --version",
                rung="runbook",
            ),
            remedies.cordon(nodes, "no container with devices starts there"),
        ),
        rollback_helps=RollbackHelps.NO,
        ruled_out=(
            RuledOut("the image", "the hook fails before its program begins"),
            *(by for reach in drifted[:1] for by in reach.ruled_out),
        ),
    )


RULE = DiagnosisRule(
    name="toolkit-hook-fails",
    severity=Severity.ERROR,
    level=2,
    cases=("RUN-10",),
    references=("NVIDIA#1400", "siderolabs/extensions#751", "siderolabs/extensions#940"),
    needs=frozenset({Need.PODS, Need.NODES}),
    helped_by=frozenset({Need.EVENTS}),
    supersedes=frozenset({"plugin-crashes", "driver-not-visible"}),
    check=_check,
)
