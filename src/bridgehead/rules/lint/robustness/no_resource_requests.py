"""A device plugin asks for no cpu or memory.

Finds: the container that registers has neither requests nor limits of cpu or memory.

Why: its pod is of the quality of service BestEffort: the first to be evicted when the node runs
short, and its devices with it.

Sure: kubectl get pod -o jsonpath={.status.qosClass}. A system priority class keeps it from eviction
for all but the worst shortage.

Do: request what it uses, such as cpu 10m and memory 64Mi.
"""

from collections.abc import Iterable, Mapping

from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.kubelet_mounts import kubelet_mounts
from bridgehead.core.findings.manifest import Linted, Violation, containers
from bridgehead.core.findings.rule import LintRule
from bridgehead.core.model.json import JsonObject, child, text


def _check(linted: Linted) -> Iterable[Violation]:
    for plugin in linted.plugins:
        registering = {item.container for item in kubelet_mounts(plugin)}
        for at, container in containers(plugin):
            if text(container, "name") in registering and not _asks(container):
                yield Violation(
                    manifest=plugin,
                    path=at,
                    message=f"container {text(container, 'name')} requests no cpu and no memory",
                )


def _asks(container: JsonObject) -> bool:
    """A limit alone is a request as well."""
    asked = (child(container, "resources", field) for field in ("requests", "limits"))
    return any(isinstance(item, Mapping) and ({"cpu", "memory"} & set(item)) for item in asked)


RULE = LintRule(
    name="no-resource-requests",
    severity=Severity.INFO,
    references=("https://kubernetes.io/docs/concepts/workloads/pods/pod-qos/",),
    check=_check,
)
