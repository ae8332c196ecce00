"""What the server says of objects that it lets in all the same.

Source: k8s.io/kubernetes/pkg/api/pod/warnings.go, .../pkg/api/node/util.go and ``WarningsOnCreate``
of the strategies.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bridgehead.twin.kinds import Kind, Stored
from bridgehead.twin.objects import Object
from bridgehead.twin.schema.quantities import value_of
from bridgehead.twin.schema.validation.causes import quoted
from bridgehead.twin.schema.validation.names import dns_label

_NODE_LABELS: Mapping[str, str] = {
    "beta.kubernetes.io/arch": 'deprecated since v1.14; use "kubernetes.io/arch" instead',
    "beta.kubernetes.io/os": 'deprecated since v1.14; use "kubernetes.io/os" instead',
    "failure-domain.beta.kubernetes.io/region": (
        'deprecated since v1.17; use "topology.kubernetes.io/region" instead'
    ),
    "failure-domain.beta.kubernetes.io/zone": (
        'deprecated since v1.17; use "topology.kubernetes.io/zone" instead'
    ),
    "beta.kubernetes.io/instance-type": (
        'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead'
    ),
    "app.kubernetes.io/created-by": "deprecated since v1.9",
    "scheduler.alpha.kubernetes.io/preferAvoidPods": (
        "deprecated since v1.22; use Taints and Tolerations instead"
    ),
    "node-role.kubernetes.io/master": 'use "node-role.kubernetes.io/control-plane" instead',
}

_ANNOTATIONS: Mapping[str, str] = {
    "scheduler.alpha.kubernetes.io/critical-pod": (
        'non-functional in v1.16+; use the "priorityClassName" field instead'
    ),
    "security.alpha.kubernetes.io/sysctls": (
        'non-functional in v1.11+; use the "sysctls" field instead'
    ),
    "security.alpha.kubernetes.io/unsafe-sysctls": (
        'non-functional in v1.11+; use the "sysctls" field instead'
    ),
}

_PEM = "LS0tLS1CRUdJTi"
"""How PEM begins in base64."""

_HOSTNAME = "which can result in surprising behavior; a DNS label is recommended"

_NAMED: Mapping[Stored, str] = {
    Stored("", "pods"): f"this is used in the Pod's hostname, {_HOSTNAME}",
    Stored("apps", "deployments"): f"this is used in Pod names and hostnames, {_HOSTNAME}",
    Stored("apps", "replicasets"): f"this is used in Pod names and hostnames, {_HOSTNAME}",
    Stored("batch", "jobs"): f"this is used in Pod names and hostnames, {_HOSTNAME}",
}
"""Kinds whose names become those of hosts."""

_TEMPLATED = frozenset(
    {
        *(Stored("apps", plural) for plural in ("daemonsets", "deployments", "replicasets")),
        Stored("apps", "statefulsets"),
        Stored("batch", "jobs"),
    }
)


def new_warnings(kind: Kind, obj: Object) -> Iterator[str]:
    """Of a new object."""
    if (what := _NAMED.get(kind.stored)) and (found := list(dns_label(_name(obj)))):
        yield f"metadata.name: {what}: [{' '.join(found)}]"
    if kind.stored == ("", "pods"):
        yield from _pod_warnings(obj, "")
    elif obj.get("type") == "kubernetes.io/tls":
        if _PEM not in str((obj.get("data") or {}).get("tls.crt")):
            yield "tls: failed to find any PEM data in certificate input"
    elif kind.stored in _TEMPLATED:
        yield from _pod_warnings(obj["spec"]["template"], "spec.template.")


def changed_warnings(kind: Kind, obj: Object, old: Object) -> Iterator[str]:
    """Of an object that replaces another one: as far as its pods are other ones."""
    if kind.stored not in _TEMPLATED or obj["spec"] == old["spec"]:
        return
    if kind.stored == ("apps", "daemonsets") and obj["spec"]["template"] == old["spec"]["template"]:
        return
    yield from _pod_warnings(obj["spec"]["template"], "spec.template.")


def _name(obj: Object) -> str:
    return str(obj["metadata"].get("name") or "")


def _pod_warnings(pod: Object, field: str) -> Iterator[str]:
    spec: Object = pod.get("spec") or {}
    for key in spec.get("nodeSelector") or ():
        if key in _NODE_LABELS:
            yield f"{field}spec.nodeSelector[{key}]: {_NODE_LABELS[key]}"
    yield from _affinity_warnings(spec, f"{field}spec.affinity.nodeAffinity")
    annotations = (pod.get("metadata") or {}).get("annotations") or {}
    for key, message in _ANNOTATIONS.items():
        if key in annotations:
            yield f"{field}metadata.annotations[{key}]: {message}"
    containers = list(_containers(spec, f"{field}spec"))
    for place, container in containers:
        yield from _container_warnings(container, place)
    yield from _port_warnings(containers)
    if (spec.get("terminationGracePeriodSeconds") or 0) < 0:
        yield (
            f"{field}spec.terminationGracePeriodSeconds: must be >= 0; negative values are "
            "invalid and will be treated as 1"
        )


def _affinity_warnings(spec: Object, field: str) -> Iterator[str]:
    affinity = (spec.get("affinity") or {}).get("nodeAffinity") or {}
    required = affinity.get("requiredDuringSchedulingIgnoredDuringExecution") or {}
    place = f"{field}.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms"
    for number, term in enumerate(required.get("nodeSelectorTerms") or ()):
        for index, expression in enumerate(term.get("matchExpressions") or ()):
            if (key := expression.get("key")) in _NODE_LABELS:
                yield (
                    f"{place}[{number}].matchExpressions[{index}].key: {key} is {_NODE_LABELS[key]}"
                )


def _containers(spec: Object, field: str) -> Iterator[tuple[str, Object]]:
    for key in ("initContainers", "containers", "ephemeralContainers"):
        for number, container in enumerate(spec.get(key) or ()):
            yield f"{field}.{key}[{number}]", container


def _container_warnings(container: Object, field: str) -> Iterator[str]:
    resources = container.get("resources") or {}
    for name in ("memory", "ephemeral-storage"):
        for key in ("limits", "requests"):
            amount = (resources.get(key) or {}).get(name)
            if amount is not None and value_of(amount) % 1:
                yield (
                    f"{field}.resources.{key}[{name}]: fractional byte value {quoted(amount)} is "
                    "invalid, must be an integer"
                )
    seen: set[str] = set()
    for number, variable in enumerate(container.get("env") or ()):
        name = variable.get("name") or ""
        value, reference = variable.get("value") or "", f"$({name})"
        hides = "valueFrom" in variable or value == reference or reference not in value
        if name in seen and hides:
            yield (
                f"{field}.env[{number}]: hides previous definition of {quoted(name)}, which may be "
                "dropped when using apply"
            )
        seen.add(name)


def _port_warnings(containers: Sequence[tuple[str, Object]]) -> Iterator[str]:
    known: dict[tuple[Any, Any], list[tuple[str, Object]]] = {}
    ports = [
        (f"{field}.ports[{number}]", port)
        for field, container in containers
        for number, port in enumerate(container.get("ports") or ())
    ]
    for field, port in ports:
        others = known.setdefault((port.get("containerPort"), port.get("protocol")), [])
        for place, other in others:
            if what := _clash(port, other):
                yield f"{field}: {what} port definition with {place}"
        others.append((field, port))
    names: dict[str, str] = {}
    for field, port in ports:
        if not (name := port.get("name")):
            continue
        if name in names:
            yield (
                f"{field}: duplicate port name {quoted(name)} with {names[name]}, services and "
                f"probes that select ports by name will use {names[name]}"
            )
        else:
            names[name] = field


def _clash(port: Object, other: Object) -> str:
    address, host = port.get("hostIP") or "", port.get("hostPort") or 0
    other_address, other_host = other.get("hostIP") or "", other.get("hostPort") or 0
    if (address, host) == (other_address, other_host):
        return "duplicate"
    if not host or not other_host:
        return "overlapping"
    if host == other_host and bool(address) != bool(other_address):
        return "dangerously ambiguous"
    return ""
