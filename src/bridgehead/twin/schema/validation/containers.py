"""Containers of pods and templates: names, images, ports, variables, mounts, probes.

Source: k8s.io/kubernetes/pkg/apis/core/validation/validation.go, validateContainers and below.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from bridgehead.twin.objects import Object
from bridgehead.twin.schema.validation.causes import (
    Causes,
    duplicate,
    forbidden,
    invalid,
    not_found,
    not_supported,
    required,
)
from bridgehead.twin.schema.validation.environment import environment_causes
from bridgehead.twin.schema.validation.names import dns_label, port_name, port_number
from bridgehead.twin.schema.validation.probes import lifecycle_causes, probe_causes
from bridgehead.twin.schema.validation.resources import resource_causes

_PROTOCOLS = ("SCTP", "TCP", "UDP")
_PULL_POLICIES = ("Always", "IfNotPresent", "Never")
_MESSAGE_POLICIES = ("File", "FallbackToLogsOnError")
_PROBES = ("livenessProbe", "readinessProbe", "startupProbe")


def container_causes(
    containers: Sequence[Object], volumes: Mapping[str, Object], field: str
) -> Causes:
    """What is wrong with the containers that run together."""
    if not containers:
        yield required(field)
        return
    names: set[str] = set()
    for number, container in enumerate(containers):
        place = f"{field}[{number}]"
        yield from _common_causes(container, volumes, place)
        name = container.get("name") or ""
        if name in names:
            yield duplicate(f"{place}.name", name)
        names.add(name)
        yield from lifecycle_causes(container.get("lifecycle"), f"{place}.lifecycle")
        for key in _PROBES:
            yield from probe_causes(container.get(key), key, f"{place}.{key}")
    yield from _host_port_causes(containers, field)


def init_container_causes(
    containers: Sequence[Object],
    others: Sequence[Object],
    volumes: Mapping[str, Object],
    field: str,
) -> Causes:
    """What is wrong with the containers that run before, or beside, the others."""
    names = {container.get("name") or "" for container in others}
    for number, container in enumerate(containers):
        place = f"{field}[{number}]"
        yield from _common_causes(container, volumes, place)
        policy = container.get("restartPolicy")
        if policy not in {None, "Always", "Never", "OnFailure"}:
            yield not_supported(f"{place}.restartPolicy", policy, ("Always", "Never", "OnFailure"))
        name = container.get("name") or ""
        if name in names:
            yield duplicate(f"{place}.name", name)
        elif name:
            names.add(name)
        yield from _host_port_causes([container], field)
        if policy == "Always":
            yield from lifecycle_causes(container.get("lifecycle"), f"{place}.lifecycle")
            for key in _PROBES:
                yield from probe_causes(container.get(key), key, f"{place}.{key}")
            continue
        for key in ("lifecycle", *_PROBES):
            if container.get(key) is not None:
                detail = "may not be set for init containers without restartPolicy=Always"
                yield forbidden(f"{place}.{key}", detail)


def _common_causes(container: Object, volumes: Mapping[str, Object], field: str) -> Causes:
    if name := container.get("name"):
        for message in dns_label(name):
            yield invalid(f"{field}.name", name, message)
    else:
        yield required(f"{field}.name")
    if not container.get("image"):
        yield required(f"{field}.image")
    policy = container.get("terminationMessagePolicy")
    if policy not in _MESSAGE_POLICIES:
        yield not_supported(f"{field}.terminationMessagePolicy", policy, _MESSAGE_POLICIES)
    yield from _port_causes(container.get("ports") or (), f"{field}.ports")
    yield from environment_causes(container, field)
    yield from _mount_causes(container, volumes, f"{field}.volumeMounts")
    if (pull := container.get("imagePullPolicy")) not in _PULL_POLICIES:
        yield not_supported(f"{field}.imagePullPolicy", pull, _PULL_POLICIES)
    yield from resource_causes(container.get("resources") or {}, f"{field}.resources")
    yield from _security_causes(container.get("securityContext") or {}, f"{field}.securityContext")


def _port_causes(ports: Sequence[Object], field: str) -> Causes:
    names: set[str] = set()
    for number, port in enumerate(ports):
        place = f"{field}[{number}]"
        if name := port.get("name"):
            messages = list(port_name(name))
            for message in messages:
                yield invalid(f"{place}.name", name, message)
            if not messages and name in names:
                yield duplicate(f"{place}.name", name)
            names.add(name)
        if not port.get("containerPort"):
            yield required(f"{place}.containerPort")
        for key in ("containerPort", "hostPort"):
            if value := port.get(key):
                for message in port_number(value):
                    yield invalid(f"{place}.{key}", value, message)
        if port.get("protocol") not in _PROTOCOLS:
            yield not_supported(f"{place}.protocol", port.get("protocol"), _PROTOCOLS)


def _host_port_causes(containers: Sequence[Object], field: str) -> Causes:
    taken: set[str] = set()
    for number, container in enumerate(containers):
        for index, port in enumerate(container.get("ports") or ()):
            if not (host := port.get("hostPort")):
                continue
            shown = f"{port.get('protocol') or ''}/{port.get('hostIP') or ''}/{host}"
            if shown in taken:
                yield duplicate(f"{field}[{number}].ports[{index}].hostPort", shown)
            taken.add(shown)


def _mount_causes(container: Object, volumes: Mapping[str, Object], field: str) -> Causes:
    paths: set[str] = set()
    for number, mount in enumerate(container.get("volumeMounts") or ()):
        place = f"{field}[{number}]"
        name, path = mount.get("name") or "", mount.get("mountPath") or ""
        if not name:
            yield required(f"{place}.name")
        if name not in volumes:
            yield not_found(f"{place}.name", name)
        if not path:
            yield required(f"{place}.mountPath")
        if path in paths:
            yield invalid(f"{place}.mountPath", path, "must be unique")
        paths.add(path)
        if sub := mount.get("subPath"):
            yield from descending_path_causes(sub, f"{field}.subPath")
        yield from _propagation_causes(mount.get("mountPropagation"), container, field)


def _propagation_causes(propagation: Any, container: Object, field: str) -> Causes:
    if propagation is None:
        return
    place = f"{field}.mountPropagation"
    supported = ("Bidirectional", "HostToContainer", "None")
    if propagation not in supported:
        yield not_supported(place, propagation, supported)
    privileged = (container.get("securityContext") or {}).get("privileged")
    if propagation == "Bidirectional" and not privileged:
        yield forbidden(
            place, "Bidirectional mount propagation is available only to privileged containers"
        )


def descending_path_causes(path: str, field: str) -> Causes:
    """What is wrong with a path inside a volume."""
    if path.startswith("/"):
        yield invalid(field, path, "must be a relative path")
    yield from no_backsteps_causes(path, field)


def no_backsteps_causes(path: str, field: str) -> Causes:
    """What is wrong with a path that must not climb."""
    if ".." in path.split("/"):
        yield invalid(field, path, "must not contain '..'")


def _security_causes(context: Object, field: str) -> Causes:
    for key in ("runAsUser", "runAsGroup"):
        value = context.get(key)
        if value is not None and not 0 <= value <= 2**31 - 1:
            yield invalid(f"{field}.{key}", value, "must be between 0 and 2147483647, inclusive")
    if context.get("allowPrivilegeEscalation") is False and context.get("privileged"):
        yield invalid(
            field,
            context,
            "cannot set `allowPrivilegeEscalation` to false and `privileged` to true",
        )
