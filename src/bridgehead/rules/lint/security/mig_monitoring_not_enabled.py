"""The NVIDIA plugin may not look at MIG devices although MIG is in use.

Finds: NVIDIA's plugin with a MIG strategy other than none, in its template or its configuration, or
on eligible nodes whose labels say that MIG is configured, without NVIDIA_MIG_MONITOR_DEVICES=all or
without the right to it (privileged, or the capability SYS_ADMIN).

Why: "Insufficient Permissions" while the plugin visits the devices: nothing of the resource on
exactly the nodes on which MIG is on.

Sure: nodes without MIG are fine on the same revision; the plugin's log names MIG.

Do: set NVIDIA_MIG_MONITOR_DEVICES to all and give the container SYS_ADMIN, as the vendor's chart
does for a MIG strategy.
"""

from collections.abc import Iterable, Mapping

from bridgehead.core.components.family import family_of
from bridgehead.core.components.init import environment, flag_value, reads_file
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.init_choices import files_read
from bridgehead.core.findings.kubelet_mounts import kubelet_mounts
from bridgehead.core.findings.manifest import Doubt, Linted, Manifest, Violation
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import LintRule
from bridgehead.core.findings.security_context import Secured, secured
from bridgehead.core.inventory.placement import misfit
from bridgehead.core.model.json import child, children, text

_OFF = ("", "none", "all-disabled")
_ON = ("single", "mixed")
"""Strategies; of any other value option-value-unknown says that it is none."""


def _check(linted: Linted) -> Iterable[Violation | Doubt]:
    for plugin in linted.plugins:
        if family_of(plugin.template).name != "nvidia":
            continue
        registering = {item.container for item in kubelet_mounts(plugin)}
        for item in secured(plugin):
            missing = _missing(item)
            if item.name not in registering or not missing:
                continue
            strategy = _strategy(linted, plugin, item)
            basis = strategy or _on_nodes(linted, plugin)
            if strategy is None and not basis:
                yield Doubt(
                    why=f"which MIG strategy {plugin.ref} has: what decides that is not among the"
                    " files"
                )
            elif basis:
                yield Violation(
                    manifest=plugin,
                    path=item.at,
                    message=f"{basis}, and container {item.name} has no {missing}",
                )


def _strategy(linted: Linted, plugin: Manifest, item: Secured) -> str | None:
    """Empty where it is off; None where what decides it is not among the files."""
    variable = environment(item.container, "MIG_STRATEGY")
    written = text(variable, "value") if variable else ""
    said = flag_value(item.container, "mig-strategy") or written
    if said and "$(" not in said:
        return f"the MIG strategy is {said}" if said in _ON else ""
    if said or variable or children(item.container, "envFrom"):
        return None
    if reads_file(item.container) is None:
        return ""
    files = files_read(linted, plugin, item.container)
    for found in files:
        named = child(found.value, "flags", "migStrategy")
        if isinstance(named, str) and named in _ON:
            return f"the MIG strategy in {found.key} of {found.manifest.ref} is {named}"
    return "" if files else None


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
