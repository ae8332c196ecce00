"""What the service account of a plugin must be allowed, by what is known of the plugin's family."""

import msgspec

from bridgehead.core.components.family import family_of
from bridgehead.core.model.json import JsonObject, text


class AccessQuestion(msgspec.Struct, frozen=True, order=True):
    """May this account (``NAMESPACE/NAME``) do that, in all namespaces?

    ``resource`` is written as kubectl does: ``pods``, ``nodes/status``, ``daemonsets.apps``.
    """

    account: str
    verb: str
    resource: str

    @property
    def right(self) -> tuple[str, str]:
        """Verb and resource, as families list them."""
        return self.verb, self.resource


def account_of(namespace: str, template: JsonObject) -> str:
    """The service account of a template's pods, as ``NAMESPACE/NAME``."""
    return f"{namespace}/{text(template, 'spec', 'serviceAccountName') or 'default'}"


def questions_about(namespace: str, template: JsonObject) -> tuple[AccessQuestion, ...]:
    """Whether the account has each right that its family needs; none where the family needs none,
    or where that is not known."""
    account = account_of(namespace, template)
    return tuple(AccessQuestion(account, *right) for right in family_of(template).rights)
