"""ResourceQuotas of the namespace that a manifest goes to, with what is left of them."""

from collections.abc import Iterator, Mapping
from decimal import Decimal

import msgspec

from bridgehead.core.findings.manifest import Linted, Manifest, containers
from bridgehead.core.findings.observed import Observed
from bridgehead.core.model.device import is_extended
from bridgehead.core.model.json import JsonObject, child, children, text
from bridgehead.core.model.quantity import amount

PODS = "pods"
_SPELLED = {"count/pods": PODS}
_REQUESTS = "requests."


class Quota(msgspec.Struct, frozen=True, kw_only=True):
    """One quota; ``hard`` and ``used`` by ``pods`` or the name of an extended resource."""

    name: str
    hard: Mapping[str, Decimal]
    used: Mapping[str, Decimal]
    spec: JsonObject

    @property
    def unjudged(self) -> tuple[str, ...]:
        """Scopes of which it is not known here whether they mean a pod."""
        named = child(self.spec, "scopes")
        plain = [it for it in named if isinstance(it, str)] if isinstance(named, list) else []
        selected = [text(item, "scopeName") for item in self._selectors]
        return tuple(sorted({*plain, *(it for it in selected if it != "PriorityClass")}))

    def counts(self, priority_class: str) -> bool:
        """Whether it counts pods of that priority class, as far as its scopes speak of it."""
        return all(
            _meets(item, priority_class)
            for item in self._selectors
            if text(item, "scopeName") == "PriorityClass"
        )

    @property
    def _selectors(self) -> tuple[JsonObject, ...]:
        return tuple(children(self.spec, "scopeSelector", "matchExpressions"))


def quotas_of(linted: Linted, namespace: str) -> tuple[Quota, ...]:
    """The quotas that will hold there, by name: those of the manifests before standing ones."""
    cluster = linted.cluster
    if cluster is None:
        return ()
    found = {
        text(item, "metadata", "name"): item
        for item in cluster.of_kind("ResourceQuota")
        if text(item, "metadata", "namespace") == namespace
    }
    for manifest in linted.of_kind("ResourceQuota"):
        if manifest.ref.namespace == namespace:
            found[manifest.ref.name] = manifest.data
    return tuple(_quota(cluster, namespace, name, item) for name, item in sorted(found.items()))


def asked_of_a_pod(manifest: Manifest) -> Mapping[str, Decimal]:
    """What one pod of the manifest takes of a quota: itself, and its extended resources."""
    side: dict[str, Decimal] = {}
    alone: dict[str, Decimal] = {}
    for path, container in containers(manifest):
        first = "initContainers" in path and text(container, "restartPolicy") != "Always"
        for name, count in _extended(container):
            if first:
                alone[name] = max(alone.get(name, Decimal(0)), count)
            else:
                side[name] = side.get(name, Decimal(0)) + count
    names = sorted({*side, *alone})
    asked = {it: max(side.get(it, Decimal(0)), alone.get(it, Decimal(0))) for it in names}
    return {PODS: Decimal(1), **asked}


def _extended(container: JsonObject) -> Iterator[tuple[str, Decimal]]:
    """The request; without one it is the limit."""
    amounts: dict[str, Decimal] = {}
    for field in ("limits", "requests"):
        found = child(container, "resources", field)
        for name, value in found.items() if isinstance(found, Mapping) else ():
            count = amount(str(value))
            if is_extended(str(name)) and count is not None:
                amounts[str(name)] = count
    yield from sorted(amounts.items())


def _quota(cluster: Observed, namespace: str, name: str, item: JsonObject) -> Quota:
    standing = cluster.raw("ResourceQuota", namespace, name)
    status = child(standing, "status", "used") if standing is not None else None
    used = _counted(status) if isinstance(status, Mapping) else _used(cluster, namespace)
    spec = child(item, "spec")
    return Quota(
        name=name,
        hard=_counted(child(item, "spec", "hard")),
        used=used,
        spec=spec if isinstance(spec, Mapping) else {},
    )


def _counted(amounts: object) -> Mapping[str, Decimal]:
    """Of a quota's entries those of pods and of extended resources."""
    found: dict[str, Decimal] = {}
    for key, value in amounts.items() if isinstance(amounts, Mapping) else ():
        name = _SPELLED.get(key, str(key).removeprefix(_REQUESTS))
        count = amount(str(value))
        if count is not None and (name == PODS or (name != key and is_extended(name))):
            found[name] = min(count, found.get(name, count))
    return found


def _used(cluster: Observed, namespace: str) -> Mapping[str, Decimal]:
    """What the pods of the namespace would make a new quota count."""
    found: dict[str, Decimal] = {}
    for pod in cluster.snapshot.pods:
        if pod.namespace == namespace and not pod.terminal:
            for name, count in {PODS: 1, **pod.requests}.items():
                found[name] = found.get(name, Decimal(0)) + count
    return found


def _meets(expression: JsonObject, name: str) -> bool:
    listed = child(expression, "values")
    values = listed if isinstance(listed, list) else []
    match text(expression, "operator"):
        case "In":
            return name in values
        case "NotIn":
            return bool(name) and name not in values
        case "DoesNotExist":
            return not name
        case _:
            return bool(name)
