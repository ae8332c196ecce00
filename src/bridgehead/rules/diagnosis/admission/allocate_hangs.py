"""A device plugin that does not answer Allocate holds up every pod of its node.

Finds: a Ready node with pods that were bound to it more than a minute ago and of which its kubelet
has said nothing, neither an event nor a status, where the first of them asks for devices. Or a
plugin's own pod that its kubelet has not begun to end a minute after its grace period, beside a
pod that waits so or a run's probe that failed there.

Why: the kubelet calls Allocate while it admits a pod, without a time limit, and admits pods one
after the other. While one call hangs, no pod of the node starts and none ends: not even the
plugin's own pod, when it is deleted.

Sure: the pods are not even ContainerCreating, they are of several owners, and the first of them
asks for a device. If the first asks for none, the kubelet is stuck for another reason, unless the
plugin's pod does not end either; then the plugin is likely. A pod with finalizers, one within its
grace period, and one of which the kubelet says that it ends it are no proof.

Do: keep further pods away from the node, and end the plugin's process on the node itself, or
restart the kubelet. Deleting the plugin's pod does not help: the kubelet that would stop it is the
one that waits (both seen with 1.37.2).
"""

from collections.abc import Iterable

from bridgehead.core.diagnose.cause import Action, Blame, Cause, Risk, RollbackHelps, RuledOut
from bridgehead.core.diagnose.patience import PATIENCE
from bridgehead.core.diagnose.refusals import post_of
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.symptom import pod_key
from bridgehead.core.findings.finding import ObjectRef, Severity
from bridgehead.core.findings.manifest import Doubt
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.core.journal.entry import Evidence, stamp
from bridgehead.core.model.confidence import Confidence
from bridgehead.core.model.json import child, text
from bridgehead.core.model.node import Node
from bridgehead.core.model.pod import Pod
from bridgehead.core.model.times import epoch
from bridgehead.core.verify.result import GateId


def _check(scene: Scene) -> Iterable[Cause | Doubt]:
    for node in scene.nodes.values():
        if node.ready is not True:
            continue
        stuck = [pod for pod in scene.pods_on(node.name) if _is_stuck(scene, pod)]
        stuck.sort(key=lambda pod: (_bound_at(scene, pod), pod.ref))
        asked = stuck[0].requests if stuck else ()
        resource = next((name for name in sorted(asked) if node.offer(name)), "")
        kept = [] if resource else [*_kept(scene, node, stuck)]
        if not resource and not kept:
            continue
        if not scene.observed.has(Need.EVENTS):
            yield Doubt(why=f"pods hang on node {node.name}, and no events were read")
        elif resource:
            yield _cause(scene, node, tuple(stuck), resource)
        else:
            yield from (_likely(scene, node, pod, tuple(stuck)) for pod in kept)


def _kept(scene: Scene, node: Node, stuck: list[Pod]) -> Iterable[Pod]:
    """Pods of plugins that the kubelet does not begin to end, where it takes up none either."""
    waiting = any(scene.now - _bound_at(scene, pod) >= PATIENCE for pod in stuck)
    for post in scene.posts_by_node.get(node.name, ()):
        signs = waiting or post.condemned == GateId.PROBE.value
        if signs and post.pod is not None and _is_kept(scene, post.pod):
            yield post.pod


def _is_kept(scene: Scene, pod: Pod) -> bool:
    """``deletionTimestamp`` is the end of the grace period, not its begin."""
    metadata = child(scene.raw(pod), "metadata")
    until = epoch(text(metadata, "deletionTimestamp"))
    if until is None or not pod.admitted or child(metadata, "finalizers"):
        return False
    grace = child(metadata, "deletionGracePeriodSeconds")
    since = until - (grace if isinstance(grace, int) else 0)
    told = any(event.component == "kubelet" and event.last >= since for event in scene.events(pod))
    return not told and scene.now - until >= PATIENCE


def _is_stuck(scene: Scene, pod: Pod) -> bool:
    if not pod.bound or pod.admitted or pod.terminal:
        return False
    told = any(event.component == "kubelet" for event in scene.events(pod))
    late = scene.now - _bound_at(scene, pod) >= PATIENCE
    return not told and (late or scene.observed.verdicts.waited(pod.node))


def _bound_at(scene: Scene, pod: Pod) -> float:
    bound = [event.last for event in scene.events(pod) if event.reason == "Scheduled"]
    return max([*bound, pod.created])


