"""Whether a user may do something, and the refusal where not.

Source: k8s.io/kubernetes/plugin/pkg/auth/authorizer/rbac/rbac.go and
k8s.io/apiserver/pkg/endpoints/handlers/responsewriters/errors.go (1.37).
"""

from typing import NamedTuple

from bridgehead.twin.access.bindings import Bindings
from bridgehead.twin.access.rules import Rule
from bridgehead.twin.api.gate import Attributes, User
from bridgehead.twin.errors import ApiError
from bridgehead.twin.store import Store

MASTERS = "system:masters"
"""Whoever is in this group may do everything, whatever the rules say."""


class Decision(NamedTuple):
    """An answer of the rules."""

    allowed: bool
    reason: str = ""


class Authorizer:
    """Judges by roles and bindings."""

    def __init__(self, store: Store) -> None:
        self.bindings = Bindings(store)

    def decide(self, user: User, attributes: Attributes) -> Decision:
        """Whether the rules allow it, and by which, or what kept rules from being read."""
        if MASTERS in user.groups:
            return Decision(True)
        errors: list[str] = []
        for granted in self.bindings.of(user, attributes.namespace):
            if granted.rule is not None and granted.rule.allows(attributes):
                return Decision(True, f"RBAC: allowed by {granted.source()}")
            if granted.error is not None and (told := granted.error.told()) not in errors:
                errors.append(told)
        return Decision(False, f"rbac: RBAC: {aggregated(errors)}" if errors else "")

    def rules(self, user: User, namespace: str) -> tuple[list[Rule], list[str], list[str]]:
        """All rules of a user; the roles that are missing, as messages of RBAC name them; and
        their names alone.
        """
        rules: list[Rule] = []
        errors: list[str] = []
        names: list[str] = []
        for granted in self.bindings.of(user, namespace):
            if granted.rule is not None:
                rules.append(granted.rule)
            if granted.error is not None:
                errors.append(granted.error.told())
                names.append(granted.error.name)
        return rules, errors, names


def aggregated(errors: list[str]) -> str:
    """Several errors as one, each said once."""
    unique = list(dict.fromkeys(errors))
    return unique[0] if len(unique) == 1 else f"[{', '.join(unique)}]"


def refused(user: User, attributes: Attributes, reason: str = "") -> ApiError:
    """403 of what the rules do not allow."""
    message = _may_not(user, attributes)
    for letter, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;")):
        message = message.replace(letter, entity)
    if reason:
        message = f"{message}: {reason}"
    group, resource, name = attributes.group, attributes.resource, attributes.name
    if not resource:
        return ApiError(403, "Forbidden", f"forbidden: {message}", {})
    qualified = f"{resource}.{group}" if group else resource
    named = f'{qualified} "{name}"' if name else qualified
    details = {"name": name} if name else {}
    if group:
        details["group"] = group
    details["kind"] = resource
    return ApiError(403, "Forbidden", f"{named} is forbidden: {message}", details)


def _may_not(user: User, attributes: Attributes) -> str:
    if not attributes.resource:
        return f'User "{user.name}" cannot {attributes.verb} path "{attributes.path}"'
    resource = attributes.resource
    if attributes.subresource:
        resource += f"/{attributes.subresource}"
    cannot = (
        f'User "{user.name}" cannot {attributes.verb} resource "{resource}" '
        f'in API group "{attributes.group}"'
    )
    if attributes.namespace:
        return f'{cannot} in the namespace "{attributes.namespace}"'
    return f"{cannot} at the cluster scope"
