"""Probes and lifecycle handlers of containers.

Source: k8s.io/kubernetes/pkg/apis/core/validation/validation.go, validateProbe and validateHandler.
"""

from typing import Any

from bridgehead.twin.objects import Object
from bridgehead.twin.schema.validation.causes import (
    Causes,
    forbidden,
    invalid,
    not_supported,
    required,
)
from bridgehead.twin.schema.validation.names import port_name, port_number

_ACTIONS = ("exec", "httpGet", "tcpSocket", "grpc", "sleep")
_SCHEMES = ("HTTP", "HTTPS")
_NOT_NEGATIVE = (
    "initialDelaySeconds",
    "timeoutSeconds",
    "periodSeconds",
    "successThreshold",
    "failureThreshold",
)


def probe_causes(probe: Object | None, key: str, field: str) -> Causes:
    """What is wrong with a probe; ``key`` says which one it is."""
    if probe is None:
        return
    yield from _handler_causes(probe, field)
    for number in _NOT_NEGATIVE:
        if (value := probe.get(number) or 0) < 0:
            yield invalid(f"{field}.{number}", value, "must be greater than or equal to 0")
    grace = probe.get("terminationGracePeriodSeconds")
    if grace is not None and grace <= 0:
        yield invalid(f"{field}.terminationGracePeriodSeconds", grace, "must be greater than 0")
    if key == "readinessProbe":
        if grace is not None:
            detail = "must not be set for readinessProbes"
            yield invalid(f"{field}.terminationGracePeriodSeconds", grace, detail)
    elif (successes := probe.get("successThreshold")) != 1:
        yield invalid(f"{field}.successThreshold", successes, "must be 1")


def lifecycle_causes(lifecycle: Object | None, field: str) -> Causes:
    """What is wrong with the handlers that run at start and end."""
    for key in ("postStart", "preStop"):
        if (handler := (lifecycle or {}).get(key)) is not None:
            yield from _handler_causes(handler, f"{field}.{key}")


def _handler_causes(handler: Object, field: str) -> Causes:
    given = [key for key in _ACTIONS if handler.get(key) is not None]
    if not given:
        yield required(field, "must specify a handler type")
        return
    yield from _action_causes(given[0], handler[given[0]], f"{field}.{given[0]}")
    for key in given[1:]:
        yield forbidden(f"{field}.{key}", "may not specify more than 1 handler type")


def _action_causes(key: str, action: Object, place: str) -> Causes:
    match key:
        case "exec":
            if not action.get("command"):
                yield required(f"{place}.command")
        case "httpGet":
            if not action.get("path"):
                yield required(f"{place}.path")
            yield from _port_causes(action.get("port"), f"{place}.port")
            if action.get("scheme") not in _SCHEMES:
                yield not_supported(f"{place}.scheme", action.get("scheme"), _SCHEMES)
        case "tcpSocket" | "grpc":
            yield from _port_causes(action.get("port"), f"{place}.port")
        case _:
            return


def _port_causes(port: Any, field: str) -> Causes:
    messages = port_name(port) if isinstance(port, str) else port_number(port)
    for message in messages:
        yield invalid(field, port, message)
