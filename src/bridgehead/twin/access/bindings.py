"""Which rules a user has, from the roles and bindings of the cluster.

Source: k8s.io/kubernetes/pkg/registry/rbac/validation/rule.go (1.37).
"""

from collections.abc import Iterator
from typing import NamedTuple

from bridgehead.twin.access.rules import Rule, rules_of
from bridgehead.twin.api.gate import User
from bridgehead.twin.kinds import Stored
from bridgehead.twin.objects import Object, fields, items, name_of, namespace_of, text
from bridgehead.twin.store import Store

GROUP = "rbac.authorization.k8s.io"
ROLES = Stored(GROUP, "roles")
CLUSTER_ROLES = Stored(GROUP, "clusterroles")
ROLE_BINDINGS = Stored(GROUP, "rolebindings")
CLUSTER_ROLE_BINDINGS = Stored(GROUP, "clusterrolebindings")


class MissingRoleError(Exception):
    """A binding names a role that is not there."""

    def __init__(self, kind: str, name: str) -> None:
        super().__init__(kind, name)
        self.kind = kind
        self.name = name

    def told(self, resource: str = "") -> str:
        """As the server says it; ``resource`` where the request's own resource is named."""
        resource = resource or self.kind.lower()
        return f'{resource}.{GROUP} "{self.name}" not found'


class Granted(NamedTuple):
    """A rule, or what is in its way, and the binding that gives it."""

    binding: Object
    subject: Object
    rule: Rule | None
    error: MissingRoleError | None = None

    def source(self) -> str:
        """Where the rule comes from, as answers give it for a reason."""
        kind, namespace = self.binding["kind"], namespace_of(self.binding)
        named = name_of(self.binding) + (f"/{namespace}" if namespace else "")
        role = fields(self.binding, "roleRef")
        subject = self.subject.get("name", "")
        if self.subject.get("kind") == "ServiceAccount":
            subject += f"/{self.subject.get('namespace') or namespace}"
        return (
            f'{kind} "{named}" of {role.get("kind")} "{role.get("name")}" '
            f'to {self.subject.get("kind")} "{subject}"'
        )


class Bindings:
    """The rules of users, as the store has them now."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def of(self, user: User, namespace: str) -> Iterator[Granted]:
        """All rules of a user: those of the cluster, and those of a namespace if one is given."""
        yield from self._of(user, CLUSTER_ROLE_BINDINGS, "")
        if namespace:
            yield from self._of(user, ROLE_BINDINGS, namespace)

    def role(self, reference: Object, namespace: str) -> list[Rule]:
        """The rules of the role that a binding names. Raises MissingRoleError."""
        kind, name = text(reference, "kind"), text(reference, "name")
        stored = CLUSTER_ROLES if kind == "ClusterRole" else ROLES
        role = self._store.get(stored, "" if stored is CLUSTER_ROLES else namespace, name)
        if role is None:
            raise MissingRoleError(kind, name)
        return rules_of(role)

    def _of(self, user: User, stored: Stored, namespace: str) -> Iterator[Granted]:
        for binding in self._store.select(stored, namespace):
            subject = next(
                (item for item in items(binding, "subjects") if _is(user, item, namespace)), None
            )
            if subject is None:
                continue
            try:
                for rule in self.role(binding["roleRef"], namespace):
                    yield Granted(binding, subject, rule)
            except MissingRoleError as error:
                yield Granted(binding, subject, None, error)


def _is(user: User, subject: Object, namespace: str) -> bool:
    name = subject.get("name", "")
    match subject.get("kind"):
        case "User":
            return bool(user.name == name)
        case "Group":
            return name in user.groups
        case "ServiceAccount":
            home = subject.get("namespace") or namespace
            return bool(home) and user.name == f"system:serviceaccount:{home}:{name}"
    return False
