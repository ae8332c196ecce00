"""The namespace's Pod Security level refuses the plugin's pods.

Finds: a plugin in a namespace that enforces the level baseline or restricted. Where the server was
asked to create such a pod in a dry run, its answer counts and nothing else.

Why: both levels refuse hostPath volumes, and every plugin needs one. Applying the DaemonSet
succeeds; its pods are refused one by one, and during an update the old pod is gone by then.

Sure: kubectl create --dry-run=server of a Pod made from the template; an exemption of the admission
plugin (a user, a namespace) makes the label alone no proof.

Do: put pod-security.kubernetes.io/enforce: privileged on the plugin's own namespace; that is a
decision of whoever owns it, and never made for them.
"""

from collections.abc import Iterable, Mapping

from bridgehead.core.findings.dry_run import dry_run_of
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.kubelet_mounts import kubelet_mounts
from bridgehead.core.findings.manifest import Doubt, Linted, Manifest, Violation
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import LintRule
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.confidence import Confidence
from bridgehead.core.model.json import child, text, texts

ENFORCE = "pod-security.kubernetes.io/enforce"
_REFUSING = ("baseline", "restricted")


def _check(linted: Linted) -> Iterable[Violation | Doubt]:
    levels = _levels(linted)
    for plugin in linted.plugins:
        answer = dry_run_of(linted, plugin)
        level = levels.get(plugin.ref.namespace, "")
        if child(answer, "accepted") is True:
            continue
        said = text(answer, "message")
        if "PodSecurity" in said:
            yield _violation(plugin, level or "a level", Evidence("server dry run", said))
        elif level in _REFUSING and any(item.is_host_path for item in kubelet_mounts(plugin)):
            source = f"labels of namespace {plugin.ref.namespace}"
            yield _violation(plugin, level, Evidence(source, f"{ENFORCE}: {level}"), sure=False)
        elif said and child(answer, "accepted") is None:
            yield Doubt(
                why=f"whether namespace {plugin.ref.namespace} takes a pod of {plugin.ref}: {said}"
            )


def _levels(linted: Linted) -> Mapping[str, str]:
    """By namespace; a manifest of the namespace overrules the cluster."""
    known = linted.cluster.of_kind("Namespace") if linted.cluster else ()
    written = [item.data for item in linted.of_kind("Namespace")]
    return {
        text(item, "metadata", "name"): texts(item, "metadata", "labels").get(ENFORCE, "")
        for item in (*known, *written)
    }


def _violation(plugin: Manifest, level: str, evidence: Evidence, *, sure: bool = True) -> Violation:
    return Violation(
        manifest=plugin,
        path=("metadata", "namespace"),
        message=f"namespace {plugin.ref.namespace} enforces {level}, which refuses hostPath: "
        "no pod of this plugin will be created",
        evidence=(evidence,),
        confidence=None if sure else Confidence.MEDIUM,
    )


RULE = LintRule(
    name="namespace-refuses-pod",
    severity=Severity.ERROR,
    references=("NVIDIA#62", "intel#1017"),
    helped_by=frozenset({Need.NAMESPACES, Need.DRY_RUNS}),
    check=_check,
)
