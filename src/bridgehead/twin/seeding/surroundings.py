"""What recorded pods need beside themselves, where it was not recorded: names without content.

A pod is let in only where its account is there, and runs only where its volumes are. What is made
up here holds nothing.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from bridgehead.twin.controllers.daemonsets.template import HASH_LABEL
from bridgehead.twin.objects import (
    Object,
    controller_of,
    fields,
    items,
    name_of,
    namespace_of,
    text,
)

OWNER_LABEL = "rehearsal.bridgehead.dev/owner"
"""By it a made-up owner knows its pods: the selector of the real one was not recorded."""


_SYSTEM_PRIORITIES = {
    "system-cluster-critical": 2_000_000_000,
    "system-node-critical": 2_000_001_000,
}
"""Source: pkg/apis/scheduling/types.go (1.37)."""


class Made(NamedTuple):
    """An object that is made up, and the name under which messages know it."""

    group: str
    plural: str
    namespace: str
    object: Object


def namespaces(names: Sequence[str]) -> Iterator[Made]:
    """Namespaces, each with the account that every one has."""
    for name in names:
        yield Made("", "namespaces", "", {"metadata": {"name": name}})
    for name in names:
        yield Made("", "serviceaccounts", name, {"metadata": {"name": "default"}})


def referred_to(namespace: str, spec: Mapping[str, Any]) -> Iterator[Made]:
    """Accounts, classes, ConfigMaps and Secrets that a pod's spec names."""
    if account := text(spec, "serviceAccountName"):
        yield Made("", "serviceaccounts", namespace, {"metadata": {"name": account}})
    if priority := text(spec, "priorityClassName"):
        value = _SYSTEM_PRIORITIES.get(priority) or int(spec.get("priority") or 1_000_000)
        body = {"metadata": {"name": priority}, "value": value}
        yield Made("scheduling.k8s.io", "priorityclasses", "", body)
    if runtime := text(spec, "runtimeClassName"):
        body = {"metadata": {"name": runtime}, "handler": runtime}
        if overhead := fields(spec, "overhead"):
            body["overhead"] = {"podFixed": dict(overhead)}
        yield Made("node.k8s.io", "runtimeclasses", "", body)
    for name in sorted(_names(spec, "configMap", "name", "configMapRef", "configMapKeyRef")):
        yield Made("", "configmaps", namespace, {"metadata": {"name": name}})
    for name in sorted(_names(spec, "secret", "secretName", "secretRef", "secretKeyRef")):
        yield Made("", "secrets", namespace, {"metadata": {"name": name}})


def _names(spec: Mapping[str, Any], volume: str, key: str, whole: str, keyed: str) -> set[str]:
    found = {text(item, volume, key) for item in items(spec, "volumes")}
    for container in (*items(spec, "initContainers"), *items(spec, "containers")):
        found |= {text(item, whole, "name") for item in items(container, "envFrom")}
        found |= {text(item, "valueFrom", keyed, "name") for item in items(container, "env")}
    return found - {""}


class Owner(NamedTuple):
    """Whom recorded pods belong to."""

    namespace: str
    kind: str
    name: str


def owners(pods: Sequence[Object]) -> dict[Owner, list[Object]]:
    """Recorded pods by their controllers; those of DaemonSets are no part of it."""
    found: dict[Owner, list[Object]] = {}
    for pod in pods:
        controller = controller_of(pod)
        if controller is not None and text(controller, "kind") != "DaemonSet":
            owner = Owner(namespace_of(pod), text(controller, "kind"), text(controller, "name"))
            found.setdefault(owner, []).append(pod)
    return found


def owner_object(owner: Owner, pods: Sequence[Object]) -> Made | None:
    """A ReplicaSet or Job that keeps as many pods as it had; None for what nobody controls here."""
    mark = {OWNER_LABEL: owner.name[:63]}
    first = pods[0]
    spec = {key: value for key, value in fields(first, "spec").items() if key not in _BOUND}
    labels = {key: value for key, value in _labels(first).items() if key != HASH_LABEL}
    template = {"metadata": {"labels": {**labels, **mark}}, "spec": spec}
    if owner.kind == "ReplicaSet":
        body = {
            "metadata": {"name": owner.name},
            "spec": {
                "replicas": len(pods),
                "selector": {"matchLabels": mark},
                "template": template,
            },
        }
        return Made("apps", "replicasets", owner.namespace, body)
    if owner.kind == "Job":
        own = {**template, "spec": {**spec, "restartPolicy": "Never"}}
        body = {
            "metadata": {"name": owner.name},
            "spec": {
                "parallelism": len(pods),
                "completions": len(pods),
                "manualSelector": True,
                "selector": {"matchLabels": mark},
                "template": own,
            },
        }
        return Made("batch", "jobs", owner.namespace, body)
    return None


_BOUND = frozenset({"nodeName", "priority", "preemptionPolicy", "hostname", "subdomain"})


def _labels(pod: Object) -> dict[str, str]:
    return {str(key): str(value) for key, value in fields(pod, "metadata", "labels").items()}


def marked(pod: Object, owner: Owner) -> Object:
    """The pod with the label by which its owner knows it."""
    metadata = dict(fields(pod, "metadata"))
    metadata["labels"] = {**fields(metadata, "labels"), OWNER_LABEL: owner.name[:63]}
    return {**pod, "metadata": {**metadata, "name": name_of(pod)}}
