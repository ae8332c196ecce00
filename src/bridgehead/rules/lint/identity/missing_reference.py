"""A plugin refers to an object that is not there.

Finds: a ConfigMap, Secret, ServiceAccount, RuntimeClass or PriorityClass that a device plugin's
template refers to and that stands neither among the manifests nor in the cluster; without a cluster
only if the manifests are all there is, and no RuntimeClass, which comes with the runtime. Optional
references and pull secrets do not count; of a cluster's priority classes priority-class-refused
tells.

Why: pods without their ServiceAccount or one of the classes are refused at creation; pods without
their ConfigMap or Secret wait for ever. In an update the old pod is gone by then, and so are its
devices.

Sure: kubectl get KIND NAME -n NAMESPACE answers NotFound. Without a cluster the object may be made
by other means; then a comment sets the finding aside.

Do: create it first, or correct the name.
"""

from collections.abc import Iterable, Iterator, Mapping

import msgspec

from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.manifest import Doubt, Linted, Manifest, Path, Violation, containers
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import LintRule
from bridgehead.core.model.confidence import Confidence
from bridgehead.core.model.json import JsonValue, child, children, text
from bridgehead.core.model.priority_classes import BUILT_IN

_NEEDS = {
    "ConfigMap": Need.CONFIG_MAPS,
    "Secret": Need.SECRETS,
    "ServiceAccount": Need.SERVICE_ACCOUNTS,
    "RuntimeClass": Need.RUNTIME_CLASSES,
}
_CLUSTER_WIDE = frozenset({"RuntimeClass", "PriorityClass"})
_SPEC = ("spec", "template", "spec")


class _Reference(msgspec.Struct, frozen=True):
    kind: str
    name: str
    path: Path


def _check(linted: Linted) -> Iterable[Violation | Doubt]:
    for plugin in linted.plugins:
        seen = set()
        for reference in _references(plugin):
            named = (reference.kind, reference.name)
            elsewhere = reference.kind == "PriorityClass" and linted.cluster is not None
            if elsewhere or named in seen or _written(linted, plugin, reference):
                continue
            seen.add(named)
            stands = _stands(linted, plugin, reference)
            if stands is None:
                yield Doubt(
                    why=f"whether {reference.kind} {reference.name}, to which {plugin.ref} refers,"
                    " is there"
                )
            elif not stands:
                sure = linted.cluster is not None
                where = "in the cluster" if sure else "among the manifests"
                yield Violation(
                    manifest=plugin,
                    path=reference.path,
                    message=f"{reference.kind} {reference.name} is not {where}",
                    confidence=None if sure else Confidence.MEDIUM,
                )


def _written(linted: Linted, plugin: Manifest, reference: _Reference) -> bool:
    namespaces = {"", plugin.ref.namespace}
    return any(
        item.ref.name == reference.name
        and (reference.kind in _CLUSTER_WIDE or item.ref.namespace in namespaces)
        for item in linted.of_kind(reference.kind)
    )


def _stands(linted: Linted, plugin: Manifest, reference: _Reference) -> bool | None:
    """None where that was not read, or the manifest leaves its namespace open."""
    wide = reference.kind in _CLUSTER_WIDE
    if linted.cluster is None:
        return False if linted.complete and reference.kind != "RuntimeClass" else None
    if not linted.cluster.has(_NEEDS[reference.kind]):
        return None
    if not wide and not plugin.ref.namespace:
        return None
    namespace = "" if wide else plugin.ref.namespace
    return linted.cluster.raw(reference.kind, namespace, reference.name) is not None


def _references(plugin: Manifest) -> Iterator[_Reference]:
    spec = plugin.at(_SPEC)
    if not isinstance(spec, Mapping):
        return
    account = text(spec, "serviceAccountName")
    if account not in ("", "default"):
        yield _Reference("ServiceAccount", account, (*_SPEC, "serviceAccountName"))
    if runtime := text(spec, "runtimeClassName"):
        yield _Reference("RuntimeClass", runtime, (*_SPEC, "runtimeClassName"))
    priority = text(spec, "priorityClassName")
    if priority not in ("", *BUILT_IN):
        yield _Reference("PriorityClass", priority, (*_SPEC, "priorityClassName"))
    for number, volume in enumerate(children(spec, "volumes")):
        path: Path = (*_SPEC, "volumes", number)
        yield from _one("ConfigMap", child(volume, "configMap"), "name", path)
        yield from _one("Secret", child(volume, "secret"), "secretName", path)
        for source in children(volume, "projected", "sources"):
            yield from _one("ConfigMap", child(source, "configMap"), "name", path)
            yield from _one("Secret", child(source, "secret"), "name", path)
    for path, container in containers(plugin):
        for number, item in enumerate(children(container, "env")):
            at = (*path, "env", number)
            yield from _one("ConfigMap", child(item, "valueFrom", "configMapKeyRef"), "name", at)
            yield from _one("Secret", child(item, "valueFrom", "secretKeyRef"), "name", at)
        for number, item in enumerate(children(container, "envFrom")):
            at = (*path, "envFrom", number)
            yield from _one("ConfigMap", child(item, "configMapRef"), "name", at)
            yield from _one("Secret", child(item, "secretRef"), "name", at)


def _one(kind: str, value: JsonValue, field: str, path: Path) -> Iterator[_Reference]:
    name = text(value, field)
    if name and child(value, "optional") is not True:
        yield _Reference(kind, name, path)


RULE = LintRule(
    name="missing-reference",
    severity=Severity.ERROR,
    references=("aws-neuron/aws-neuron-sdk#794", "NVIDIA#438", "NVIDIA#479"),
    helped_by=frozenset(_NEEDS.values()),
    check=_check,
)
