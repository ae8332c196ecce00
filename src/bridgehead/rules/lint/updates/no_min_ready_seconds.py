"""A plugin that ends when it fails counts as updated the moment it starts.

Finds: a device plugin with RollingUpdate and no minReadySeconds that is told, or left, to exit when
it cannot initialise.

Why: without a readiness probe a container is Ready as soon as it runs. A plugin that exits a second
later has counted as available, so the controller has gone on to the next node: a bad version
crosses the cluster before the first crash loop shows.

Sure: in kubectl rollout status all pods become available, and then restart counts rise everywhere.

Do: set minReadySeconds to 10 to 30, longer than the plugin takes to fail.
"""

from collections.abc import Iterable

from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.init_choices import init_choices
from bridgehead.core.findings.manifest import Doubt, Linted, Violation, component_of, containers
from bridgehead.core.findings.rule import LintRule


def _check(linted: Linted) -> Iterable[Violation | Doubt]:
    for plugin in linted.plugins:
        seconds = plugin.at(("spec", "minReadySeconds"))
        rolling = component_of(plugin).strategy_type == "RollingUpdate"
        probed = any("readinessProbe" in item for _, item in containers(plugin))
        if seconds or not rolling or probed:
            continue
        choices = [item.ends for item in init_choices(linted, plugin)]
        if not any(choices):
            if None in choices:
                yield Doubt(
                    why=f"whether {plugin.ref} exits when it cannot initialise: what decides that"
                    " is not among the files"
                )
            continue
        yield Violation(
            manifest=plugin,
            path=("spec", "minReadySeconds"),
            message="minReadySeconds is 0 and the plugin exits when it cannot start: a pod counts"
            " as updated before it has failed",
        )


RULE = LintRule(
    name="no-min-ready-seconds",
    severity=Severity.WARNING,
    references=("NVIDIA#17", "https://kubernetes.io/docs/tasks/manage-daemon/update-daemon-set/"),
    check=_check,
)
