"""Pods that kubelets have refused, with when and why; a refusal is final for its pod."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import lru_cache

import msgspec

from bridgehead.core.diagnose.admission_message import (
    AdmissionMessage,
    Refusal,
    parse_admission_message,
)
from bridgehead.core.diagnose.cause import Action, Risk
from bridgehead.core.diagnose.post import Post
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.symptom import pod_key
from bridgehead.core.findings.finding import ObjectRef
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.json import JsonObject, children, text
from bridgehead.core.model.pod import Pod
from bridgehead.core.model.times import epoch

_SHOWN = 20
"""Pods that a command names; more are no longer read by anybody."""


class Refused(msgspec.Struct, frozen=True, kw_only=True):
    """A pod that a kubelet has refused; ``at`` in seconds since the epoch."""

    pod: Pod
    said: AdmissionMessage
    at: float
    evidence: Evidence

    @property
    def resources(self) -> tuple[str, ...]:
        """The resource that the message names, else those that the pod asks for."""
        return (self.said.resource,) if self.said.resource else tuple(sorted(self.pod.requests))

    @property
    def key(self) -> str:
        """Of the symptom that it is."""
        return pod_key(self.pod)


def refused_pods(scene: Scene, *sorts: Refusal) -> tuple[Refused, ...]:
    """Refused pods, of these sorts or of any, in the order of their names."""
    return tuple(item for item in _all(scene) if not sorts or item.said.refusal in sorts)


@lru_cache(maxsize=1)
def _all(scene: Scene) -> tuple[Refused, ...]:
    """Worked out once, as many rules ask of the same scene and there may be thousands."""
    found = []
    for pod in sorted(scene.observed.snapshot.pods, key=lambda item: item.ref):
        if pod.phase != "Failed":
            continue
        said = parse_admission_message(pod.reason, pod.message)
        if said is not None:
            found.append(_refused(scene, pod, said))
    return tuple(found)


def _refused(scene: Scene, pod: Pod, said: AdmissionMessage) -> Refused:
    events = [event for event in scene.events(pod) if event.reason == pod.reason]
    if events and not pod.message:
        said = parse_admission_message(pod.reason, events[-1].message) or said
    at = events[-1].last if events and events[-1].last else _last_change(scene.raw(pod), pod)
    return Refused(
        pod=pod,
        said=said,
        at=at,
        evidence=Evidence(f"status of pod {pod.ref}", f"{pod.reason}: {pod.message or said.text}"),
    )


def _last_change(raw: JsonObject, pod: Pod) -> float:
    """The latest time in its status: a pod that had run before keeps its old startTime."""
    written = [text(raw, "status", "startTime")]
    written += [text(item, "lastTransitionTime") for item in children(raw, "status", "conditions")]
    written += [
        text(item, "state", "terminated", "finishedAt")
        for item in children(raw, "status", "containerStatuses")
    ]
    return max((time for it in written if (time := epoch(it)) is not None), default=pod.created)


def by_resource(found: Iterable[Refused]) -> Mapping[str, tuple[Refused, ...]]:
    """Refusals by the resource that they are about; of a pod with several, by the first."""
    groups: dict[str, list[Refused]] = defaultdict(list)
    for item in found:
        groups[item.resources[0] if item.resources else ""].append(item)
    return {name: tuple(items) for name, items in sorted(groups.items())}


def post_of(scene: Scene, node: str, resource: str) -> Post | None:
    """The plugin on the node that offers the resource; None where none is known to."""
    posts = scene.posts_by_node.get(node, ())
    found = [post for post in posts if resource in post.names]
    found += [post for post in posts if post.plugin.family.offers(resource)]
    return found[0] if found else None


def nodes_of(found: Iterable[Refused]) -> tuple[str, ...]:
    """Nodes whose kubelets refused, sorted."""
    return tuple(sorted({item.pod.node for item in found if item.pod.node}))


def told(found: tuple[Refused, ...], most: int = 3) -> tuple[Evidence, ...]:
    """What the first of them say; one quotation for each different text."""
    texts: dict[str, Evidence] = {}
    for item in found:
        texts.setdefault(item.said.text, item.evidence)
    return tuple(texts.values())[:most]


def counted(found: tuple[Refused, ...]) -> str:
    """``pod NS/NAME`` or ``N pods``."""
    return f"pod {found[0].pod.ref}" if len(found) == 1 else f"{len(found)} pods"


def object_of(found: tuple[Refused, ...]) -> ObjectRef:
    """The first pod."""
    return ObjectRef("v1", "Pod", found[0].pod.namespace, found[0].pod.name)


def clearing(found: tuple[Refused, ...]) -> tuple[Action, ...]:
    """What to do with the pods themselves once the reason is gone.

    Pods with a controller have successors; the newest of each controller stays as evidence.
    Pods without one never come back by themselves, and are nobody's to delete but their owner's.
    """
    bare = [item.pod for item in found if not item.pod.owner_kind]
    kept = {
        (item.pod.namespace, item.pod.owner_kind, item.pod.owner_name): item.pod
        for item in sorted(found, key=lambda item: (item.at, item.pod.ref))
        if item.pod.owner_kind
    }
    newest = {pod.ref for pod in kept.values()}
    owned = [it.pod for it in found if it.pod.owner_kind and it.pod.ref not in newest]
    actions = [
        Action(
            text=f"Delete {len(pods)} refused pods of controllers in {namespace}; "
            f"the newest of each stays as evidence{_rest(len(pods) - _SHOWN)}",
            command=f"kubectl delete pod -n {namespace} "
            + " ".join(pod.name for pod in pods[:_SHOWN]),
            risk=Risk.NONE,
            rung="R3",
        )
        for namespace, pods in _by_namespace(owned)
    ]
    actions += [
        Action(
            text=f"Create pod {pod.ref} anew from its manifest: it has no controller, and a "
            "refusal is final. A copy of what stands has spec.nodeName and goes past the scheduler",
            command=f"kubectl get pod -n {pod.namespace} {pod.name} -o yaml",
            risk=Risk.NONE,
            rung="runbook",
        )
        for pod in bare[:3]
    ]
    if not actions:
        actions.append(Action(text="Leave the refused pods: their controllers have made others"))
    return tuple(actions)


def _rest(more: int) -> str:
    """What a command that would be too long leaves out."""
    return f". The command has the first {_SHOWN}; {more} more are left then" if more > 0 else ""


def _by_namespace(pods: list[Pod]) -> list[tuple[str, list[Pod]]]:
    found: dict[str, list[Pod]] = defaultdict(list)
    for pod in pods:
        found[pod.namespace].append(pod)
    return sorted(found.items())
