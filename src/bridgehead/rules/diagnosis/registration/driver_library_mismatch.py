"""Driver library and loaded kernel module of a node are of different versions.

Finds: a plugin whose log, or a pod with devices whose start, says that the library and the kernel
module of the driver do not match, on a node where that is so now.

Why: the packages of the driver were replaced and the old module is still loaded. Everything that
runs goes on; the next start of the plugin or of any pod with devices fails, whatever its version.

Sure: the failure begins at a restart, and the former version fails there too. On the node
`cat /proc/driver/nvidia/version` and the version of the library differ. Where several nodes fail,
none is sound, and the former version had devices on them, the new version may bring the library.

Do: drain and reboot the node, or reload its modules, and stop packages from being upgraded by
themselves. A rollback does not help, unless it began with a new version on all nodes: then it costs
less than reboots, and is tried first.
"""

from collections.abc import Iterable

from bridgehead.core.diagnose.cause import Blame, Cause, RollbackHelps, RuledOut
from bridgehead.core.diagnose.reach import explained, listed
from bridgehead.core.diagnose.remedies import cordon, reboot
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.scoped_cause import scoped_cause, shown
from bridgehead.core.diagnose.symptom import pod_key
from bridgehead.core.diagnose.told import told
from bridgehead.core.diagnose.version_or_node import Verdict, begun_with_version
from bridgehead.core.findings.finding import ObjectRef, Severity
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.confidence import Confidence
from bridgehead.core.model.pod import Pod

_SAID = "driver/library version mismatch"
_NOT_HELPFUL = RuledOut("a bad version", "no version of the plugin reaches a module that is loaded")
_REFUTED = "library and loaded module of the same version on the node"


def _check(scene: Scene) -> Iterable[Cause]:
    blamed: set[str] = set()
    starts = _failing_starts(scene)
    for group in told(scene, "driver-library-mismatch"):
        posts = [item.post for item in group]
        nodes = sorted(post.node.name for post in posts)
        blamed |= set(nodes)
        verdict = begun_with_version(scene, posts) if len(nodes) > 1 else None
        yield scoped_cause(
            scene,
            posts,
            message=_message(nodes, verdict),
            evidence=[
                *(item.quote.evidence for item in group[:3]),
                *(proof for node in nodes[:2] for _, proof in starts.get(node, ())[:1]),
                *shown(posts),
            ],
            refuted_by=_REFUTED,
            blame=verdict.blame if verdict else Blame.DRIFT,
            rollback=verdict.rollback if verdict else RollbackHelps.NO,
            ruled_out=verdict.ruled_out if verdict else [_NOT_HELPFUL],
            confidence=Confidence.MEDIUM if verdict else None,
            actions=[
                cordon(nodes, "every new pod with devices fails there"),
                reboot(nodes[0], "the loaded module must be that of the installed driver"),
            ],
        )
    for node in sorted(set(starts) - blamed):
        yield _of_pods(scene, node, starts[node])


def _message(nodes: Iterable[str], verdict: Verdict | None = None) -> str:
    why = (
        f"it began with this version, as {verdict.ruled_out[0].by}"
        if verdict and verdict.ruled_out
        else "the driver was replaced and the node not rebooted"
    )
    return f"driver library and loaded kernel module differ on {listed(nodes)}: {why}"


def _failing_starts(scene: Scene) -> dict[str, list[tuple[Pod, Evidence]]]:
    """Pods that cannot start because of it now, by node, each with the words that say so."""
    found: dict[str, list[tuple[Pod, Evidence]]] = {}
    for symptom in scene.symptoms_with("pod/"):
        ref = symptom.object
        for pod in scene.pods_on(symptom.node):
            if (pod.namespace, pod.name) != (ref.namespace, ref.name):
                continue
            proof = _words(scene, pod)
            if proof:
                found.setdefault(symptom.node, []).append((pod, proof))
    return found


def _words(scene: Scene, pod: Pod) -> Evidence | None:
    for item in (*pod.init_containers, *pod.containers):
        for said in (item.message, item.last_message):
            if _SAID in said.lower():
                return Evidence(f"status of pod {pod.ref}, container {item.name}", said)
    for event in reversed(scene.events(pod)):
        if _SAID in event.message.lower():
            return Evidence(event.source, event.message)
    return None


def _of_pods(scene: Scene, node: str, failing: list[tuple[Pod, Evidence]]) -> Cause:
    keys = {pod_key(pod) for pod, _ in failing}
    refs = {pod.ref for pod, _ in failing}
    mine = [
        post
        for post in scene.posts_by_node.get(node, ())
        if post.pod is not None and post.pod.ref in refs
    ]
    return Cause(
        message=_message([node]),
        blame=Blame.DRIFT,
        evidence=tuple(proof for _, proof in failing[:3]),
        refuted_by=_REFUTED,
        object=ObjectRef("v1", "Node", "", node),
        nodes=(node,),
        explains=tuple(sorted(keys | set(explained(scene, mine)))),
        rollback_helps=RollbackHelps.NO,
        ruled_out=(_NOT_HELPFUL,),
        actions=(
            cordon([node], "every new pod with devices fails there"),
            reboot(node, "the loaded module must be that of the installed driver"),
        ),
    )


RULE = DiagnosisRule(
    name="driver-library-mismatch",
    severity=Severity.ERROR,
    level=3,
    references=("NVIDIA#221", "NVIDIA#1431", "gpu-op#898"),
    cases=("ZERO-2",),
    helped_by=frozenset({Need.NODES, Need.PODS, Need.DAEMON_SETS, Need.LOGS, Need.EVENTS}),
    supersedes=frozenset(
        {"plugin-crashes", "driver-not-visible", "toolkit-hook-fails", "plugin-never-registers"}
    ),
    check=_check,
)
