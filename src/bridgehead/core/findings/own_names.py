"""Whether a plugin of the manifests offers a resource itself, as far as that is written."""

import re
from collections.abc import Iterable

from bridgehead.core.components.family import family_of
from bridgehead.core.findings.claimants import claimed_by
from bridgehead.core.findings.configurations import Configuration
from bridgehead.core.findings.manifest import Linted, Manifest, component_of, containers
from bridgehead.core.model.json import JsonObject, canonical

_WHOLE_DOMAIN = frozenset({"nvidia", "hami", "amd"})
"""Families whose plugins offer further names of their domain by mode (MIG, partitions)."""


def offers_itself(plugin: Manifest, every: Iterable[Configuration], resource: str) -> bool:
    """Whether the name follows from its family or its configuration."""
    if has_further_names(plugin.template, resource):
        return True
    names = claimed_by(plugin, component_of(plugin), every).names
    return resource in names or resource.partition("/")[0] in names


def has_further_names(template: JsonObject, resource: str) -> bool:
    """Whether the name is one that its family offers in some mode."""
    family = family_of(template)
    return family.name in _WHOLE_DOMAIN and family.offers(resource)


def is_told(plugin: Manifest, resource: str) -> bool:
    """Whether its containers are given the name, by argument or environment."""
    return tells(what_is_given(plugin), resource)


def what_is_given(plugin: Manifest) -> str:
    """All arguments and environment of its containers as one text."""
    given = [
        {key: item[key] for key in ("command", "args", "env") if key in item}
        for _, item in containers(plugin)
    ]
    return canonical(given)


def tells(given: str, resource: str) -> bool:
    """Whether the name is in it, as a whole word: ``limits.NAME`` of a resourceFieldRef is not."""
    if resource not in given:
        return False
    return re.search(rf"(?<![\w./-]){re.escape(resource)}(?![\w./-])", given) is not None


def offered_elsewhere(
    linted: Linted, plugin: Manifest, every: Iterable[Configuration], resource: str
) -> bool:
    """Whether another plugin among the manifests offers the name for sure."""
    listed = tuple(every)
    return any(
        offers_itself(other, listed, resource) for other in linted.plugins if other is not plugin
    )
