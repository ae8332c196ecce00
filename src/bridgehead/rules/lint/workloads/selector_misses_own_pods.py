"""A controller's selector does not select the pods that it makes.

Finds: a DaemonSet, Deployment, StatefulSet or ReplicaSet whose spec.selector does not match the
labels of its own pod template, or is empty.

Why: the API server refuses the object: it would not know its own pods again. A label is often
renamed in one of the two places only.

Sure: kubectl apply --dry-run=server -f FILE says that the selector does not match template labels.

Do: give the template every label that the selector asks for. The selector of an object that stands
in the cluster cannot be changed.
"""

from collections.abc import Iterable, Mapping

from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.manifest import Linted, Manifest, Violation
from bridgehead.core.findings.rule import LintRule
from bridgehead.core.inventory.label_selector import label_selector_matches
from bridgehead.core.model.json import texts

_KINDS = ("DaemonSet", "Deployment", "StatefulSet", "ReplicaSet")
_PATH = ("spec", "selector")


def _check(linted: Linted) -> Iterable[Violation]:
    for manifest in linted.of_kind(*_KINDS):
        selector = manifest.at(_PATH)
        if not isinstance(selector, Mapping) or manifest.ref.api_version != "apps/v1":
            continue
        labels = texts(manifest.template, "metadata", "labels")
        if not label_selector_matches(selector, labels):
            yield Violation(manifest=manifest, path=_PATH, message=_message(manifest, labels))


def _message(manifest: Manifest, labels: Mapping[str, str]) -> str:
    asked = manifest.at((*_PATH, "matchLabels"))
    pairs = asked.items() if isinstance(asked, Mapping) else ()
    lacking = [f"{key}={value}" for key, value in pairs if labels.get(key) != value]
    has = ", ".join(f"{key}={value}" for key, value in sorted(labels.items())) or "no labels"
    if lacking:
        return f"the selector asks for {', '.join(lacking)}, and the pod template has {has}"
    return f"the selector does not select pods of its own template, which has {has}"


RULE = LintRule(
    name="selector-misses-own-pods",
    severity=Severity.ERROR,
    references=(
        "https://kubernetes.io/docs/concepts/workloads/controllers/daemonset/#pod-selector",
    ),
    check=_check,
)