def _cause(scene: Scene, node: Node, stuck: tuple[Pod, ...], resource: str) -> Cause:
    first = stuck[0]
    post = post_of(scene, node.name, resource)
    plugin = post.pod if post is not None else None
    who = f"pod {plugin.ref}, the plugin of {resource}," if plugin else f"the plugin of {resource}"
    since = stamp(_bound_at(scene, first))
    others = f" and {len(stuck) - 1} more behind it" if len(stuck) > 1 else ""
    spaces = {pod.namespace for pod in stuck}
    sure = len(stuck) > 1 and (len(spaces) > 1 or any(not pod.requests for pod in stuck))
    return Cause(
        message=f"{who} does not answer Allocate on node {node.name}: pod {first.ref} has waited "
        f"for its kubelet since {since}{others}",
        blame=Blame.VERSION,
        object=ObjectRef("v1", "Pod", plugin.namespace, plugin.name) if plugin else ObjectRef(),
        nodes=(node.name,),
        explains=tuple(pod_key(pod) for pod in stuck),
        evidence=tuple(
            Evidence(
                f"status of pod {pod.ref}",
                f"bound to {node.name}, no startTime, asks for {_asked(pod)}",
            )
            for pod in stuck[:4]
        ),
        refuted_by="the kubelet has written an event about one of these pods, or a pod that was "
        "bound to the node later runs",
        ruled_out=(
            RuledOut("a node that is gone", f"node {node.name} is Ready"),
            RuledOut("images, mounts or the runtime", "the kubelet has said nothing of these pods"),
        ),
        actions=_actions(node, plugin),
        rollback_helps=RollbackHelps.NO,
        confidence=Confidence.HIGH if sure else Confidence.MEDIUM,
    )


def _likely(scene: Scene, node: Node, plugin: Pod, stuck: tuple[Pod, ...]) -> Cause:
    until = text(scene.raw(plugin), "metadata", "deletionTimestamp")
    beside = (
        f"it has not taken up pod {stuck[0].ref} since {stamp(_bound_at(scene, stuck[0]))}"
        if stuck
        else "a probe of a run failed there"
    )
    return Cause(
        message=f"the kubelet of node {node.name} is held up, likely by an Allocate that plugin "
        f"pod {plugin.ref} does not answer: it has not begun to end that pod, and {beside}",
        blame=Blame.VERSION,
        object=ObjectRef("v1", "Pod", plugin.namespace, plugin.name),
        nodes=(node.name,),
        explains=tuple(pod_key(pod) for pod in stuck),
        evidence=(
            Evidence(
                f"metadata of pod {plugin.ref}",
                f"deletionTimestamp {until}, no finalizers, and no event of the kubelet since",
            ),
            *(
                Evidence(f"status of pod {pod.ref}", f"bound to {node.name}, no startTime")
                for pod in stuck[:3]
            ),
        ),
        refuted_by="the kubelet has written an event about one of these pods since, or a pod that "
        "was bound to the node later runs",
        ruled_out=(RuledOut("a node that is gone", f"node {node.name} is Ready"),),
        actions=_actions(node, plugin),
        rollback_helps=RollbackHelps.NO,
        confidence=Confidence.MEDIUM,
    )


def _actions(node: Node, plugin: Pod | None) -> tuple[Action, ...]:
    look = [
        Action(
            text="Read what the plugin did last; nothing after Allocate confirms it",
            command=f"kubectl logs -n {pod.namespace} {pod.name} --tail=50",
        )
        for pod in (plugin,)
        if pod is not None
    ]
    return (
        *look,
        Action(
            text="Keep further pods away from the node",
            command=f"kubectl cordon {node.name}",
            risk=Risk.NODE,
            rung="R4",
        ),
        *(_end(node, pod) for pod in (plugin,) if pod is not None),
        Action(
            text="If that cannot be done, restart the kubelet, which ends the call too. Deleting "
            "the plugin's pod does not: the kubelet that would stop it is the one that waits",
            command=f"ssh {node.name} sudo systemctl restart kubelet",
            risk=Risk.WORKLOADS,
            rung="runbook",
        ),
    )


def _end(node: Node, plugin: Pod) -> Action:
    labels = (
        f"--label io.kubernetes.pod.namespace={plugin.namespace} "
        f"--label io.kubernetes.pod.name={plugin.name}"
    )
    return Action(
        text="End the plugin's process on the node itself: the call fails, the pods behind it are "
        "taken up, and the kubelet starts the plugin again",
        command=f"ssh {node.name} 'sudo crictl stop $(sudo crictl ps -q {labels})'",
        risk=Risk.RESTART,
        rung="runbook",
    )


def _asked(pod: Pod) -> str:
    return ", ".join(f"{count} {name}" for name, count in pod.requests.items()) or "no device"


RULE = DiagnosisRule(
    name="allocate-hangs",
    severity=Severity.ERROR,
    level=4,
    cases=("ADMIT-3",),
    references=("kubernetes#129249", "kubernetes#117435"),
    needs=frozenset({Need.NODES, Need.PODS}),
    helped_by=frozenset({Need.EVENTS}),
    check=_check,
)
