"""A DaemonSet's selector also selects the pods of another one.

Finds: two DaemonSets of one namespace, at least one of them a device plugin, where the selector of
one matches the labels of the other's pods; among the manifests, or between them and the cluster.

Why: pods keep the owner that made them, so it goes well until one of the two is deleted with its
pods left, as in a change of its selector: the other one adopts them and, with two pods of its own
on a node, deletes one (seen with Kubernetes 1.37.2). Whoever lists pods by the selector, people and
tools, gets those of both.

Sure: kubectl get pods -n NAMESPACE -l SELECTOR lists pods of both.

Do: give each a component label of its own, in the selector and in the template; the selector of a
DaemonSet that stands cannot be changed, so that one has to be replaced.
"""

from collections.abc import Iterable, Iterator

import msgspec

from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.manifest import Linted, Manifest, Violation, component_of, is_plugin
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import LintRule
from bridgehead.core.inventory.label_selector import label_selector_matches
from bridgehead.core.model.component import Component
from bridgehead.core.model.json import texts


class _Rival(msgspec.Struct, frozen=True):
    component: Component
    where: str


def _check(linted: Linted) -> Iterable[Violation]:
    written = linted.of_kind("DaemonSet")
    names = {(item.ref.namespace, item.ref.name) for item in written}
    for manifest in written:
        own = component_of(manifest)
        for rival in sorted(_rivals(linted, manifest, names), key=lambda item: item.component.ref):
            if not (is_plugin(manifest) or _plugin_stands(rival, written)):
                continue
            if label_selector_matches(own.selector, _labels(rival.component)):
                yield Violation(
                    manifest=manifest,
                    path=("spec", "selector"),
                    message=f"the selector also matches the pods of {rival.component.ref},"
                    f" {rival.where}",
                )


def _rivals(linted: Linted, manifest: Manifest, written: set[tuple[str, str]]) -> Iterator[_Rival]:
    own = (manifest.ref.namespace, manifest.ref.name)
    for other in linted.of_kind("DaemonSet"):
        named = (other.ref.namespace, other.ref.name)
        if named[0] == own[0] and named[1] != own[1]:
            at = f"{other.file}:{other.line}" if other.file else "in the cluster"
            yield _Rival(component_of(other), at)
    if linted.cluster is None or not own[0]:
        return
    for live in linted.cluster.snapshot.components:
        named = (live.namespace, live.name)
        if live.namespace == own[0] and named != own and named not in written:
            yield _Rival(live, "which stands in the cluster")


def _plugin_stands(rival: _Rival, written: tuple[Manifest, ...]) -> bool:
    named = (rival.component.namespace, rival.component.name)
    return any((it.ref.namespace, it.ref.name) == named and is_plugin(it) for it in written)


def _labels(component: Component) -> dict[str, str]:
    return texts(component.template, "metadata", "labels")


RULE = LintRule(
    name="selector-overlaps",
    severity=Severity.WARNING,
    references=("https://kubernetes.io/docs/concepts/workloads/controllers/daemonset/",),
    helped_by=frozenset({Need.DAEMON_SETS}),
    check=_check,
)
