"""The manifest's selector is not the one that stands in the cluster.

Finds: a DaemonSet whose spec.selector differs from that of the DaemonSet of the same name.

Why: the field is immutable, so the server refuses the whole change. A DaemonSet that is deleted
with its pods left and made anew runs beside them: two plugins of one resource on each node.

Sure: kubectl apply --dry-run=server -f FILE answers "spec.selector ... field is immutable".

Do: keep the labels that stand; or replace the DaemonSet on purpose, node by node, with the old pods
gone before the new ones come.
"""

from collections.abc import Iterable, Mapping

from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.manifest import Linted, Violation
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import LintRule
from bridgehead.core.findings.standing import standing
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.json import JsonObject, canonical, children, texts


def _check(linted: Linted) -> Iterable[Violation]:
    for manifest in linted.of_kind("DaemonSet"):
        live = standing(linted, manifest)
        selector = manifest.at(("spec", "selector"))
        if live is None or not isinstance(selector, Mapping) or _same(selector, live.selector):
            continue
        yield Violation(
            manifest=manifest,
            path=("spec", "selector"),
            message=f"the selector is {_words(selector)}, and {live.ref} has"
            f" {_words(live.selector)}, which cannot be changed",
            evidence=(Evidence(live.ref, f"spec.selector: {canonical(live.selector)}"),),
        )


def _same(one: JsonObject, other: JsonObject) -> bool:
    return texts(one, "matchLabels") == texts(other, "matchLabels") and _expressions(
        one
    ) == _expressions(other)


def _expressions(selector: JsonObject) -> list[str]:
    return [canonical(item) for item in children(selector, "matchExpressions")]


def _words(selector: JsonObject) -> str:
    labels = [f"{key}={value}" for key, value in sorted(texts(selector, "matchLabels").items())]
    return ",".join([*labels, *_expressions(selector)]) or "empty"


RULE = LintRule(
    name="selector-changed",
    severity=Severity.ERROR,
    references=("NVIDIA#701",),
    needs=frozenset({Need.DAEMON_SETS}),
    check=_check,
)
