"""Defaults of containers: pull policy, termination message, probes, ports, resources.

Source: k8s.io/kubernetes/pkg/apis/core/v1/defaults.go, SetDefaults_Container and _Probe.
"""

from collections.abc import Iterator
from typing import Any

from bridgehead.twin.objects import Object
from bridgehead.twin.schema.quantities import rounded_up

CONTAINER_LISTS = ("initContainers", "containers", "ephemeralContainers")

_PROBES = ("livenessProbe", "readinessProbe", "startupProbe")


def default_container(container: Object) -> None:
    """Fill in one container of a pod or of a template."""
    if not container.get("imagePullPolicy"):
        container["imagePullPolicy"] = pull_policy(container.get("image") or "")
    for key, value in (
        ("terminationMessagePath", "/dev/termination-log"),
        ("terminationMessagePolicy", "File"),
    ):
        if not container.get(key):
            container[key] = value
    for port in container.get("ports") or ():
        port["protocol"] = port.get("protocol") or "TCP"
    for variable in container.get("env") or ():
        _default_variable(variable.get("valueFrom") or {})
    for key in _PROBES:
        if (probe := container.get(key)) is not None:
            _default_probe(probe)
    for handler in (container.get("lifecycle") or {}).values():
        if isinstance(handler, dict) and (action := handler.get("httpGet")) is not None:
            _default_http_get(action)
    default_resources(container.setdefault("resources", {}))


def _default_variable(source: Object) -> None:
    if (reference := source.get("fieldRef")) is not None and not reference.get("apiVersion"):
        reference["apiVersion"] = "v1"
    if (file := source.get("fileKeyRef")) is not None:
        file.setdefault("optional", False)


def pull_policy(image: str) -> str:
    """``Always`` for an image of the tag ``latest`` or of none, unless it has a digest."""
    without_digest, _, digest = image.partition("@")
    tag = without_digest.rpartition("/")[2].partition(":")[2]
    latest = tag == "latest" or (not tag and not digest)
    return "Always" if latest and image else "IfNotPresent"


def default_resources(resources: Object) -> None:
    """Amounts in thousandths at the finest."""
    for key in ("limits", "requests"):
        amounts = resources.get(key)
        if isinstance(amounts, dict):
            for name, amount in amounts.items():
                amounts[name] = rounded_up(amount)


def _default_probe(probe: Object) -> None:
    for key, value in (
        ("timeoutSeconds", 1),
        ("periodSeconds", 10),
        ("successThreshold", 1),
        ("failureThreshold", 3),
    ):
        if not probe.get(key):
            probe[key] = value
    if (action := probe.get("httpGet")) is not None:
        _default_http_get(action)
    if (action := probe.get("grpc")) is not None:
        action["service"] = action.get("service") or ""


def _default_http_get(action: Object) -> None:
    action["path"] = action.get("path") or "/"
    action["scheme"] = action.get("scheme") or "HTTP"


def containers_of(spec: Object) -> Iterator[Object]:
    """All containers of a pod's spec: init containers first, as the server walks them."""
    for key in CONTAINER_LISTS:
        yield from spec.get(key) or ()


def default_requests(container: Object) -> None:
    """Of a pod, not of a template: what is limited and not requested is requested in full."""
    resources: dict[str, Any] = container.get("resources") or {}
    if limits := resources.get("limits"):
        requests = resources.setdefault("requests", {})
        for name, amount in limits.items():
            requests.setdefault(name, amount)
