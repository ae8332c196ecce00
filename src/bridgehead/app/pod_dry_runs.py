"""Asks the API server whether it would take pods of plugins; what it says is added."""

from collections.abc import Collection, Iterable, Iterator, Mapping

import msgspec

from bridgehead.cluster.evidence_dry_runs import Trial, pod_dry_runs
from bridgehead.core.diagnose.creation_refusals import lacking_pods
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.findings.manifest import Linted, Manifest
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.observed import Observed
from bridgehead.core.model.json import JsonObject, child, text, texts
from bridgehead.core.model.snapshot import Unread
from bridgehead.kube.client import Kube
from bridgehead.sources.lintable import Unit

_LEVELS = "pod-security.kubernetes.io/"


async def with_trials_of_missing_pods(kube: Kube, observed: Observed, scene: Scene) -> Observed:
    """The same, with dry runs of plugins that lack pods. What is not answered is unread.

    Raises KubeError where the server does not answer at all.
    """
    trials = [
        Trial(namespace=item.namespace, name=item.name, template=item.template)
        for item in lacking_pods(scene)
    ]
    objects, unread = await pod_dry_runs(kube, trials)
    return _with(observed, objects, unread)


async def with_trials_of_manifests(
    kube: Kube, observed: Observed, units: Iterable[Unit]
) -> Observed:
    """The same, with dry runs of the plugins among manifests, as far as their namespaces exist.

    What is not answered is left to the rules to say: to create pods is more than a reader may,
    and labels tell most of it, too. Raises KubeError where the server does not answer at all.
    """
    objects, _ = await pod_dry_runs(kube, _trials(observed, units))
    return _with(observed, objects, ())


def _with(
    observed: Observed, objects: tuple[JsonObject, ...], unread: tuple[Unread, ...]
) -> Observed:
    return msgspec.structs.replace(
        observed,
        objects={**observed.objects, "PodDryRun": objects},
        met=observed.met if unread else observed.met | {Need.DRY_RUNS},
        unread=(*observed.unread, *unread),
    )


def _trials(observed: Observed, units: Iterable[Unit]) -> list[Trial]:
    """One of each plugin; none of one that several units write each in its own way."""
    found: dict[str, list[Trial]] = {}
    for unit in units:
        for trial in _of_unit(observed, unit):
            found.setdefault(trial.component, []).append(trial)
    return [items[0] for items in found.values() if all(item == items[0] for item in items)]


def _of_unit(observed: Observed, unit: Unit) -> Iterator[Trial]:
    there = {text(item, "metadata", "name") for item in observed.of_kind("Namespace")}
    for plugin in Linted(manifests=unit.manifests).plugins:
        namespace = plugin.ref.namespace
        exists = namespace in there or not observed.has(Need.NAMESPACES)
        if namespace and exists and not _changes(observed, unit.manifests, namespace):
            template = _without_what_comes(observed, unit.manifests, plugin)
            yield Trial(namespace=namespace, name=plugin.ref.name, template=template)


def _changes(observed: Observed, manifests: Collection[Manifest], namespace: str) -> bool:
    """Whether the manifests change what the namespace takes: then its answer of today is none."""
    for item in manifests:
        names = (item.ref.namespace, item.ref.name)
        if item.kind == "ResourceQuota" and item.ref.namespace == namespace:
            if observed.raw(item.kind, *names) is None:
                return True
        elif item.kind == "Namespace" and item.ref.name == namespace:
            standing = observed.raw("Namespace", "", namespace) or {}
            if _levels(item.data) != _levels(standing):
                return True
    return False


def _levels(namespace: JsonObject) -> Mapping[str, str]:
    labels = texts(namespace, "metadata", "labels")
    return {key: value for key, value in labels.items() if key.startswith(_LEVELS)}


def _without_what_comes(
    observed: Observed, manifests: Collection[Manifest], plugin: Manifest
) -> JsonObject:
    """The template without references to objects that come with it and are not there yet.

    They would be missed before anything else is looked at.
    """
    come = {(item.kind, item.ref.name) for item in manifests}
    classes = {text(item, "metadata", "name") for item in observed.of_kind("PriorityClass")}
    spec = child(plugin.template, "spec")
    dropped = set()
    if ("ServiceAccount", text(spec, "serviceAccountName")) in come:
        dropped |= {"serviceAccountName", "serviceAccount"}
    if ("RuntimeClass", text(spec, "runtimeClassName")) in come:
        dropped.add("runtimeClassName")
    name = text(spec, "priorityClassName")
    if ("PriorityClass", name) in come and name not in classes:
        dropped.add("priorityClassName")
    if not dropped or not isinstance(spec, Mapping):
        return plugin.template
    kept = {key: value for key, value in spec.items() if key not in dropped}
    return {**plugin.template, "spec": kept}
