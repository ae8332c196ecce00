"""Who asks, and whether they may: what the API wants of whoever knows users and rules.

Source: k8s.io/apiserver/pkg/endpoints/request/requestinfo.go and
.../endpoints/handlers/responsewriters/errors.go (1.37).
"""

from collections.abc import Mapping
from typing import Protocol

import msgspec

from bridgehead.twin.api.addresses import Address
from bridgehead.twin.api.exchange import Request
from bridgehead.twin.kinds import Kind
from bridgehead.twin.objects import Object


class User(msgspec.Struct, frozen=True, kw_only=True):
    """Who a request comes from, impersonation done."""

    name: str
    uid: str = ""
    groups: tuple[str, ...] = ()
    extra: Mapping[str, tuple[str, ...]] = {}


class Attributes(msgspec.Struct, frozen=True, kw_only=True):
    """What somebody wants to do."""

    verb: str
    """``get``, ``list``, ``deletecollection``, ...; of a path the HTTP method in lower case."""
    path: str = ""
    """Where it is no resource: ``/version``."""
    group: str = ""
    version: str = ""
    resource: str = ""
    """The plural; empty for a path."""
    subresource: str = ""
    namespace: str = ""
    """Empty for objects of the cluster, and for all namespaces."""
    name: str = ""


class Access(Protocol):
    """Knows users and rules."""

    def authenticate(self, request: Request) -> User:
        """Who a request comes from. Raises ApiError: 401, and 403 or 400 of impersonation."""
        ...

    def authorize(self, user: User, attributes: Attributes) -> None:
        """Raises ApiError 403 where the rules do not allow it."""
        ...

    def check_grant(
        self, user: User, kind: Kind, namespace: str, obj: Object, old: Object | None
    ) -> None:
        """Raises ApiError 403 where a role or a binding gives what its author does not have."""
        ...


class OpenDoor:
    """Lets everybody in as an administrator: for parts of a twin that nobody serves."""

    def authenticate(self, _request: Request) -> User:
        """The administrator."""
        return User(name="kubernetes-admin", groups=("system:masters", "system:authenticated"))

    def authorize(self, _user: User, _attributes: Attributes) -> None:
        """Nothing is refused."""

    def check_grant(
        self, _user: User, _kind: Kind, _namespace: str, _obj: Object, _old: Object | None
    ) -> None:
        """Nothing is refused."""


def attributes_of(request: Request, address: Address | None, verb: str | None) -> Attributes:
    """What a request wants to do; an unknown verb is the HTTP method."""
    if address is None or not address.plural:
        return Attributes(verb=request.method.lower(), path=request.path)
    return Attributes(
        verb=verb or request.method.lower(),
        group=address.group,
        version=address.version,
        resource=address.plural,
        subresource=address.subresource,
        namespace=address.namespace,
        name=address.name,
    )
