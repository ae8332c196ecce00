"""Two DaemonSets of one namespace select each other's pods.

Finds: a device plugin's DaemonSet that does not have the pods it wants, and another DaemonSet in
the same namespace whose selector matches its pods too, or the other way round.

Why: a controller counts and adopts what its selector matches. With equal labels a pod that has lost
its owner is taken by either; counts and revisions go wrong, and one set waits for pods that it
never gets.

Sure: kubectl get daemonsets -n NAMESPACE -o custom-columns=N:.metadata.name,S:.spec.selector shows
selectors that match the labels in the other's template.

Do: give each its own component label, in selector and template; as a selector cannot be changed,
one of the two must be created anew.
"""

from collections.abc import Iterable
from itertools import combinations

from bridgehead.core.components.registration import is_device_plugin
from bridgehead.core.diagnose.cause import Action, Blame, Cause, RollbackHelps
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.symptom import daemon_set_key
from bridgehead.core.findings.finding import ObjectRef, Severity
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.core.inventory.label_selector import label_selector_matches
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.component import Component
from bridgehead.core.model.confidence import Confidence
from bridgehead.core.model.json import canonical, texts


def _check(scene: Scene) -> Iterable[Cause]:
    known = {item.key for item in scene.symptoms}
    components = sorted(scene.observed.snapshot.components, key=lambda item: item.ref)
    for one, other in combinations(components, 2):
        if one.namespace != other.namespace:
            continue
        if not (is_device_plugin(one) or is_device_plugin(other)):
            continue
        keys = [daemon_set_key(item.namespace, item.name) for item in (one, other)]
        explains = tuple(key for key in keys if key in known)
        if explains and (_selects(one, other) or _selects(other, one)):
            yield _cause(one, other, explains)


def _selects(one: Component, other: Component) -> bool:
    return label_selector_matches(one.selector, texts(other.template, "metadata", "labels"))


def _cause(one: Component, other: Component, explains: tuple[str, ...]) -> Cause:
    plugin, rival = (one, other) if is_device_plugin(one) else (other, one)
    return Cause(
        message=(
            f"{plugin.ref} and {rival.ref} select each other's pods: their labels do not tell them "
            "apart"
        ),
        blame=Blame.SECOND_WRITER,
        evidence=(
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
    )


RULE = DiagnosisRule(
    name="overlapping-selectors",
    severity=Severity.ERROR,
    confidence=Confidence.MEDIUM,
    level=1,
    references=(
        "https://kubernetes.io/docs/concepts/workloads/controllers/daemonset/#pod-selector",
    ),
    needs=frozenset({Need.DAEMON_SETS}),
    supersedes=frozenset({"plugin-pod-missing"}),
    check=_check,
)
