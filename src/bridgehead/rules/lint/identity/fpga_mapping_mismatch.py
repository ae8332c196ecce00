"""Names of Intel FPGAs, mapping objects and the plugin's mode do not fit together.

Finds: a container that asks for a fpga.intel.com/ name without an AcceleratorFunction or FpgaRegion
of that name in its namespace, or whose object is of another mode than every plugin, or leads to an
id that no node has; a plugin in a mode for which there is no object, though there are some; and ids
that nodes have and no object leads to. Only where Intel's FPGA webhook translates names.

Why: the webhook refuses a pod with a name that it does not know ("no such resource"), also with the
very name that the node shows. Translated by an object of another mode, the pod waits for ever, or
gets a region that nobody programs.

Sure: kubectl get acceleratorfunctions,fpgaregions -A -o yaml, and the fpga.intel.com/ names of the
nodes: af-... is mode af, region-... is mode region or regiondevel.

Do: give each id an object in every namespace that uses it, and run the plugin in the mode of the
objects (-mode, or the annotation fpga.intel.com/device-plugin-mode of a node).
"""

from collections.abc import Iterable, Iterator, Mapping

import msgspec

from bridgehead.core.components.intel_fpga import DOMAIN, FpgaMapping, mode_by_name
from bridgehead.core.findings.device_requests import DeviceRequest, device_requests
from bridgehead.core.findings.eligible import eligible_nodes, nodes_of
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.fpga import Mappings, annotated, mappings, modes, plugins, translated
from bridgehead.core.findings.manifest import Doubt, Linted, Manifest, Violation
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import LintRule
from bridgehead.core.findings.standing import few
from bridgehead.core.model.confidence import Confidence
from bridgehead.core.model.node import Node


def _check(linted: Linted) -> Iterable[Violation | Doubt]:
    asking = list(_asking(linted))
    running = list(plugins(linted))
    if not asking and not running:
        return
    by_webhook = translated(linted)
    if by_webhook is None:
        yield Doubt(why="whether a webhook translates the names of FPGAs")
    if not by_webhook:
        return
    world = _World(
        linted=linted, mappings=mappings(linted), modes=modes(linted), ids=_ids(nodes_of(linted))
    )
    for manifest, item in asking:
        yield from _asked(world, manifest, item)
    for manifest, mode in running:
        yield from _running(world, manifest, mode)


class _World(msgspec.Struct, frozen=True, kw_only=True):
    linted: Linted
    mappings: Mappings
    modes: Mapping[str, str]
    ids: Mapping[str, list[str]]
    """Ids of which nodes have devices, each with the nodes."""

    @property
    def modes_known(self) -> bool:
        """Whether every plugin is seen. Manifests alone say enough if they bring one."""
        cluster = self.linted.cluster
        if "" in self.modes:
            return False
        if cluster is None:
            return bool(self.modes)
        return cluster.has(Need.DAEMON_SETS) and cluster.has(Need.NODES) and bool(self.modes)


def _asked(world: _World, manifest: Manifest, item: DeviceRequest) -> Iterator[Violation | Doubt]:
    name, namespace = item.resource.removeprefix(DOMAIN), manifest.ref.namespace
    mapping = world.mappings.named(name, namespace)
    where = f"namespace {namespace}" if namespace else "its namespace"
    if mapping is None:
        if not world.mappings.whole:
            yield Doubt(why=f"whether {where} has a mapping object for {item.resource}")
            return
        leading = _leading(world, item.resource)
        there = f" (objects that lead to it: {few(leading, 3)})" if leading else ""
        yield _violation(
            manifest,
            item,
            f"for which {where} has no mapping object{there}: the webhook refuses the pod",
            remedy=f"ask for {DOMAIN}{leading[0]}" if leading else "",
        )
    elif not world.modes_known:
        yield Doubt(why=f"whether a plugin runs in mode {mapping.mode}, as {item.resource} needs")
    elif mapping.mode not in world.modes:
        running = ", ".join(f"{it} ({by})" for it, by in sorted(world.modes.items()))
        yield _violation(
            manifest,
            item,
            f"whose mapping object is for mode {mapping.mode}, while plugins run in mode {running}",
        )
    elif _of_mode(world, mapping) and mapping.resource not in world.ids:
        yield _violation(
            manifest,
            item,
            f"which leads to {mapping.resource}, of which no node has a device"
            f" (nodes have {few(_of_mode(world, mapping), 3)})",
            severity=Severity.WARNING,
        )


