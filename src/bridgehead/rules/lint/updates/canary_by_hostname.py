"""A plugin's placement names single nodes by their hostname.

Finds: a device plugin, or a patch of one, whose nodeSelector, required node affinity or nodeName
picks nodes by kubernetes.io/hostname or metadata.name.

Why: the DaemonSet runs there and nowhere else. As a canary it takes the plugin away from all other
nodes at once, whatever maxUnavailable or OnDelete say, for eligibility is no update: their
allocatable falls to 0 within seconds. Left over from a canary it keeps the rollout on that node,
and a merge patch that adds the wanted label does not remove it.

Sure: kubectl get daemonset NAME -o jsonpath='{.spec.template.spec.nodeSelector}' and
DESIRED of kubectl get daemonset NAME against the number of device nodes.

Do: select by a label of the hardware or of the node pool; let one node go first by a rollout that
replaces its pod under OnDelete.
"""

from collections.abc import Iterable, Iterator, Mapping

from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.manifest import Linted, Manifest, Path, Violation
from bridgehead.core.findings.rule import LintRule
from bridgehead.core.model.json import JsonObject, children, text, texts

_HOSTNAME = "kubernetes.io/hostname"
_SPEC = ("spec", "template", "spec")
_REQUIRED = ("affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution")
_PICKS = ("In", "")


def _check(linted: Linted) -> Iterable[Violation]:
    plugins = linted.plugins
    own, names = {id(item) for item in plugins}, {item.ref.name for item in plugins}
    for manifest in linted.of_kind("DaemonSet"):
        known = id(manifest) in own or _patches(manifest, names)
        for path, what in _pins(manifest) if known else ():
            yield Violation(
                manifest=manifest,
                path=path,
                message=f"{what}: the plugin runs there only, and every other node is without it",
            )


def _patches(manifest: Manifest, names: set[str]) -> bool:
    """A patch has no containers of its own; it goes by the name of what it patches."""
    return not children(manifest.template, "spec", "containers") and manifest.ref.name in names


def _pins(manifest: Manifest) -> Iterator[tuple[Path, str]]:
    spec = manifest.at(_SPEC)
    if not isinstance(spec, Mapping):
        return
    if host := texts(spec, "nodeSelector").get(_HOSTNAME):
        yield (*_SPEC, "nodeSelector", _HOSTNAME), f"nodeSelector asks for the host {host}"
    if node := text(spec, "nodeName"):
        yield (*_SPEC, "nodeName"), f"nodeName is {node}"
    terms = children(spec, *_REQUIRED, "nodeSelectorTerms")
    # One term is enough for a node: only where every term names hosts are all others excluded.
    found = [list(_hosts(term)) for term in terms]
    if found and all(found):
        path = (*_SPEC, *_REQUIRED, "nodeSelectorTerms")
        for number, hosts in enumerate(found):
            for field, index, values in hosts:
                yield (*path, number, field, index), f"node affinity asks for {', '.join(values)}"


def _hosts(term: JsonObject) -> Iterator[tuple[str, int, list[str]]]:
    for field, key in (("matchExpressions", _HOSTNAME), ("matchFields", "metadata.name")):
        for number, item in enumerate(children(term, field)):
            values = item.get("values")
            if text(item, "key") == key and text(item, "operator") in _PICKS:
                yield field, number, [str(it) for it in values] if isinstance(values, list) else []


RULE = LintRule(
    name="canary-by-hostname",
    severity=Severity.WARNING,
    references=(
        "https://kubernetes.io/docs/concepts/workloads/controllers/daemonset/",
        "https://kubernetes.io/docs/tasks/manage-kubernetes-objects/update-api-object-kubectl-patch/",
    ),
    check=_check,
)
