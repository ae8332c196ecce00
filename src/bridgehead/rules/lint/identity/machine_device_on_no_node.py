"""A device name of virtual machines is advertised by no node.

Finds: a name that a machine asks for, and that no node has or can be expected to get; and a name
that the KubeVirt object permits with externalResourceProvider while nodes have devices of what is
likely the same card under a name that is not permitted. What KubeVirt does not permit is told by
machine-device-not-permitted.

Why: the machine's pod waits for ever with "Insufficient nvidia.com/...". NVIDIA's plugin for
machines names a card by the table in its image, which differs by version, and by the card's id
where the table has none: nvidia.com/2571 beside or instead of nvidia.com/GA106GL_RTX_A2000_12GB.
KubeVirt's own plugin offers a permitted name only where a device of its id is bound to vfio-pci.

Sure: kubectl get nodes -o custom-columns=NAME:.metadata.name,ALLOCATABLE:.status.allocatable, and
lspci -nnk on a node for the driver that has the card.

Do: permit and ask for the name that nodes have, or run the plugin's version that gives this one;
bind the card to vfio-pci where no node has it under any name.
"""

from collections.abc import Iterable, Iterator

import msgspec

from bridgehead.core.components.kubevirt import names_by_table, same_card
from bridgehead.core.findings.eligible import nodes_of
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.machines import (
    Asker,
    Entry,
    askers,
    entries,
    permission,
    standing_entries,
)
from bridgehead.core.findings.manifest import Doubt, Linted, Manifest, Path, Violation
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.offered_names import OfferedNames, Standing
from bridgehead.core.findings.rule import LintRule
from bridgehead.core.findings.standing import few, standing, template_changes
from bridgehead.core.model.confidence import Confidence


def _check(linted: Linted) -> Iterable[Violation | Doubt]:
    asking, permitted = askers(linted), entries(linted)
    if not asking and not any(item.manifest for item in permitted):
        return
    world = _World(linted, permitted)
    for name in sorted(_names(asking, permitted)):
        if name in world.alive or world.permission.refuses(name):
            continue
        by_name = [item for item in permitted if item.permitted.name == name]
        who = [item for item in asking if item.name == name]
        yield from _about(world, name, by_name, who)


class _World:
    """What the cluster offers, and what may come."""

    def __init__(self, linted: Linted, permitted: Iterable[Entry]) -> None:
        self.permission = permission(linted)
        self.names = OfferedNames(linted)
        offers = [item for node in nodes_of(linted) for item in node.offers.items()]
        self.alive = {name for name, offer in offers if offer.capacity}
        """Names of which a node has devices: one that is gone stays with 0."""
        self.others = sorted(self.alive - {item.permitted.name for item in permitted})
        self.standing = {item.permitted for item in standing_entries(linted)}
        self.new_table = any(_changes(linted, plugin) for plugin in linted.plugins)

    def other_name(self, name: str, by_name: Iterable[Entry]) -> str:
        """Under which name nodes have what is likely the same card; empty where none is seen."""
        listed = list(by_name)
        if listed and not any(item.permitted.external for item in listed):
            return ""  # virt-handler itself offers it, under just this name
        selectors = {item.permitted.selector for item in listed} or {""}
        found = [it for it in self.others for at in selectors if same_card(name, at, it)]
        near = self.names.near(name)
        return found[0] if found else near if near in self.others else ""


class _Verdict(msgspec.Struct, frozen=True):
    """Why no node has a name, or what is not known of that."""

    why: str = ""
    doubt: str = ""
    instead: str = ""


def _about(
    world: _World, name: str, by_name: list[Entry], who: list[Asker]
) -> Iterator[Violation | Doubt]:
    found = _verdict(world, name, by_name, asked=bool(who))
    if found.doubt:
        yield Doubt(why=found.doubt)
    if not found.why:
        return
    machines = sorted({item.who for item in who})
    milder = not who or world.names.pooled
    pool = ", unless a new node of a pool brings it" if who and world.names.pooled else ""
    for manifest, path in _places(by_name, who):
        theirs = "" if not machines else f"; {few(machines, 3)} will wait for ever{pool}"
        yield Violation(
            manifest=manifest,
            path=path,
            message=f"no node has {name}: {found.why}{theirs}",
            remedy=f"permit and ask for {found.instead}" if found.instead else "",
            severity=Severity.WARNING if milder else None,
        )


def _verdict(world: _World, name: str, by_name: list[Entry], *, asked: bool) -> _Verdict:
    other = world.other_name(name, by_name)
    if other and world.new_table:
        return _Verdict(doubt=f"whether the plugin's new version offers {name} instead of {other}")
    if other:
        why = f"the plugin likely offers that card as {other}"
        return _Verdict(why=why, instead=other)
    if not asked:
        return _Verdict()
    own = [item for item in by_name if not item.permitted.external]
    if own:
        return _of_virt_handler(world, name, own)
    state = world.names.standing(name)
    if state is Standing.OFFERED:
        # A node knows the name and has no device: a fault of the device, and not of the name.
        return _Verdict()
    if world.permission.unseen or state is Standing.POSSIBLE:
        return _Verdict(doubt=f"whether a plugin brings {name}, which no node has")
    return _Verdict(why="no plugin is known to bring it")


def _of_virt_handler(world: _World, name: str, own: list[Entry]) -> _Verdict:
    """It offers the name as soon as it is permitted, where it finds a device."""
    if not all(_stands(world, item) for item in own):
        return _Verdict(doubt=f"whether a node has a device for {name}, which is newly permitted")
    selectors = few(sorted({item.permitted.selector for item in own} - {""}), 3)
    device = f"device {selectors}" if selectors else "such device"
    return _Verdict(why=f"KubeVirt's own plugin finds no {device} that is bound to vfio-pci")


def _stands(world: _World, entry: Entry) -> bool:
    """Whether the cluster permits the same today."""
    asked = entry.permitted
    return any(
        (it.name, it.selector.lower(), it.external)
        == (asked.name, asked.selector.lower(), asked.external)
        for it in world.standing
    )


def _places(by_name: list[Entry], who: list[Asker]) -> Iterator[tuple[Manifest, Path]]:
    """Where it is told: once, where the name is permitted; else at each machine."""
    for item in by_name:
        if item.manifest is not None:
            yield item.manifest, item.permitted.path
            return
    for asker in who:
        if asker.manifest is not None:
            yield asker.manifest, asker.asked.path


def _names(asking: Iterable[Asker], permitted: Iterable[Entry]) -> set[str]:
    written = {item.permitted.name for item in permitted if item.manifest is not None}
    return written | {item.name for item in asking}


def _changes(linted: Linted, plugin: Manifest) -> bool:
    """Whether it is a plugin with a table of names, and another than stands."""
    if not names_by_table(plugin.template):
        return False
    live = standing(linted, plugin)
    return live is None or bool(template_changes(plugin, live.template))


RULE = LintRule(
    name="machine-device-on-no-node",
    severity=Severity.ERROR,
    confidence=Confidence.MEDIUM,
    references=(
        "gpu-operator#551",
        "kubevirt#4950",
        "kubevirt#7547",
        "NVIDIA/kubevirt-gpu-device-plugin#20",
        "NVIDIA/kubevirt-gpu-device-plugin PR#22",
    ),
    needs=frozenset({Need.NODES, Need.DAEMON_SETS, Need.PODS}),
    helped_by=frozenset({Need.KUBEVIRT, Need.VIRTUAL_MACHINES, Need.MACHINE_INSTANCES}),
    check=_check,
)
