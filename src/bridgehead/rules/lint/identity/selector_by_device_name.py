"""A plugin picks devices by names that differ from node to node.

Finds: interface names in a network plugin's selectors, while its nodes are of different machine
types or operating systems; and serial or video devices by their number (/dev/ttyUSB0).

Why: the kernel names interfaces by slot, firmware and driver, and numbers USB devices in the order
in which they appear. Where a name is another one, the plugin finds nothing and offers 0; where it
is another device's, it offers the wrong one.

Sure: ip link on a node of each type; ls -l /dev/serial/by-id.

Do: select by vendor and device id, PCI address, root device or /dev/serial/by-id.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from bridgehead.core.components.init import arguments
from bridgehead.core.findings.configurations import Configuration, configurations
from bridgehead.core.findings.eligible import eligible_nodes
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.manifest import Doubt, Linted, Violation, containers
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import LintRule
from bridgehead.core.findings.standing import few
from bridgehead.core.model.json import JsonValue, child, children
from bridgehead.core.model.node import Node

_NUMBERED = re.compile(r"/dev/(ttyUSB|ttyACM|video)\d+\b")
_TYPE = "node.kubernetes.io/instance-type"


def _check(linted: Linted) -> Iterable[Violation | Doubt]:
    yield from _numbered(linted)
    for found in configurations(linted):
        names = sorted(set(_names(found)))
        if not names:
            continue
        if linted.cluster is None or not linted.cluster.has(Need.NODES):
            yield Doubt(
                why=f"whether {few(names)} in {found.manifest.ref} mean the same on every node"
            )
            continue
        kinds = sorted({_kind(node) for node in eligible_nodes(linted, found.plugin)})
        if len(kinds) > 1:
            yield Violation(
                manifest=found.manifest,
                path=found.path,
                message=f"{found.key} selects by the names {few(names)}, and its nodes are of"
                f" {len(kinds)} kinds: {few(kinds, 3)}",
            )


def _names(found: Configuration) -> Iterator[str]:
    for entry in children(found.value, found.form.entries) if found.form.entries else ():
        yield from _texts(child(entry, "devices"))
        selectors = child(entry, "selectors")
        for one in (selectors, *children(entry, "selectors")):
            if isinstance(one, Mapping):
                yield from _texts(child(one, "ifNames"))
                yield from _texts(child(one, "pfNames"))


def _texts(value: JsonValue) -> Iterator[str]:
    if isinstance(value, Sequence) and not isinstance(value, str):
        yield from (item for item in value if isinstance(item, str))


def _kind(node: Node) -> str:
    return " with ".join(filter(None, (node.labels.get(_TYPE, ""), node.os_image))) or "unknown"


def _numbered(linted: Linted) -> Iterator[Violation]:
    for plugin in linted.plugins:
        for path, container in containers(plugin):
            found = sorted(
                {match[0] for match in _NUMBERED.finditer(" ".join(arguments(container)))}
            )
            if found:
                yield Violation(
                    manifest=plugin,
                    path=(*path, "args"),
                    message=f"{few(found)}: devices are numbered in the order in which they appear",
                )


RULE = LintRule(
    name="selector-by-device-name",
    severity=Severity.WARNING,
    references=(
        "Mellanox/network-operator#438",
        "rdma#159",
        "rdma#44",
        "sriov#424",
    ),
    helped_by=frozenset({Need.NODES}),
    check=_check,
)
