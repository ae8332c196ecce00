"""The NVIDIA plugin may not look at MIG devices although MIG is in use.

Finds: NVIDIA's plugin with a MIG strategy other than none, or on eligible nodes whose labels say
that MIG is configured, without NVIDIA_MIG_MONITOR_DEVICES=all or without the right to it
(privileged, or the capability SYS_ADMIN).

Why: "Insufficient Permissions" while the plugin visits the devices: nothing of the resource on
exactly the nodes on which MIG is on.

Sure: nodes without MIG are fine on the same revision; the plugin's log names MIG.

Do: set NVIDIA_MIG_MONITOR_DEVICES to all and give the container SYS_ADMIN, as the vendor's chart
does for a MIG strategy.
"""

from collections.abc import Iterable, Mapping

from bridgehead.core.components.family import family_of
from bridgehead.core.components.init import environment, flag_value
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.kubelet_mounts import kubelet_mounts
from bridgehead.core.findings.manifest import Linted, Manifest, Violation
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import LintRule
from bridgehead.core.findings.security_context import Secured, secured
from bridgehead.core.inventory.placement import misfit
from bridgehead.core.model.json import text

_OFF = ("", "none", "all-disabled")


def _check(linted: Linted) -> Iterable[Violation]:
    for plugin in linted.plugins:
        if family_of(plugin.template).name != "nvidia":
            continue
        registering = {item.container for item in kubelet_mounts(plugin)}
        for item in secured(plugin):
            basis = _strategy(item) or _on_nodes(linted, plugin)
            missing = _missing(item)
            if item.name in registering and basis and missing:
                yield Violation(
                    manifest=plugin,
                    path=item.at,
                    message=f"{basis}, and container {item.name} has no {missing}",
                )


def _strategy(item: Secured) -> str:
    variable = environment(item.container, "MIG_STRATEGY")
    written = text(variable, "value") if variable else ""
    said = flag_value(item.container, "mig-strategy") or written
    return "" if said in _OFF else f"the MIG strategy is {said}"


def _on_nodes(linted: Linted, plugin: Manifest) -> str:
    nodes = linted.cluster.snapshot.nodes if linted.cluster else ()
    for node in sorted(nodes, key=lambda one: one.name):
        if _configured(node.labels) and not misfit(plugin.template, node):
            return f"node {node.name} is configured for MIG"
    return ""


def _configured(labels: Mapping[str, str]) -> bool:
    """The capability of the card alone says nothing: MIG may be off."""
    config = labels.get("nvidia.com/mig.config", "")
    strategy = labels.get("nvidia.com/mig.strategy", "")
    return config not in _OFF or strategy not in _OFF


def _missing(item: Secured) -> str:
    variable = environment(item.container, "NVIDIA_MIG_MONITOR_DEVICES")
    lacks = []
    if variable is None or text(variable, "value") != "all":
        lacks.append("NVIDIA_MIG_MONITOR_DEVICES=all")
    if not item.has_capability("SYS_ADMIN"):
        lacks.append("capability SYS_ADMIN")
    return " and no ".join(lacks)


RULE = LintRule(
    name="mig-monitoring-not-enabled",
    severity=Severity.WARNING,
    references=("NVIDIA#399", "NVIDIA#229", "HAMi#452"),
    helped_by=frozenset({Need.NODES}),
    check=_check,
)
