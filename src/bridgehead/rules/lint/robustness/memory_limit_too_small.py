"""The plugin's memory limit is too small.

Finds: a limit below 50Mi of the container that registers, or one below that of the DaemonSet of the
same name as it stands.

Why: with many devices, or while a slow library loads, the plugin is killed for memory. The resource
comes and goes, and the log is often empty.

Sure: kubectl describe pod shows OOMKilled, exit code 137. A plugin that has run for weeks under
the same limit and the same devices is fine.

Do: raise the limit; a plugin needs little on the whole, but not always the same.
"""

from collections.abc import Iterable, Mapping

from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.kubelet_mounts import kubelet_mounts
from bridgehead.core.findings.manifest import Linted, Manifest, Violation, containers
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import LintRule
from bridgehead.core.findings.standing import standing
from bridgehead.core.model.json import child, children, text
from bridgehead.core.model.memory import memory_bytes

_LEAST = 50 * 2**20


def _check(linted: Linted) -> Iterable[Violation]:
    for plugin in linted.plugins:
        before = _limits_before(linted, plugin)
        registering = {item.container for item in kubelet_mounts(plugin)}
        for at, container in containers(plugin):
            name = text(container, "name")
            written = child(container, "resources", "limits", "memory")
            limit = memory_bytes(written) if written is not None else None
            if limit is None or name not in registering:
                continue
            former = before.get(name)
            if former is not None and limit < former:
                said = "is lower than the one that stands"
            elif limit < _LEAST:
                said = "is below 50Mi"
            else:
                continue
            yield Violation(
                manifest=plugin,
                path=(*at, "resources", "limits", "memory"),
                message=f"the memory limit {written} of container {name} {said}",
            )


def _limits_before(linted: Linted, plugin: Manifest) -> Mapping[str, int]:
    live = standing(linted, plugin)
    template = live.template if live else {}
    found = {}
    for item in children(template, "spec", "containers"):
        limit = memory_bytes(child(item, "resources", "limits", "memory"))
        if limit is not None:
            found[text(item, "name")] = limit
    return found


RULE = LintRule(
    name="memory-limit-too-small",
    severity=Severity.WARNING,
    references=(
        "GoogleCloudPlatform/container-engine-accelerators#202",
        "gdp#17",
        "gdp#11",
        "zalando-incubator/kubernetes-on-aws#7065",
    ),
    helped_by=frozenset({Need.DAEMON_SETS}),
    check=_check,
)
