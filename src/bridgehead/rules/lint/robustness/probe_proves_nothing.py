"""A probe of the plugin cannot see whether the kubelet has taken it on.

Finds: a liveness or readiness probe of the container that registers that asks a port, an HTTP path
or a process, and nothing about the plugin's registration.

Why: the pod is Ready while the node has no device, and Ready is what a rollout goes by.

Sure: what the node says of the resource is the proof; a vendor whose health endpoint speaks of the
registration says so in its documentation.

Do: judge the change by allocatable of the node (bridgehead verify), and do not count the probe.
"""

from collections.abc import Iterable, Sequence

from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.kubelet_mounts import kubelet_mounts
from bridgehead.core.findings.manifest import Linted, Violation, containers
from bridgehead.core.findings.rule import LintRule
from bridgehead.core.model.confidence import Confidence
from bridgehead.core.model.json import JsonValue, child, text

_PROBES = ("readinessProbe", "livenessProbe")
_ABOUT_REGISTRATION = ("sock", "device-plugins", "register", "allocatable")


def _check(linted: Linted) -> Iterable[Violation]:
    for plugin in linted.plugins:
        registering = {item.container for item in kubelet_mounts(plugin)}
        for at, container in containers(plugin):
            if text(container, "name") not in registering:
                continue
            for field in _PROBES:
                asks = _asks(child(container, field))
                if asks:
                    yield Violation(
                        manifest=plugin,
                        path=(*at, field),
                        message=f"the {field} of container {text(container, 'name')} asks "
                        f"{asks}: it cannot see whether the kubelet has taken the plugin on",
                    )
                    break


def _asks(probe: JsonValue) -> str:
    """What a probe asks that proves nothing; empty for none and for one about registration."""
    path = text(probe, "httpGet", "path")
    if child(probe, "httpGet") is not None:
        return "" if _tells(path) else f"for {path or '/'}"
    if child(probe, "tcpSocket") is not None:
        return "whether a port is open"
    command = child(probe, "exec", "command")
    if isinstance(command, Sequence) and not isinstance(command, str):
        words = " ".join(map(str, command))
        return "" if _tells(words) else f"by running {words}"
    return ""


def _tells(asked: str) -> bool:
    return any(word in asked for word in _ABOUT_REGISTRATION)


RULE = LintRule(
    name="probe-proves-nothing",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    references=(
        "https://kubernetes.io/docs/concepts/extend-kubernetes/compute-storage-net/device-plugins/",
    ),
    check=_check,
)
