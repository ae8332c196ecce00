"""The environment of a container, and what is wrong with what it refers to.

Source: makeEnvironmentVariables of k8s.io/kubernetes/pkg/kubelet/kubelet_pods.go (1.37).
"""

import base64
import re
from collections.abc import Mapping

from bridgehead.twin.kinds import Stored
from bridgehead.twin.objects import Object, at, fields, items, name_of, namespace_of, text
from bridgehead.twin.store import Store

CONFIG_MAPS = Stored("", "configmaps")
SECRETS = Stored("", "secrets")

_REFERENCE = re.compile(r"\$(\$|\(([^()]*)\))")
_KEYED = re.compile(r"metadata\.(labels|annotations)\['([^']+)'\]")


class ConfigError(Exception):
    """A container cannot be created because something that it refers to is not there."""


def environment_of(store: Store, pod: Object, container: Object, *, host: str) -> dict[str, str]:
    """All variables. ``host``: address of the node. Raises ConfigError."""
    found: dict[str, str] = {}
    for source in items(container, "envFrom"):
        prefix = text(source, "prefix")
        for kind in ("configMapRef", "secretRef"):
            if kind in source:
                values = _all_of(store, pod, kind, source[kind])
                found |= {f"{prefix}{key}": value for key, value in values.items()}
    for variable in items(container, "env"):
        value = _value(store, pod, variable, found, host)
        if value is not None:
            found[text(variable, "name")] = value
    return found


def _value(
    store: Store, pod: Object, variable: Object, known: Mapping[str, str], host: str
) -> str | None:
    source = fields(variable, "valueFrom")
    if not source:
        return _expanded(str(variable.get("value") or ""), known)
    if "fieldRef" in source:
        return field(pod, text(source, "fieldRef", "fieldPath"), host)
    for key, kind in (("configMapKeyRef", "configMapRef"), ("secretKeyRef", "secretRef")):
        if key not in source:
            continue
        values = _all_of(store, pod, kind, source[key])
        name = text(source, key, "key")
        if name in values:
            return values[name]
        if at(source, key, "optional"):
            return None
        what = "ConfigMap" if kind == "configMapRef" else "Secret"
        of = f"{namespace_of(pod)}/{text(source, key, 'name')}"
        raise ConfigError(f"couldn't find key {name} in {what} {of}")
    return "0"


def _all_of(store: Store, pod: Object, kind: str, reference: Object) -> dict[str, str]:
    stored, word = (CONFIG_MAPS, "configmap") if kind == "configMapRef" else (SECRETS, "secret")
    name = text(reference, "name")
    found = store.get(stored, namespace_of(pod), name)
    if found is None:
        if reference.get("optional"):
            return {}
        raise ConfigError(f'{word} "{name}" not found')
    data = fields(found, "data")
    if stored == SECRETS:
        return {
            key: base64.b64decode(value).decode(errors="replace") for key, value in data.items()
        }
    return {key: str(value) for key, value in data.items()}


def field(pod: Object, path: str, host: str) -> str:
    """A field of the pod by the downward API."""
    keyed = _KEYED.fullmatch(path)
    if keyed:
        return str(fields(pod, "metadata", keyed[1]).get(keyed[2], ""))
    match path:
        case "status.hostIP" | "status.hostIPs":
            return host
        case "status.podIP" | "status.podIPs":
            return text(pod, "status", "podIP")
        case "metadata.name":
            return name_of(pod)
        case _:
            return text(pod, *path.split("."))


def _expanded(value: str, known: Mapping[str, str]) -> str:
    """``$(NAME)`` stands for an earlier variable, ``$$`` for a dollar."""

    def replace(match: re.Match[str]) -> str:
        if match[1] == "$":
            return "$"
        return known.get(match[2], match[0])

    return _REFERENCE.sub(replace, value)
