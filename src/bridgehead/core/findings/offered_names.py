"""Whether a cluster, with the plugins of the manifests, has or may get a resource name."""

from collections.abc import Iterator
from difflib import SequenceMatcher
from enum import Enum

import msgspec

from bridgehead.core.components.family import family_of
from bridgehead.core.components.registration import is_device_plugin
from bridgehead.core.components.resources import offered_by
from bridgehead.core.findings.claimants import claimed_by
from bridgehead.core.findings.configurations import configurations
from bridgehead.core.findings.eligible import nodes_of
from bridgehead.core.findings.manifest import Linted, Manifest, component_of
from bridgehead.core.findings.own_names import has_further_names, tells, what_is_given
from bridgehead.core.findings.standing import standing, template_changes
from bridgehead.core.model.json import JsonObject, text

_POOLS = (
    "karpenter.sh/nodepool",
    "cloud.google.com/gke-nodepool",
    "eks.amazonaws.com/nodegroup",
    "kubernetes.azure.com/agentpool",
)
"""Labels of nodes whose pool an autoscaler may empty; those of the label page of each vendor."""
# Two names that differ by a slip: "wigdet" and "widget", "gpus" and "gpu".
_SLIP = 0.9


class Standing(Enum):
    """What is known of a name."""

    OFFERED = "a node or a plugin has it"
    POSSIBLE = "a plugin may bring it, of which it is not known"
    NOWHERE = "nothing has it"


class OfferedNames:
    """Resource names of nodes, of the plugins that stand and of those among the manifests."""

    def __init__(self, linted: Linted) -> None:
        self._linted = linted
        self.on_nodes = frozenset(name for node in nodes_of(linted) for name in node.offers)
        self.pooled = any(key in node.labels for node in nodes_of(linted) for key in _POOLS)
        self._configurations = configurations(linted)
        self._standing = tuple(_standing(linted))
        self._written = tuple(self._read(plugin) for plugin in linted.plugins)
        self._by_claims = frozenset(_by_claims(linted))

    def standing(self, name: str) -> Standing:
        """What is known of the name."""
        if name in self.on_nodes or name in self._by_claims:
            return Standing.OFFERED
        found = [item.standing(name) for item in self._written]
        found += [_by(template, names, name) for template, names in self._standing]
        for state in (Standing.OFFERED, Standing.POSSIBLE):
            if state in found:
                return state
        return Standing.NOWHERE

    def near(self, name: str) -> str:
        """The name of a node that differs from it by a slip of the pen; empty where none does."""
        likely = [(_likeness(name, other), other) for other in sorted(self.on_nodes)]
        best = max(likely, default=(0.0, ""))
        return best[1] if best[0] >= _SLIP else ""

    def changes(self, name: str) -> bool:
        """Whether a plugin of the manifests that offers it is new or another than stands."""
        return any(
            item.standing(name) is Standing.OFFERED and item.is_change for item in self._written
        ) or any(item.name == name for found in self._configurations for item in found.names)

    def _read(self, plugin: Manifest) -> "_Written":
        live = standing(self._linted, plugin)
        return _Written(
            given=what_is_given(plugin),
            template=plugin.template,
            claimed=claimed_by(plugin, component_of(plugin), self._configurations).names,
            is_change=live is None or bool(template_changes(plugin, live.template)),
        )


class _Written(msgspec.Struct, frozen=True):
    """What a plugin among the manifests tells of names; read once, asked for each name."""

    given: str
    template: JsonObject
    claimed: frozenset[str]
    is_change: bool
    """Whether it is new, or another than stands."""

    def standing(self, name: str) -> Standing:
        """What it makes known of the name."""
        if tells(self.given, name):
            return Standing.OFFERED
        if name in self.claimed or name.partition("/")[0] in self.claimed:
            return Standing.OFFERED
        if has_further_names(self.template, name):
            return Standing.POSSIBLE
        if not self.is_change:
            return Standing.NOWHERE
        return _by(self.template, tuple(sorted(self.claimed)), name)


def _by_claims(linted: Linted) -> Iterator[str]:
    """Names that a DeviceClass serves by resource claims (KEP-5004), without any plugin."""
    objects: list[JsonObject] = [item.data for item in linted.of_kind("DeviceClass")]
    objects += linted.cluster.of_kind("DeviceClass") if linted.cluster else ()
    for item in objects:
        yield text(item, "spec", "extendedResourceName")


def _standing(linted: Linted) -> Iterator[tuple[JsonObject, tuple[str, ...]]]:
    """Templates of the cluster's plugins, each with the names that it seems to offer."""
    if linted.cluster is None:
        return
    snapshot = linted.cluster.snapshot
    offered = offered_by(snapshot.components, snapshot.nodes, snapshot.pods)
    for live in snapshot.components:
        if is_device_plugin(live):
            found = offered.get(live.ref)
            yield live.template, found.resources if found else ()


def _by(template: JsonObject, names: tuple[str, ...], name: str) -> Standing:
    """What a plugin may add to the names that it is known for.

    HAMi's webhook and scheduler take names of its domain that no node offers.
    """
    family = family_of(template)
    if family.resources:
        may = family.offers(name) and (not names or family.name == "hami")
        return Standing.POSSIBLE if may else Standing.NOWHERE
    return Standing.NOWHERE if names else Standing.POSSIBLE


def _likeness(one: str, other: str) -> float:
    """From 0 to 1. Names that differ in a digit, or in letters of another kind, are two names."""
    digits = [[sign for sign in name if sign.isdecimal()] for name in (one, other)]
    letters = [sorted(name.lower()) for name in (one, other)]
    if digits[0] != digits[1]:
        return 0.0
    if letters[0] == letters[1]:
        return 1.0
    by_one = abs(len(one) - len(other)) == 1
    return SequenceMatcher(None, one, other, autojunk=False).ratio() if by_one else 0.0
