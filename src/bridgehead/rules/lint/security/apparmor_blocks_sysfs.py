"""A plugin that writes to /sys runs under the default AppArmor profile.

Finds: Intel's QAT plugin without an AppArmor setting, on eligible nodes that run Ubuntu, Debian or
SUSE, which enforce AppArmor.

Why: the default profile refuses writes below /sys; the plugin cannot bind the devices and the node
shows none.

Sure: the plugin's log says "/sys/...: permission denied" on these nodes and not on others.

Do: set securityContext.appArmorProfile.type to Unconfined for that container (annotation before
1.30).
"""

import re
from collections.abc import Iterable

from bridgehead.core.components.repositories import repository_matches
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.manifest import Linted, Violation
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import LintRule
from bridgehead.core.findings.security_context import APPARMOR_ANNOTATION, Secured, secured
from bridgehead.core.inventory.placement import misfit
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.json import JsonObject, text, texts

_WRITES_SYSFS = r"(^|/)intel-qat-plugin$"
_ENFORCING = re.compile(r"Ubuntu|Debian|SUSE|SLES", re.IGNORECASE)


def _check(linted: Linted) -> Iterable[Violation]:
    if linted.cluster is None:
        return
    nodes = sorted(linted.cluster.snapshot.nodes, key=lambda node: node.name)
    for plugin in linted.plugins:
        for item in secured(plugin):
            writes = repository_matches(text(item.container, "image"), _WRITES_SYSFS)
            if not writes or _set(item, plugin.template):
                continue
            there = [
                node
                for node in nodes
                if _ENFORCING.search(node.os_image) and not misfit(plugin.template, node)
            ]
            if there:
                yield Violation(
                    manifest=plugin,
                    path=item.at,
                    message=f"container {item.name} writes to /sys under the default AppArmor "
                    f"profile of {there[0].os_image} ({len(there)} nodes)",
                    node=there[0].name,
                    evidence=(Evidence(f"status of node {there[0].name}", there[0].os_image),),
                )


def _set(item: Secured, template: JsonObject) -> bool:
    field = item.setting("appArmorProfile").value
    annotations = texts(template, "metadata", "annotations")
    return bool(field) or item.privileged or f"{APPARMOR_ANNOTATION}{item.name}" in annotations


RULE = LintRule(
    name="apparmor-blocks-sysfs",
    severity=Severity.WARNING,
    references=("intel#381", "intel#1818", "intel#1575"),
    needs=frozenset({Need.NODES}),
    check=_check,
)
