"""What one rule of a role allows, and whether rules cover others.

Source: k8s.io/kubernetes/pkg/apis/rbac/v1/evaluation_helpers.go and
k8s.io/component-helpers/auth/rbac/validation/policy_comparator.go (1.37).
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec

from bridgehead.twin.api.gate import Attributes
from bridgehead.twin.objects import items

ALL = "*"


class Rule(msgspec.Struct, frozen=True, kw_only=True):
    """A ``PolicyRule``."""

    verbs: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    resources: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    urls: tuple[str, ...] = ()

    def allows(self, attributes: Attributes) -> bool:
        """Whether somebody with this rule may do that."""
        if ALL not in self.verbs and attributes.verb not in self.verbs:
            return False
        if not attributes.resource:
            return any(_covers_url(url, attributes.path) for url in self.urls)
        if ALL not in self.groups and attributes.group not in self.groups:
            return False
        return self._has_resource(attributes) and (not self.names or attributes.name in self.names)

    def _has_resource(self, attributes: Attributes) -> bool:
        resource, part = attributes.resource, attributes.subresource
        if ALL in self.resources:
            return True
        if not part:
            return resource in self.resources
        return f"{resource}/{part}" in self.resources or f"*/{part}" in self.resources

    def parts(self) -> Iterator["Rule"]:
        """The same rights as rules of one verb, one resource and at most one name each."""
        for group in self.groups:
            for resource in self.resources:
                for verb in self.verbs:
                    single = Rule(verbs=(verb,), groups=(group,), resources=(resource,))
                    names = self.names or (None,)
                    for name in names:
                        yield (
                            single
                            if name is None
                            else msgspec.structs.replace(single, names=(name,))
                        )
        for url in self.urls:
            for verb in self.verbs:
                yield Rule(verbs=(verb,), urls=(url,))

    def covers(self, part: "Rule") -> bool:
        """Whether whoever has this rule has a part of another."""
        return (
            (ALL in self.verbs or set(part.verbs) <= set(self.verbs))
            and (ALL in self.groups or set(part.groups) <= set(self.groups))
            and all(self._covers_resource(resource) for resource in part.resources)
            and all(any(_covers_url(own, url) for own in self.urls) for url in part.urls)
            and (not self.names or (bool(part.names) and set(part.names) <= set(self.names)))
        )

    def _covers_resource(self, resource: str) -> bool:
        if ALL in self.resources or resource in self.resources:
            return True
        _, slash, part = resource.partition("/")
        return bool(slash) and f"*/{part}" in self.resources

    def told(self) -> str:
        """As refusals list missing rights."""
        fields = (
            ("APIGroups", self.groups),
            ("Resources", self.resources),
            ("NonResourceURLs", self.urls),
            ("ResourceNames", self.names),
            ("Verbs", self.verbs),
        )
        return (
            "{" + ", ".join(f"{name}:{quoted(values)}" for name, values in fields if values) + "}"
        )


def quoted(values: Iterable[str]) -> str:
    """Strings as Go's ``%q`` prints them."""
    return "[" + " ".join(f'"{value}"' for value in values) + "]"


def _covers_url(rule: str, url: str) -> bool:
    return rule in {ALL, url} or (rule.endswith("*") and url.startswith(rule.rstrip("*")))


def rules_of(role: Any) -> list[Rule]:
    """The rules of a Role or ClusterRole."""
    return [
        Rule(
            verbs=tuple(items(rule, "verbs")),
            groups=tuple(items(rule, "apiGroups")),
            resources=tuple(items(rule, "resources")),
            names=tuple(items(rule, "resourceNames")),
            urls=tuple(items(rule, "nonResourceURLs")),
        )
        for rule in items(role, "rules")
    ]


def missing(owned: Sequence[Rule], wanted: Iterable[Rule]) -> list[Rule]:
    """The parts of rules that no owned rule covers, those of one resource in one rule."""
    uncovered = [
        part
        for rule in wanted
        for part in rule.parts()
        if not any(own.covers(part) for own in owned)
    ]
    together: dict[Any, Rule] = {}
    for part in uncovered:
        key = (part.groups, part.resources, part.names) if part.resources else part
        known = together.get(key)
        together[key] = (
            part
            if known is None
            else msgspec.structs.replace(known, verbs=(*known.verbs, *part.verbs))
        )
    return list(together.values())
