"""Puts the rules of ClusterRoles together in those that select them by labels.

Source: k8s.io/kubernetes/pkg/controller/clusterroleaggregation (1.37).
"""

from bridgehead.twin.access.bindings import CLUSTER_ROLES
from bridgehead.twin.objects import Object, fields, items, name_of
from bridgehead.twin.registry import Registry
from bridgehead.twin.selection import selects
from bridgehead.twin.store import Change


class RoleAggregation:
    """A controller."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._kind = registry.kinds.named(CLUSTER_ROLES.group, CLUSTER_ROLES.plural)
        self._is_due = False

    def start(self) -> None:
        """Look at all roles now, and whenever one has changed."""
        self._registry.store.subscribe(self._changed)
        self._look_soon()

    def _changed(self, change: Change) -> None:
        if change.kind.stored == CLUSTER_ROLES:
            self._look_soon()

    def _look_soon(self) -> None:
        if not self._is_due:
            self._is_due = True
            self._registry.clock.soon(self._look)

    def _look(self) -> None:
        self._is_due = False
        roles = list(self._registry.store.select(CLUSTER_ROLES))
        for role in roles:
            selectors = items(role, "aggregationRule", "clusterRoleSelectors")
            if selectors:
                rules = _gathered(role, roles)
                if rules != list(items(role, "rules")):
                    self._registry.update(self._kind, {**role, "rules": rules})


def _gathered(role: Object, roles: list[Object]) -> list[Object]:
    """The rules of all selected roles, each once, in the order of names."""
    gathered: list[Object] = []
    for selector in items(role, "aggregationRule", "clusterRoleSelectors"):
        for other in roles:
            labels = fields(other, "metadata", "labels")
            if name_of(other) != name_of(role) and selects(selector, labels):
                gathered += [rule for rule in items(other, "rules") if rule not in gathered]
    return gathered
