"""Lets requests in: who asks, as whom, and whether the rules allow it.

Source: k8s.io/apiserver/pkg/endpoints/filters/{authentication,authorization}.go and
k8s.io/apiserver/pkg/authentication/request/bearertoken/bearertoken.go (1.37).
"""

import hmac

from bridgehead.twin.access.authorizer import MASTERS, Authorizer, refused
from bridgehead.twin.access.escalation import Escalation
from bridgehead.twin.access.impersonation import (
    ANONYMOUS,
    AUTHENTICATED,
    UNAUTHENTICATED,
    Impersonation,
    wanted_user,
)
from bridgehead.twin.access.tokens import ISSUER, TokenError, Tokens, groups_of
from bridgehead.twin.api.addresses import address_of
from bridgehead.twin.api.exchange import Request
from bridgehead.twin.api.gate import Attributes, User, attributes_of
from bridgehead.twin.api.service import verb_of
from bridgehead.twin.errors import ApiError
from bridgehead.twin.kinds import Kind
from bridgehead.twin.objects import Object
from bridgehead.twin.store import Store

ADMINISTRATOR = User(name="kubernetes-admin", groups=(MASTERS, AUTHENTICATED))
NOBODY = User(name=ANONYMOUS, groups=(UNAUTHENTICATED,))
"""Who asks without saying who; may read what everybody may."""


class Guard:
    """Users and rules of one twin."""

    def __init__(self, store: Store, tokens: Tokens, administrator: str) -> None:
        """``administrator``: the token of who may do everything."""
        self.authorizer = Authorizer(store)
        self.tokens = tokens
        self._administrator = administrator.encode()
        self._impersonation = Impersonation(self.authorizer)
        self._escalation = Escalation(self.authorizer)

    def authenticate(self, request: Request) -> User:
        """Who a request comes from. Raises ApiError: 401, and 403 or 400 of impersonation."""
        user = self._user(request)
        wanted = wanted_user(request)
        if wanted is None:
            return user
        address = address_of(request.path)
        verb = verb_of(request, address) if address is not None else None
        return self._impersonation.acting(user, wanted, attributes_of(request, address, verb))

    def authorize(self, user: User, attributes: Attributes) -> None:
        """Raises ApiError 403 where the rules do not allow it."""
        decision = self.authorizer.decide(user, attributes)
        if not decision.allowed:
            raise refused(user, attributes, decision.reason)

    def refusal(self, account: str, verb: str, resource: str, name: str = "") -> str:
        """With which words a service account is refused; empty where it is not.

        ``account``: its user name. ``resource``: of the core group, in the whole cluster.
        """
        user = User(name=account, groups=(*groups_of(account.split(":")[2]), AUTHENTICATED))
        attributes = Attributes(verb=verb, version="v1", resource=resource, name=name)
        decision = self.authorizer.decide(user, attributes)
        return "" if decision.allowed else str(refused(user, attributes, decision.reason))

    def check_grant(
        self, user: User, kind: Kind, namespace: str, obj: Object, old: Object | None
    ) -> None:
        """Raises ApiError 403 where a role or a binding gives what its author does not have."""
        self._escalation.check(user, kind, namespace, obj, old)

    def holder(self, token: str, audiences: list[str]) -> tuple[User, list[str]]:
        """Whose token it is, and for which of the audiences. Raises TokenError."""
        if hmac.compare_digest(token.encode(), self._administrator):
            return ADMINISTRATOR, audiences
        return self.tokens.read(token, audiences)

    def _user(self, request: Request) -> User:
        scheme, _, rest = request.headers.get("authorization", "").strip().partition(" ")
        token = rest.split(" ", maxsplit=1)[0]
        if scheme.lower() != "bearer" or not token:
            return NOBODY
        try:
            return self.holder(token, [ISSUER])[0]
        except TokenError as error:
            raise ApiError(401, "Unauthorized", "Unauthorized") from error
