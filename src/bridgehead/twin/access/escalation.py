"""Nobody may give rights that they do not have, but who may ``escalate`` or ``bind``.

Source: k8s.io/kubernetes/pkg/registry/rbac/escalation_check.go, .../policybased/storage.go and
.../validation/rule.go (1.37).
"""

from bridgehead.twin.access.authorizer import MASTERS, Authorizer
from bridgehead.twin.access.bindings import GROUP, MissingRoleError
from bridgehead.twin.access.rules import ALL, Rule, missing, quoted, rules_of
from bridgehead.twin.api.gate import Attributes, User
from bridgehead.twin.errors import ApiError, forbidden
from bridgehead.twin.kinds import Kind
from bridgehead.twin.objects import Object, fields, items, name_of, text

_EVERYTHING = (
    Rule(verbs=(ALL,), groups=(ALL,), resources=(ALL,)),
    Rule(verbs=(ALL,), urls=(ALL,)),
)


class Escalation:
    """Judges writes of roles and bindings."""

    def __init__(self, authorizer: Authorizer) -> None:
        self._authorizer = authorizer

    def check(
        self, user: User, kind: Kind, namespace: str, obj: Object, old: Object | None
    ) -> None:
        """Raises ApiError 403 where a write gives more than its author has, 404 for no role."""
        if kind.group != GROUP or MASTERS in user.groups or _only_collected(obj, old):
            return
        if kind.plural in {"roles", "clusterroles"}:
            self._check_role(user, kind, namespace, obj, old)
        else:
            self._check_binding(user, kind, namespace, obj)

    def _check_role(
        self, user: User, kind: Kind, namespace: str, obj: Object, old: Object | None
    ) -> None:
        name = name_of(obj) if old is not None else ""
        if self._may(user, "escalate", kind.plural, name, namespace):
            return
        self._check_rules(user, kind, namespace, name_of(obj), rules_of(obj))
        if any(items(role, "aggregationRule", "clusterRoleSelectors") for role in (obj, old)):
            rules, *_ = self._authorizer.rules(user, namespace)
            if missing(rules, _EVERYTHING):
                why = "must have cluster-admin privileges to use the aggregationRule"
                raise forbidden(kind, name_of(obj), why)

    def _check_binding(self, user: User, kind: Kind, namespace: str, obj: Object) -> None:
        role = dict(fields(obj, "roleRef"))
        plural = {"ClusterRole": "clusterroles", "Role": "roles"}.get(text(role, "kind"))
        if plural and self._may(user, "bind", plural, text(role, "name"), namespace):
            return
        try:
            rules = self._authorizer.bindings.role(role, namespace)
        except MissingRoleError as error:
            told = error.told(kind.plural)
            details = {"name": error.name, "group": GROUP, "kind": kind.plural}
            raise ApiError(404, "NotFound", told, details) from error
        self._check_rules(user, kind, namespace, name_of(obj), rules)

    def _may(self, user: User, verb: str, plural: str, name: str, namespace: str) -> bool:
        wanted = Attributes(
            verb=verb, group=GROUP, version=ALL, resource=plural, name=name, namespace=namespace
        )
        return self._authorizer.decide(user, wanted).allowed

    def _check_rules(
        self, user: User, kind: Kind, namespace: str, name: str, wanted: list[Rule]
    ) -> None:
        owned, _, unread = self._authorizer.rules(user, namespace)
        lacking = missing(owned, wanted)
        if not lacking:
            return
        why = (
            f'user "{user.name}" (groups={quoted(user.groups)}) is attempting to grant RBAC '
            "permissions not currently held:\n"
        ) + "\n".join(sorted({rule.told() for rule in lacking}))
        if unread:
            told = ", ".join(f'{kind.qualified} "{role}" not found' for role in unread)
            why += f"; resolution errors: [{told}]"
        raise forbidden(kind, name, why)


def _only_collected(obj: Object, old: Object | None) -> bool:
    """Whether a write changes but what the garbage collector changes."""
    if old is None:
        return False
    ignored = ("ownerReferences", "finalizers", "managedFields", "resourceVersion", "generation")

    def rest(value: Object) -> Object:
        kept = {key: part for key, part in value["metadata"].items() if key not in ignored}
        return {**value, "metadata": kept}

    return rest(obj) == rest(old)
