"""Which resources a device plugin claims, from its manifest and its configuration alone."""

import re
from collections.abc import Iterable

import msgspec

from bridgehead.core.components.family import family_of, plugin_containers
from bridgehead.core.findings.configurations import Configuration
from bridgehead.core.findings.manifest import Manifest
from bridgehead.core.inventory.placement import misfit, placing
from bridgehead.core.model.component import Component
from bridgehead.core.model.json import JsonObject, canonical, text, texts
from bridgehead.core.model.node import Node

_DEFAULTS = {"nvidia": "nvidia.com/gpu", "hami": "nvidia.com/gpu", "amd": "amd.com/gpu"}
"""Names that these families offer without any configuration."""
_INTEL = re.compile(r"intel-(\w+)-plugin$")


class Claimant(msgspec.Struct, frozen=True):
    """A plugin with the names that it claims, as far as they are known for sure."""

    component: Component
    names: frozenset[str]


def claimed_by(
    manifest: Manifest, component: Component, every: Iterable[Configuration]
) -> Claimant:
    """What a manifest's plugin claims: its configured names or, without any, its family's."""
    own = [found for found in every if found.plugin is manifest]
    configured = frozenset(item.name for found in own for item in found.names)
    # Several files are chosen from by node label: any of them, or none, may hold on a node.
    sure = configured if len(own) == 1 else frozenset()
    return Claimant(component, sure or (names_of(component.template) if not own else frozenset()))


def names_of(template: JsonObject) -> frozenset[str]:
    """Names that a template's plugin offers without a configuration; Intel's by kind of device."""
    family = family_of(template).name
    if family in _DEFAULTS:
        return frozenset({_DEFAULTS[family]})
    found = (_INTEL.search(_repository(item)) for item in plugin_containers(template))
    kinds = {match[1] for match in found if match} if family == "intel" else set()
    return frozenset(f"{kind}.intel.com" for kind in kinds)


def standing_names(template: JsonObject, resources: Iterable[str]) -> frozenset[str]:
    """What a plugin of the cluster claims that offers these names; Intel's also by its kind."""
    own = names_of(template)
    return frozenset(resources) | {name for name in own if "/" not in name}


def share_nodes(one: JsonObject, other: JsonObject, nodes: Iterable[Node] | None) -> bool | None:
    """Whether pods of both templates can be on one node; None where that cannot be told.

    Without nodes only equal placement, or none at all on one side, is sure to meet, and selectors
    of two values of one label are sure not to.
    """
    if nodes is not None:
        return any(not misfit(one, node) and not misfit(other, node) for node in nodes)
    left, right = placing(one), placing(other)
    selected, against = texts(left, "nodeSelector"), texts(right, "nodeSelector")
    if any(against.get(key, value) != value for key, value in selected.items()):
        return False
    asks = [{key: item for key, item in it.items() if key != "tolerations"} for it in (left, right)]
    if canonical(asks[0]) == canonical(asks[1]) or not asks[0] or not asks[1]:
        return True
    return None


def _repository(container: JsonObject) -> str:
    return text(container, "image").partition("@")[0].rpartition(":")[0] or text(container, "image")
