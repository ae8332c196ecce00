"""Acting as somebody else, by the ``Impersonate-`` headers.

What is allowed as whom is asked first (``impersonate-on:MODE:VERB``, ``impersonate:MODE``), then
the old way, where one right to ``impersonate`` is enough for everything.

Source: k8s.io/apiserver/pkg/endpoints/filters/impersonation: constrained_impersonation.go, mode.go
(1.37).
"""

from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import unquote

import msgspec

from bridgehead.twin.access.authorizer import MASTERS, Authorizer, refused
from bridgehead.twin.access.tokens import account_of, groups_of
from bridgehead.twin.api.exchange import Request
from bridgehead.twin.api.gate import Attributes, User
from bridgehead.twin.errors import ApiError, bad_request

ANONYMOUS = "system:anonymous"
AUTHENTICATED = "system:authenticated"
UNAUTHENTICATED = "system:unauthenticated"

_AUTHENTICATION = "authentication.k8s.io"
_NODE = "system:node:"
_BOUND_NODE = "authentication.kubernetes.io/node-name"


def wanted_user(request: Request) -> User | None:
    """As whom a request wants to act. Raises ApiError 400 where it names groups but no user."""
    name = uid = ""
    groups: list[str] = []
    extra: dict[str, tuple[str, ...]] = {}
    for header, value in request.all_headers or request.headers.items():
        match header.lower():
            case "impersonate-user":
                name = name or value
            case "impersonate-uid":
                uid = uid or value
            case "impersonate-group":
                groups.append(value)
            case key if key.startswith("impersonate-extra-"):
                key = unquote(key.removeprefix("impersonate-extra-"))
                extra[key] = (*extra.get(key, ()), value)
    if not name and (uid or groups or extra):
        raise bad_request(
            f"requested {_in_go(uid, groups, extra)} without impersonating a user name"
        )
    return User(name=name, uid=uid, groups=tuple(groups), extra=extra) if name else None


def _in_go(uid: str, groups: list[str], extra: dict[str, tuple[str, ...]]) -> str:
    """The half-named user as Go prints it."""

    def strings(values: tuple[str, ...] | list[str]) -> str:
        return "[]string{" + ", ".join(f'"{value}"' for value in values) + "}"

    listed = ", ".join(f'"{key}":{strings(values)}' for key, values in sorted(extra.items()))
    return (
        f'&user.DefaultInfo{{Name:"", UID:"{uid}", '
        f"Groups:{strings(groups) if groups else '[]string(nil)'}, "
        f"Extra:map[string][]string{f'{{{listed}}}' if extra else '(nil)'}}}"
    )


class _Mode(NamedTuple):
    """One way to be allowed to act as somebody."""

    name: str
    """Empty for the old way."""
    any_node: bool = False
    """Whether the right must be one for all nodes."""


class Impersonation:
    """Judges who may act as whom."""

    def __init__(self, authorizer: Authorizer) -> None:
        self._authorizer = authorizer
        self._last: dict[str, str] = {}
        """By user the way that was last allowed; it is tried first."""

    def acting(self, asker: User, wanted: User, attributes: Attributes) -> User:
        """The user that a request is from then on. Raises ApiError 403, for the first way."""
        first: ApiError | None = None
        last = self._last.get(asker.name)
        for mode in sorted(_modes(asker, wanted), key=lambda mode: mode.name != last):
            try:
                user = self._acting(mode, asker, wanted, attributes)
            except ApiError as refusal:
                first = first or refusal
            else:
                self._last[asker.name] = mode.name
                return user
        assert first is not None  # the old way is always there
        raise first

    def _acting(self, mode: _Mode, asker: User, wanted: User, attributes: Attributes) -> User:
        if mode.name:
            verb = f"impersonate-on:{mode.name}:{attributes.verb}"
            self._check(asker, msgspec.structs.replace(attributes, verb=verb))
        groups = wanted.groups
        for right in _rights(mode, wanted):
            self._check(asker, right)
        if mode.name and MASTERS in groups:
            right = _right(mode, "groups", MASTERS)
            raise refused(asker, right, "impersonating the system:masters group is not allowed")
        if not groups and (account := account_of(wanted.name)):
            groups = groups_of(account[0])
        elif mode.name and wanted.name.startswith(_NODE):
            groups = ("system:nodes",)
        if wanted.name == ANONYMOUS:
            groups = _with(groups, UNAUTHENTICATED)
        elif UNAUTHENTICATED not in groups:
            groups = _with(groups, AUTHENTICATED)
        return msgspec.structs.replace(wanted, groups=groups)

    def _check(self, asker: User, right: Attributes) -> None:
        decision = self._authorizer.decide(asker, right)
        if not decision.allowed:
            raise refused(asker, right, decision.reason)


def _modes(asker: User, wanted: User) -> Iterator[_Mode]:
    only_name = not (wanted.uid or wanted.groups or wanted.extra)
    is_account = account_of(wanted.name) is not None
    is_node = wanted.name.startswith(_NODE) and wanted.name != _NODE
    if only_name and is_node:
        nodes = asker.extra.get(_BOUND_NODE, ())
        if account_of(asker.name) and nodes == (wanted.name.removeprefix(_NODE),):
            yield _Mode("associated-node", any_node=True)
        yield _Mode("arbitrary-node")
    if only_name and is_account:
        yield _Mode("serviceaccount")
    if not is_node and not is_account:
        yield _Mode("user-info")
    yield _Mode("")


def _rights(mode: _Mode, wanted: User) -> Iterator[Attributes]:
    """Everything that one must be allowed, in the order in which it is asked."""
    account = account_of(wanted.name)
    if account:
        yield _right(mode, "serviceaccounts", account[1], namespace=account[0])
    elif mode.name and wanted.name.startswith(_NODE):
        name = "*" if mode.any_node else wanted.name.removeprefix(_NODE)
        yield _right(mode, "nodes", name)
    else:
        yield _right(mode, "users", wanted.name)
    if wanted.uid:
        yield _right(mode, "uids", wanted.uid, always=True)
    for group in wanted.groups:
        if not (mode.name and group == MASTERS):
            yield _right(mode, "groups", group)
    for key, values in wanted.extra.items():
        for value in values:
            yield _right(mode, "userextras", value, part=key, always=True)


def _right(
    mode: _Mode,
    resource: str,
    name: str,
    *,
    part: str = "",
    namespace: str = "",
    always: bool = False,
) -> Attributes:
    return Attributes(
        verb=f"impersonate:{mode.name}" if mode.name else "impersonate",
        group=_AUTHENTICATION if mode.name or always else "",
        version="v1",
        resource=resource,
        subresource=part,
        namespace=namespace,
        name=name,
    )


def _with(groups: tuple[str, ...], group: str) -> tuple[str, ...]:
    return groups if group in groups else (*groups, group)
