"""The namespace's quota admits fewer pods than there are to be.

Finds: a manifest whose pods, one for each eligible node or one for each replica, need more than a
ResourceQuota of their namespace leaves: of pods, or of an extended resource that they ask for.
Objects of one namespace are added up. Of Jobs, which wait for their turn, one pod alone counts.

Why: the object is accepted, and the pods beyond the quota are refused when they are created: some
nodes stay without the plugin, and only an event of the controller says so.

Sure: kubectl describe quota -n NAMESPACE shows what is used and what is allowed. Quotas of cpu and
memory, and such with other scopes than priority classes, are not judged.

Do: raise the quota to what all pods need, or move them to another namespace.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal

from bridgehead.core.findings.eligible import eligible_nodes
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.manifest import Doubt, Linted, Manifest, Violation
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.quotas import PODS, Quota, asked_of_a_pod, quotas_of
from bridgehead.core.findings.rule import LintRule
from bridgehead.core.inventory.label_selector import label_selector_matches
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.json import JsonObject, text
from bridgehead.core.model.pod import Pod

_REPLICATED = ("Deployment", "StatefulSet", "ReplicaSet")
_WAITING = ("Job", "CronJob")

Needed = dict[tuple[str, str, str], Decimal]
"""What objects before this one need in addition, by namespace, quota and entry."""


def _check(linted: Linted) -> Iterable[Violation | Doubt]:
    needed: Needed = defaultdict(Decimal)
    spaces = {item.ref.namespace for item in linted.with_pods} - {""}
    quotas = {name: quotas_of(linted, name) for name in sorted(spaces)}
    there = _by_namespace(linted, {name for name, found in quotas.items() if found})
    for manifest in linted.with_pods:
        for quota in quotas.get(manifest.ref.namespace, ()):
            if quota.unjudged:
                yield Doubt(
                    why=f"whether quota {quota.name} counts pods of {manifest.ref}: it has the "
                    f"scope {', '.join(quota.unjudged)}"
                )
            elif quota.counts(text(manifest.template, "spec", "priorityClassName")):
                pods = there[manifest.ref.namespace]
                own = () if manifest.kind in _WAITING else _own(manifest, pods)
                yield from _exceeded(manifest, quota, (_wanted(linted, manifest), own), needed)


def _by_namespace(linted: Linted, namespaces: Collection[str]) -> Mapping[str, list[Pod]]:
    """Pods that have not ended, of these namespaces."""
    found: dict[str, list[Pod]] = {name: [] for name in namespaces}
    for pod in linted.cluster.snapshot.pods if linted.cluster else ():
        if pod.namespace in found and not pod.terminal:
            found[pod.namespace].append(pod)
    return found


def _exceeded(
    manifest: Manifest, quota: Quota, pods_of_it: tuple[int, Sequence[Pod]], needed: Needed
) -> Iterator[Violation]:
    """``pods_of_it``: how many there are to be, and those that there are."""
    waits = manifest.kind in _WAITING
    pods, own = pods_of_it
    for entry, each in asked_of_a_pod(manifest).items():
        if entry not in quota.hard:
            continue
        key = (manifest.ref.namespace, quota.name, entry)
        has = sum((_takes(pod, entry) for pod in own), Decimal(0))
        used = Decimal(0) if waits else quota.used.get(entry, Decimal(0)) - has + needed[key]
        left, wanted = max(quota.hard[entry] - used, Decimal(0)), each * pods
        if not waits:
            needed[key] += max(wanted - has, Decimal(0))
        # What it has already is admitted: a quota is looked at when pods are created.
        if wanted > left and wanted > has:
            yield _violation(manifest, quota, entry, (pods, wanted, left, used))


def _wanted(linted: Linted, manifest: Manifest) -> int:
    if manifest.kind == "DaemonSet":
        return len(eligible_nodes(linted, manifest))
    replicas = manifest.at(("spec", "replicas")) if manifest.kind in _REPLICATED else 1
    return replicas if isinstance(replicas, int) else 1


def _own(manifest: Manifest, pods: Iterable[Pod]) -> tuple[Pod, ...]:
    """Pods of the object that stands: a quota counts them already, and they are replaced."""
    if manifest.kind == "Pod":
        return tuple(pod for pod in pods if pod.name == manifest.ref.name)
    selector = manifest.at(("spec", "selector"))
    chosen: JsonObject = selector if isinstance(selector, Mapping) else {}
    return tuple(pod for pod in pods if label_selector_matches(chosen, pod.labels))


def _takes(pod: Pod, entry: str) -> Decimal:
    return Decimal(1 if entry == PODS else pod.requests.get(entry, 0))


def _violation(
    manifest: Manifest, quota: Quota, entry: str, counts: tuple[int, Decimal, Decimal, Decimal]
) -> Violation:
    pods, wanted, left, used = counts
    hard = quota.hard[entry]
    what = _pods(hard) if entry == PODS else f"{hard:f} {entry}"
    each_node = f"one pod on each of {pods} nodes"
    makes = each_node if manifest.kind == "DaemonSet" and pods > 1 else _pods(Decimal(pods))
    needs = makes if entry == PODS else f"{makes}, {wanted:f} {entry} together"
    others = f", of which {used:f} are for others" if used else ""
    return Violation(
        manifest=manifest,
        path=("metadata", "namespace"),
        message=f"it needs {needs}, and quota {quota.name} of namespace "
        f"{manifest.ref.namespace} leaves {left:f}: it allows {what}{others}",
        evidence=(Evidence(f"quota {manifest.ref.namespace}/{quota.name}", f"hard: {what}"),),
    )


def _pods(count: Decimal) -> str:
    return f"{count:f} pod{'' if count == 1 else 's'}"


RULE = LintRule(
    name="quota-admits-too-few-pods",
    severity=Severity.ERROR,
    references=("https://kubernetes.io/docs/concepts/policy/resource-quotas/",),
    needs=frozenset({Need.NODES, Need.PODS, Need.RESOURCE_QUOTAS}),
    check=_check,
)