def _running(world: _World, manifest: Manifest, mode: str) -> Iterator[Violation | Doubt]:
    every = world.mappings.every
    own = {mode, *annotated(world.linted)}
    if every and not any(item.mode in own for item in every):
        if world.linted.cluster is not None and not world.mappings.whole:
            yield Doubt(why=f"whether there are mapping objects for mode {mode}")
            return
        others = ", ".join(sorted({item.mode for item in every}))
        message = f"it runs in mode {mode}, and mapping objects are for mode {others} alone"
        yield _at_plugin(manifest, f"{message}: no pod can ask for what it offers")
        return
    nodes = nodes_of(world.linted)
    if manifest.kind == "DaemonSet":
        nodes = eligible_nodes(world.linted, manifest)
    ids = {name: at for name, at in _ids(nodes).items() if own & set(mode_by_name(name))}
    missing = sorted(ids.keys() - {item.resource for item in every})
    if missing and not world.mappings.whole:
        yield Doubt(why=f"whether a mapping object leads to {few(missing, 2)}")
        return
    if missing:
        at = sorted({node for name in missing for node in ids[name]})
        yield _at_plugin(
            manifest,
            f"no mapping object leads to {few(missing, 3)} of {few(at, 3)}: none can ask for it",
        )


def _at_plugin(manifest: Manifest, message: str) -> Violation:
    return Violation(
        manifest=manifest,
        path=("metadata", "name"),
        message=message,
        severity=Severity.WARNING,
    )


def _violation(
    manifest: Manifest,
    item: DeviceRequest,
    why: str,
    *,
    severity: Severity | None = None,
    remedy: str = "",
) -> Violation:
    return Violation(
        manifest=manifest,
        path=item.path,
        message=f"container {item.container} asks for {item.resource}, {why}",
        remedy=remedy,
        severity=severity,
    )


def _asking(linted: Linted) -> Iterator[tuple[Manifest, DeviceRequest]]:
    """Requests as people write them: a pod of a cluster has been translated already."""
    for manifest in linted.with_pods:
        if manifest.kind != "Pod" or manifest.file:
            for item in device_requests(manifest):
                if item.resource.startswith(DOMAIN) and item.asks:
                    yield manifest, item


def _ids(nodes: Iterable[Node]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for node in nodes:
        for name, offer in node.offers.items():
            if offer.capacity and mode_by_name(name):
                found.setdefault(name, []).append(node.name)
    return found


def _of_mode(world: _World, mapping: FpgaMapping) -> list[str]:
    """Ids of its mode that nodes have: none while the plugin is not there yet."""
    return sorted(name for name in world.ids if mapping.mode in mode_by_name(name))


def _leading(world: _World, resource: str) -> list[str]:
    """Names of the objects that lead to what was asked for by its id."""
    return sorted({item.name for item in world.mappings.every if item.resource == resource})


RULE = LintRule(
    name="fpga-mapping-mismatch",
    severity=Severity.ERROR,
    confidence=Confidence.MEDIUM,
    references=("intel#1074", "intel#863", "intel#301", "intel#373", "intel PR#358"),
    helped_by=frozenset(
        {
            Need.FPGA_FUNCTIONS,
            Need.FPGA_REGIONS,
            Need.WEBHOOKS,
            Need.NODES,
            Need.DAEMON_SETS,
        }
    ),
    check=_check,
)
