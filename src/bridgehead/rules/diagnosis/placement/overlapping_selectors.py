"""Two DaemonSets of one namespace select each other's pods.

Finds: a device plugin's DaemonSet that does not have the pods it wants, and another DaemonSet in
the same namespace whose selector matches its pods too, or the other way round. It is sure where one
owns a pod that the other has made.

Why: pods keep the owner that made them, so equal labels alone take nothing away. A pod that has
lost its owner, as when a DaemonSet is deleted with its pods left, is adopted by the other one: that
counts it as its own, and of two on a node deletes one (seen with Kubernetes 1.37.2).

Sure: kubectl get pods -n NAMESPACE -o custom-columns=N:.metadata.name,O:.metadata.ownerReferences
shows a pod under another owner than its name says.

Do: give each its own component label, in selector and template; as a selector cannot be changed,
one of the two must be created anew. Without an adopted pod, look for another cause first.
"""

from collections.abc import Iterable
from itertools import combinations

from bridgehead.core.components.registration import is_device_plugin
from bridgehead.core.components.resources import pods_of
from bridgehead.core.diagnose.cause import Action, Blame, Cause, RollbackHelps, RuledOut
from bridgehead.core.diagnose.patience import PATIENCE
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.symptom import daemon_set_key
from bridgehead.core.findings.finding import ObjectRef, Severity
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.core.inventory.label_selector import label_selector_matches
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.component import Component
from bridgehead.core.model.confidence import Confidence
from bridgehead.core.model.json import JsonValue, canonical, child, text, texts
from bridgehead.core.model.pod import Pod
from bridgehead.core.model.times import epoch


def _check(scene: Scene) -> Iterable[Cause]:
    known = {item.key for item in scene.symptoms}
    components = sorted(scene.observed.snapshot.components, key=lambda item: item.ref)
    for one, other in combinations(components, 2):
        if one.namespace != other.namespace:
            continue
        if not (is_device_plugin(one) or is_device_plugin(other)):
            continue
        if not (_selects(one, other) or _selects(other, one)):
            continue
        adopted = _adopted(scene, one, other)
        hit = [it for it in (one, other) if adopted or _not_made(scene, it)]
        keys = [daemon_set_key(item.namespace, item.name) for item in hit]
        explains = tuple(key for key in keys if key in known)
        if explains or any(_lacks_pods(scene, item) for item in hit):
            yield _cause(one, other, explains, adopted)


def _not_made(scene: Scene, component: Component) -> bool:
    """Whether pods that it wants are not there, and it does not even try to make them.

    One that wants none, as after its devices and their label have gone, lacks none; and one whose
    pods are refused has missed them: in both nobody has taken them away.
    """
    events = scene.observed.events_of("DaemonSet", component.namespace, component.name)
    wanted, there = _counts(scene, component)
    tries = any(event.reason == "FailedCreate" for event in events)
    return isinstance(wanted, int) and isinstance(there, int) and there < wanted and not tries


def _lacks_pods(scene: Scene, component: Component) -> bool:
    """By its own status, for longer than a controller takes: it may be no plugin itself."""
    raw = scene.observed.raw("DaemonSet", component.namespace, component.name) or {}
    wanted, there = _counts(scene, component)
    made = epoch(text(raw, "metadata", "creationTimestamp"))
    return (
        isinstance(wanted, int)
        and isinstance(there, int)
        and there < wanted
        and made is not None
        and scene.now - made > PATIENCE
    )


def _counts(scene: Scene, component: Component) -> tuple[JsonValue, JsonValue]:
    """Pods that it wants and has."""
    raw = scene.observed.raw("DaemonSet", component.namespace, component.name) or {}
    return (
        child(raw, "status", "desiredNumberScheduled"),
        child(raw, "status", "currentNumberScheduled"),
    )


def _selects(one: Component, other: Component) -> bool:
    return label_selector_matches(one.selector, texts(other.template, "metadata", "labels"))


def _adopted(scene: Scene, one: Component, other: Component) -> tuple[Evidence, ...]:
    """Pods that one of the two owns and the other has made, by their names."""
    return tuple(
        Evidence(f"owner of pod {pod.ref}", f"{owner.ref}, and its name is from {maker.ref}")
        for owner, maker in ((one, other), (other, one))
        for pod in pods_of(owner, scene.observed.snapshot.pods)
        if _made_by(maker, pod) and not _made_by(owner, pod)
    )


def _made_by(component: Component, pod: Pod) -> bool:
    return pod.name.rpartition("-")[0] == component.name


def _cause(
    one: Component,
    other: Component,
    explains: tuple[str, ...],
    adopted: tuple[Evidence, ...],
) -> Cause:
    plugin, rival = (one, other) if is_device_plugin(one) else (other, one)
    return Cause(
        message=(
            f"{plugin.ref} and {rival.ref} select each other's pods: their labels do not tell them "
            "apart"
        ),
        blame=Blame.SECOND_WRITER,
        evidence=(
            *adopted[:3],
            *(
                Evidence(f"selector of {item.ref}", canonical(item.selector))
                for item in (one, other)
            ),
            *(
                Evidence(
                    f"pod labels of {item.ref}",
                    canonical(texts(item.template, "metadata", "labels")),
                )
                for item in (one, other)
            ),
        ),
        refuted_by="one of them deleted, and the other still without its pods",
        object=ObjectRef("apps/v1", "DaemonSet", plugin.namespace, plugin.name),
        explains=explains,
        actions=(
            Action(
                text="Give each a component label of its own, in selector and template, and create "
                "one of them anew: a selector cannot be changed.",
                command=f"kubectl get daemonsets -n {plugin.namespace} "
                "-o custom-columns=NAME:.metadata.name,SELECTOR:.spec.selector.matchLabels",
            ),
        ),
        rollback_helps=RollbackHelps.UNKNOWN,
        ruled_out=(
            RuledOut("placement", "nodes are wanted, and their pods are not made or not kept"),
        ),
        confidence=Confidence.HIGH if adopted else Confidence.LOW,
    )


RULE = DiagnosisRule(
    name="overlapping-selectors",
    severity=Severity.ERROR,
    confidence=Confidence.LOW,
    level=1,
    references=(
        "https://kubernetes.io/docs/concepts/workloads/controllers/daemonset/#pod-selector",
    ),
    needs=frozenset({Need.DAEMON_SETS}),
    helped_by=frozenset({Need.PODS, Need.EVENTS}),
    supersedes=frozenset({"mps-parts-missing"}),
    check=_check,
)
